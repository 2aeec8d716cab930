/// The result of a committed append.
///
/// Two receipts are equal if they describe the same append in the log. ``isRepeated`` isn't compared, so the receipt of
/// a repeated call equals the first receipt. ``durability`` and ``use`` aren't compared either.
///
///     let receipt = try store.execute(.finish(id: "1"), on: TodoList.self, id: "home", commandID: "tap-17")
public struct Receipt: Sendable {
  /// The log's last position after the append, which is the position of the last appended event if the append has
  /// events.
  public let position: Position
  /// The number of appended events, the last of which is at `position`.
  public let count: Int
  /// The transaction's number, or `nil` for an append without events.
  public let transaction: Int?
  /// The versions after the append of all streams that received events or had an expected version.
  public let versions: [StreamName: Int]
  /// True if the call added no events because its command was committed earlier.
  ///
  /// In that case, the other properties describe the first call. For example, an import counts only new events with
  /// `if !receipt.isRepeated { count += receipt.count }`. This property is false in the receipt that
  /// ``EventLog/receipt(ofCommand:)`` returns, because that receipt belongs to the first call.
  public let isRepeated: Bool
  /// The kinds of failure that the append survives, as reported by its store, or `nil` if the store doesn't report
  /// them.
  ///
  /// The durability can be lower than the requested durability. For example, a server without `fsync` reaches only
  /// `process`. The durability is `nil` for a store in memory, for an append that added no events, and in a receipt
  /// that is read from the log later.
  public let durability: Durability?
  /// The call for which the command's id was used, or `nil` if the call had no id or the log was written by an older
  /// version.
  public let use: CommandUse?

  /// Creates a receipt, for use in a custom store.
  ///
  /// - Parameters:
  ///   - position: The log's last position after the append.
  ///   - count: The number of appended events.
  ///   - transaction: The transaction's number, or `nil` for an append without events.
  ///   - versions: The versions of the streams after the append.
  ///   - isRepeated: True if the command was committed earlier.
  ///   - durability: The kinds of failure that the append survives, or `nil` if they aren't known.
  ///   - use: The call for which the command's id was used, or `nil` if the call isn't known.
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

  /// The receipt as the result of a repeated call.
  package func repeated() -> Receipt {
    Receipt(
      position: position, count: count, transaction: transaction, versions: versions, isRepeated: true, use: use)
  }

  /// Returns the receipt without the command's digest, as a store keeps it after an erasure.
  ///
  /// - Returns: The same receipt, whose ``use`` has no digest.
  public func withoutDigest() -> Receipt { of(use.map { CommandUse(call: $0.call, digest: nil) }) }

  /// The receipt in the form that a store keeps, with the use of its command's id.
  func of(_ use: CommandUse?) -> Receipt {
    Receipt(position: position, count: count, transaction: transaction, versions: versions, use: use)
  }

  /// Returns the receipt with a durability, which a store adds after it has committed the append.
  ///
  /// - Parameter durability: The durability that the append reached.
  /// - Returns: The same receipt with the durability, or the unchanged receipt if this call added no events.
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

  /// Hashes the compared properties of the receipt.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(position)
    hasher.combine(count)
    hasher.combine(transaction)
    hasher.combine(versions)
  }
}
