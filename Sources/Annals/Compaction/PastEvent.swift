/// An event that a compaction's rule is given, and may return: as it is, or replaced by another.
public struct PastEvent<Event: Annals.Event>: Sendable {
  /// What happened, where, when and by whom.
  public let recorded: Recorded<Event>
  /// Which of the events that an upcaster made of the stored one, from 0.
  let piece: Int
  /// True if it says something else than what is stored.
  let isReplaced: Bool

  init(_ recorded: Recorded<Event>, piece: Int, isReplaced: Bool = false) {
    (self.recorded, self.piece, self.isReplaced) = (recorded, piece, isReplaced)
  }

  /// What happened.
  public var event: Event { recorded.event }

  /// Another event in the place of this one: with its position, version, time and metadata.
  ///
  /// - Parameter event: What is to be said there.
  /// - Returns: The event, to be returned from the rule.
  public func replaced(by event: Event) -> PastEvent {
    PastEvent(recorded.replacing(event), piece: piece, isReplaced: true)
  }
}
