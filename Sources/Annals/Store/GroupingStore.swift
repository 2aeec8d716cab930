/// A store that commits several appends together, so that a replica or an import waits for the disk once per group.
///
/// A store with this capability returns it from ``EventStore/grouping``.
public protocol GroupingStore: Sendable {
  /// Commits appends one after the other, with one disk sync for all of them.
  ///
  /// Every append is a separate transaction with its own number, and is checked against the log including the previous
  /// appends. The first refused append ends the group: the appends before it are committed, and the appends after it
  /// aren't tried. The refused append doesn't change the log. If the process or the power fails during the call, the
  /// log contains the first appends of the group, each of them completely, and none of the others.
  ///
  /// - Parameter appends: The appends.
  /// - Returns: The receipts of the committed appends, and the reason why the next append was refused, if any was
  ///   refused.
  /// - Throws: ``EventStoreError`` if the disk or another process prevents the commit. In that case the log contains no
  ///   part of the group.
  func commitGroup(_ appends: [Append]) throws -> GroupReceipt
}

/// The result of appends that were committed as a group.
public struct GroupReceipt: Sendable {
  /// The receipts of the committed appends, in order.
  public let receipts: [Receipt]
  /// The reason why the next append was refused, or `nil` if all are committed.
  public let refusal: (any Error)?

  /// Creates a receipt, for use in a custom store.
  ///
  /// - Parameters:
  ///   - receipts: The receipts of the committed appends.
  ///   - refusal: The reason why the next append was refused, or `nil` if all are committed.
  public init(receipts: [Receipt], refusal: (any Error)?) { (self.receipts, self.refusal) = (receipts, refusal) }
}
