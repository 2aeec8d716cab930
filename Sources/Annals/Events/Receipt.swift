/// What an append answers once it is committed.
///
/// Two receipts are equal if they say the same of the log. Whether one of them answered a repeated call
/// (``isRepeated``) does not count, because a repeated call returns the first receipt. Neither do ``durability`` and
/// ``use``.
///
///     let receipt = try store.execute(.finish(id: "1"), on: TodoList.self, id: "home", commandID: "tap-17")
public struct Receipt: Sendable {
  /// The log's last position when the append was done: that of its last event, if it had any.
  public let position: Position
  /// The number of events that it added; they end at `position`.
  public let count: Int
  /// The transaction's number; nil if nothing was to be added.
  public let transaction: Int?
  /// The versions of the streams that it wrote to or had expectations of, afterwards.
  public let versions: [StreamName: Int]
  /// True if the call added nothing, because its command had been committed before; the rest is the first call's.
  ///
  /// An import counts what is new with it: `if !receipt.isRepeated { count += receipt.count }`. It is false in the
  /// receipt that ``EventLog/receipt(ofCommand:)`` finds, because that is the first call's own.
  public let isRepeated: Bool
  /// What the append survives from now on, as its store has reached it; nil if it says nothing of that.
  ///
  /// It may be less than the store was asked for: a server that runs without `fsync` reaches `process`. It is nil of a
  /// store in memory, of an append that added nothing, and in a receipt that is found again.
  public let durability: Durability?
  /// The call that the command's id was used for, or nil in the receipt of a call without an id, and of an older log.
  public let use: CommandUse?

  /// Creates a receipt, as a store does.
  ///
  /// - Parameters:
  ///   - position: The log's last position afterwards.
  ///   - count: The number of events added.
  ///   - transaction: The transaction's number, nil if there is none.
  ///   - versions: The versions of the streams afterwards.
  ///   - isRepeated: True for an answer to a command that had been committed before.
  ///   - durability: What the append survives; nil if it is not known.
  ///   - use: The call that the command's id was used for, or nil if it isn't known.
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

  /// The receipt as the result of a call that repeats it.
  package func repeated() -> Receipt {
    Receipt(
      position: position, count: count, transaction: transaction, versions: versions, isRepeated: true, use: use)
  }

  /// The receipt as a store keeps it after an erasure.
  ///
  /// - Returns: The same receipt, whose ``use`` has no digest.
  public func withoutDigest() -> Receipt { of(use.map { CommandUse(call: $0.call, digest: nil) }) }

  /// The receipt as it is kept, with the use of its command's id.
  func of(_ use: CommandUse?) -> Receipt {
    Receipt(position: position, count: count, transaction: transaction, versions: versions, use: use)
  }

  /// The receipt of an append that survives something, as a store says it once it has committed.
  ///
  /// - Parameter durability: What was reached.
  /// - Returns: The same receipt with it, if the append has added something just now.
  public func reaching(_ durability: Durability?) -> Receipt {
    if count == 0 || isRepeated { return self }
    return Receipt(
      position: position, count: count, transaction: transaction, versions: versions, durability: durability, use: use)
  }

  /// The positions of the events that it added; nil if it added none.
  package var events: ClosedRange<Position>? {
    count > 0 ? Position(position.rawValue - count + 1)...position : nil
  }
}

extension Receipt: Hashable {
  /// Compares what two receipts say of the log.
  public static func == (left: Receipt, right: Receipt) -> Bool {
    left.position == right.position && left.count == right.count && left.transaction == right.transaction
      && left.versions == right.versions
  }

  /// Hashes what the receipt says of the log.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(position)
    hasher.combine(count)
    hasher.combine(transaction)
    hasher.combine(versions)
  }
}
