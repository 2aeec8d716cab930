/// An event store that can erase what its events say of somebody: the values of ``Personal``.
///
/// The events themselves never change. A store of this kind keeps the values of personal fields apart from them, by subject,
/// and puts them back when an event is read; an erased one is read as a ``Personal`` without a value. `Docs/Erasure.md` says what is
/// erased, and what is not.
public protocol ErasingStore: EventStore {
  /// Deletes the values of a subject from all events, and all that was saved of lists and states made of them.
  ///
  /// When it returns, nothing that is read gives the values any more, and none of their bytes is in the store's files, unless the
  /// receipt names remnants. Events that are appended later may say something of the subject anew. A subject of which nothing is
  /// there is no error. Call ``erase(subject:isolation:)`` instead, which also tells the store's watchers.
  ///
  /// - Parameter subject: Whom to forget.
  /// - Returns: What was done.
  /// - Throws: ``EventStoreError``. If it throws after the values were deleted, bytes of them may be left in the files; the next
  ///   erasure, of whatever subject, completes it.
  func commitErasure(of subject: String) throws -> ErasureReceipt
}

/// What an erasure did.
public struct ErasureReceipt: Hashable, Sendable {
  /// The number of values that were deleted; 0 if the store had none of the subject.
  public let fields: Int
  /// Why bytes of the values may still be in the store's files, and what to do; nil if there are none.
  public let remnants: String?

  /// True if none of the bytes is left in the store's files.
  public var isComplete: Bool { remnants == nil }

  /// Creates a receipt, as a store does.
  ///
  /// - Parameters:
  ///   - fields: The number of values that were deleted.
  ///   - remnants: Why bytes may be left, and what to do; nil if there are none.
  public init(fields: Int, remnants: String? = nil) { (self.fields, self.remnants) = (fields, remnants) }
}

extension ErasingStore {
  /// Erases what the events say of a subject, and tells those who watch the store.
  ///
  /// Controllers in the caller's isolation show lists without the values before this returns; others, also of other processes, do so by
  /// a job in theirs. What a program took out of a list or an event before, it has.
  ///
  /// - Parameters:
  ///   - subject: Whom to forget.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: What was done.
  /// - Throws: ``EventStoreError``; see ``commitErasure(of:)``.
  /// - Complexity: O(n) for a store of n bytes, which a store in a file writes anew.
  @discardableResult
  public func erase(subject: String, isolation: isolated (any Actor)? = #isolation) throws -> ErasureReceipt {
    let receipt = try commitErasure(of: subject)
    signal.announce(from: isolation)
    return receipt
  }
}
