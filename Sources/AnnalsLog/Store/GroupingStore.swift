/// A store that can commit several appends as a group, so that a replica or an import waits for the disk only once per
/// group.
///
/// This is a capability of an ``EventStore``, available through ``EventStore/grouping``.
public protocol GroupingStore: Sendable {
  /// Commits appends one after the other, with one disk sync for all of them.
  ///
  /// Every append is a separate transaction with its own transaction number. The store checks an append against the log
  /// including the group's previous appends. The first refused append ends the group: the appends before it are
  /// committed, and the store doesn't try the appends after it. The refused append doesn't change the log. If the
  /// process or the power fails during the call, the log contains zero or more of the group's first appends, all of
  /// them completely, and none of the later appends.
  ///
  /// - Parameter appends: The appends to commit, in this order.
  /// - Returns: The receipts of the committed appends, and the error of the refused append, if an append was refused.
  /// - Throws: ``EventStoreError`` if the disk or another process prevents the commit. In that case the log contains no
  ///   part of the group.
  func commitGroup(_ appends: [Append]) throws -> GroupReceipt
}

/// The result of committing a group of appends.
public struct GroupReceipt: Sendable {
  /// The receipts of the committed appends, in the order of the appends.
  public let receipts: [Receipt]
  /// The error of the first refused append, or `nil` if all appends were committed.
  public let refusal: (any Error)?

  /// Creates a group's receipt, for use in a custom store.
  ///
  /// - Parameters:
  ///   - receipts: The receipts of the committed appends.
  ///   - refusal: The error of the first refused append, or `nil` if all appends were committed.
  public init(receipts: [Receipt], refusal: (any Error)?) {
    self.receipts = receipts
    self.refusal = refusal
  }
}
