/// The result of a committed append.
///
/// Two receipts are equal if they describe the same append in the log. The properties ``isRepeated``, ``durability``
/// and ``use`` aren't compared. So if you repeat a call with the same command id, the second call returns a receipt
/// that equals the first receipt.
///
///     let receipt = try store.execute(.finish(id: "1"), on: TodoList["home"], commandID: "tap-17")
public struct Receipt: Sendable {
  /// The log's last position after the append.
  ///
  /// If the append has events, this is the position of the last appended event.
  public let position: Position
  /// The number of appended events.
  ///
  /// The last appended event is at ``position``.
  public let count: Int
  /// The number of the transaction that appended the events, or `nil` for an append without events.
  public let transaction: Int?
  /// The versions of streams after the append.
  ///
  /// The dictionary contains all streams that received events or for which the append expected a version.
  public let versions: [StreamName: Int]
  /// True if the call added no events because a call with the same command id was committed earlier.
  ///
  /// In that case, the other properties describe the first call. For example, an import counts only new events with
  /// `if !receipt.isRepeated { count += receipt.count }`. This property is false in the receipt that
  /// ``EventLog/receipt(ofCommand:)`` returns, because that receipt belongs to the first call.
  public let isRepeated: Bool
  /// The kinds of failure that the append survives, as reported by its store, or `nil` if the store doesn't report
  /// them.
  ///
  /// The durability can be lower than the durability that you requested. For example, an append to a server without
  /// `fsync` reaches only ``Durability/process``. The durability is `nil` for a store in memory, for an append that
  /// added no events, and in a receipt that is read from the log later.
  public let durability: Durability?
  /// A description of the call that used the command id, or `nil` if the call had no command id, or if an older version
  /// of the library wrote the log.
  public let use: CommandUse?

  /// Creates a receipt, for use in a custom store.
  ///
  /// - Parameters:
  ///   - position: The log's last position after the append.
  ///   - count: The number of appended events.
  ///   - transaction: The number of the transaction that appended the events, or `nil` for an append without events.
  ///   - versions: The versions of the streams after the append.
  ///   - isRepeated: True if a call with the same command id was committed earlier.
  ///   - durability: The kinds of failure that the append survives, or `nil` if they're unknown.
  ///   - use: A description of the call that used the command id, or `nil` if the call is unknown.
  public init(
    position: Position, count: Int, transaction: Int?, versions: [StreamName: Int], isRepeated: Bool = false,
    durability: Durability? = nil, use: CommandUse? = nil
  ) {
    self.position = position
    self.count = count
    self.transaction = transaction
    self.versions = versions
    self.isRepeated = isRepeated
    self.durability = durability
    self.use = use
  }

  /// Returns the receipt as the result of a repeated call.
  package func repeated() -> Receipt {
    Receipt(
      position: position, count: count, transaction: transaction, versions: versions, isRepeated: true, use: use)
  }

  /// Returns a copy of the receipt without the digest of its command (`CommandUse/digest`).
  ///
  /// An erasure deletes all digests of a log. So if your custom store supports erasure, replace every stored receipt
  /// with such a copy during an erasure.
  ///
  /// - Returns: The same receipt, but with a ``use`` that has no digest.
  public func withoutDigest() -> Receipt { of(use.map { CommandUse(call: $0.call, digest: nil) }) }

  /// Returns the receipt in the form that a store keeps, with the use of its command's id.
  func of(_ use: CommandUse?) -> Receipt {
    Receipt(position: position, count: count, transaction: transaction, versions: versions, use: use)
  }

  /// Returns a copy of the receipt with the durability that the append reached.
  ///
  /// A custom store calls this method after the store has committed the append.
  ///
  /// - Parameter durability: The durability that the append reached.
  /// - Returns: The same receipt with the durability, or the unchanged receipt if the call added no events.
  public func reaching(_ durability: Durability?) -> Receipt {
    if count == 0 || isRepeated { return self }
    return Receipt(
      position: position, count: count, transaction: transaction, versions: versions, durability: durability, use: use)
  }

  /// The positions of the appended events, or nil for an append without events.
  package var events: ClosedRange<Position>? {
    count > 0 ? Position(position.rawValue - count + 1)...position : nil
  }
}

extension Receipt: Hashable {
  /// Returns whether two receipts are equal, ignoring ``isRepeated``, ``durability`` and ``use``.
  public static func == (left: Receipt, right: Receipt) -> Bool {
    left.position == right.position && left.count == right.count && left.transaction == right.transaction
      && left.versions == right.versions
  }

  /// Hashes the properties that `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(position)
    hasher.combine(count)
    hasher.combine(transaction)
    hasher.combine(versions)
  }
}
