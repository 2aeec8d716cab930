import Annals
import AnnalsLog

/// A decoder that turns a partition's stored events into steps for the follower's code.
struct PartitionSteps<Event: Annals.Event> {
  /// The events for one call of the follower's code.
  struct Step: Sendable {
    /// The decoded events.
    ///
    /// If an upcaster splits a stored event, its parts have the same position.
    fileprivate(set) var events: [Recorded<Event>]
    /// The stored forms of the same events.
    fileprivate(set) var stored: [StoredEvent]
    let first: StoredEvent
    let isReplay: Bool

    var last: Position { stored.last?.position ?? first.position }
  }

  enum Next {
    case handle(Step)
    /// An event that can't be decoded.
    case damaged(StoredEvent, ProjectionError)
  }

  private let settings: FollowerSettings<Event>
  private let partition: Int
  private var coder: EventCoder<Event>
  /// The query of the settings, with the older names of types.
  private let query: EventQuery
  private var known: [FollowerState] = []
  /// For every other version of the follower, the positions of its partitions and of its waiting streams.
  private var others: [(positions: [Position], waiting: [StreamName: Position])] = []

  init(_ settings: FollowerSettings<Event>, partition: Int) throws {
    self.settings = settings
    self.partition = partition
    coder = try EventCoder()
    query = coder.widened(settings.query)
  }

  /// Applies the progress of the follower's other versions.
  mutating func know(_ states: [FollowerState]) {
    if states == known { return }
    known = states
    others = states.filter { $0.follower != settings.id }.map { state in
      (state.partitions.map(\.position), Dictionary(state.quarantine.map { ($0.stream, $0.after) }) { $1 })
    }
  }

  /// True if another version of the follower has already handled an event.
  private func isReplay(_ event: StoredEvent) -> Bool {
    others.contains { other in
      if let after = other.waiting[event.stream], event.position > after { return false }
      return other.positions.isEmpty
        ? false : event.position <= other.positions[event.stream.partition(of: other.positions.count)]
    }
  }

  func has(_ event: StoredEvent) -> Bool { event.stream.partition(of: settings.partitions) == partition }

  /// Removes the next events for the follower's code from an array of the partition's events, and returns them.
  ///
  /// - Parameters:
  ///   - events: The events. The returned events, passed events and events of other types are removed.
  ///   - limit: The maximum number of events for one call of the code.
  ///   - isPassed: A closure that returns true for an event to pass over, because the code doesn't receive it now.
  /// - Returns: The next step, or `nil` if no events remain.
  mutating func take(
    _ events: inout ArraySlice<StoredEvent>, limit: Int, passing isPassed: (StoredEvent) -> Bool
  ) -> Next? {
    var found: Step?
    while let event = events.first {
      if !isPassed(event), query.matches(event) {
        let isReplay = isReplay(event)
        if let found, found.isReplay != isReplay { return .handle(found) }
        let reading: EventReading<Event>
        do {
          reading = try coder.read(event, settings.policy, to: settings.query)
        } catch {
          // The code receives the earlier events first.
          if let found { return .handle(found) }
          events.removeFirst()
          return .damaged(
            event, ProjectionError(reading: event, in: "The follower \"\(settings.id.name)\"", because: error))
        }
        let decoded = reading.events.map { Recorded($0, event) }
        if !decoded.isEmpty {
          var step = found ?? Step(events: [], stored: [], first: event, isReplay: isReplay)
          step.events += decoded
          step.stored.append(event)
          found = step
        }
      }
      events.removeFirst()
      if let found, found.stored.count >= limit { return .handle(found) }
    }
    return found.map { .handle($0) }
  }
}
