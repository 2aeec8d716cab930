/// Commits several appends at once, so that a replica or an import waits for the disk once and not for each of them.
///
/// A store that can has it as ``EventStore/grouping``.
public protocol GroupingStore: Sendable {
  /// Commits appends one after the other, with one sync of the disk for all of them.
  ///
  /// Each append is a transaction of its own, with its own number, and is checked against what those before it did. The
  /// first one that is refused ends the group. Those before it are committed, it leaves nothing, and those after it are
  /// not tried. If the process or the power ends meanwhile, the log has some first ones of them, each as a whole.
  ///
  /// - Parameter appends: The appends.
  /// - Returns: The receipts of those that are committed, and why the next one was refused.
  /// - Throws: ``EventStoreError`` if the disk or another process is the reason; then nothing of the group is in the
  ///   log.
  func commitGroup(_ appends: [Append]) throws -> GroupReceipt
}

/// What became of appends that were to be committed together.
public struct GroupReceipt: Sendable {
  /// The receipts of the appends that are in the log, in their order.
  public let receipts: [Receipt]
  /// Why the append after them was refused; nil if all are in the log.
  public let refusal: (any Error)?

  /// Creates a receipt, as a store does.
  ///
  /// - Parameters:
  ///   - receipts: The receipts of the appends that are in the log.
  ///   - refusal: Why the append after them was refused.
  public init(receipts: [Receipt], refusal: (any Error)?) { (self.receipts, self.refusal) = (receipts, refusal) }
}
