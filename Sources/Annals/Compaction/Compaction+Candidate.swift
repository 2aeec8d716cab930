extension Compaction {
  /// An event that a ``Compaction`` passes to a rule, which decides whether the event remains in the log.
  ///
  /// The rule (``Compaction/rewrite(_:_:)``) can return the event unchanged, return a replacement for the event, or
  /// omit the event.
  public struct Candidate<Event: Annals.Event>: Sendable {
    /// The event with its position, time and metadata.
    public let recorded: Recorded<Event>
    /// The index of the event among the events that an upcaster produced from the stored event, from 0.
    let piece: Int
    /// True if the rule has replaced the event.
    let isReplaced: Bool

    init(_ recorded: Recorded<Event>, piece: Int, isReplaced: Bool = false) {
      self.recorded = recorded
      self.piece = piece
      self.isReplaced = isReplaced
    }

    /// The event's value.
    public var event: Event { recorded.event }

    /// Returns a candidate with a new event, and with the position, version, time and metadata of this event.
    ///
    /// - Parameter event: The new event, which replaces this event in the log.
    /// - Returns: The candidate to return from the rule.
    public func replaced(by event: Event) -> Candidate {
      Candidate(recorded.replacing(event), piece: piece, isReplaced: true)
    }
  }
}
