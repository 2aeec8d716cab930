/// Makes of a partition's stored events what the follower's code gets.
struct PartitionSteps<Event: Annals.Event> {
  /// Events that the follower's code gets in one call.
  struct Step: Sendable {
    /// The decoded events: several of one position where an upcaster split it.
    fileprivate(set) var events: [Recorded<Event>]
    /// The same as they are stored.
    fileprivate(set) var stored: [StoredEvent]
    let first: StoredEvent
    let isReplay: Bool

    var last: Position { stored.last?.position ?? first.position }
  }

  enum Next {
    case handle(Step)
    /// An event that cannot be decoded.
    case damaged(StoredEvent, ProjectionError)
  }

  private let settings: FollowerSettings<Event>
  private let partition: Int
  private var coder: EventCoder<Event>
  private var known: [FollowerState] = []
  /// For each other version of the follower: the positions of its partitions, and where streams wait.
  private var others: [(positions: [Position], waiting: [StreamName: Position])] = []

  init(_ settings: FollowerSettings<Event>, partition: Int) throws {
    (self.settings, self.partition) = (settings, partition)
    coder = try EventCoder()
  }

  /// Takes over how far the other versions of the follower have come.
  mutating func know(_ states: [FollowerState]) {
    if states == known { return }
    known = states
    others = states.filter { $0.follower != settings.id }.map { state in
      (state.partitions.map(\.position), Dictionary(state.quarantine.map { ($0.stream, $0.after) }) { $1 })
    }
  }

  /// True if another version has handled an event.
  private func isReplay(_ event: StoredEvent) -> Bool {
    others.contains { other in
      if let after = other.waiting[event.stream], event.position > after { return false }
      return other.positions.isEmpty
        ? false : event.position <= other.positions[event.stream.partition(of: other.positions.count)]
    }
  }

  func has(_ event: StoredEvent) -> Bool { event.stream.partition(of: settings.partitions) == partition }

  /// Takes the next events for the code from some of the partition.
  ///
  /// - Parameters:
  ///   - events: The events; what is taken, or is none of the follower's, is removed.
  ///   - limit: How many events the code gets at most.
  ///   - isPassed: True for an event that the code does not get now.
  /// - Returns: What comes next; nil if there is nothing left.
  mutating func take(
    _ events: inout ArraySlice<StoredEvent>, limit: Int, passing isPassed: (StoredEvent) -> Bool
  ) -> Next? {
    var found: Step?
    while let event = events.first {
      if !isPassed(event) {
        let isReplay = isReplay(event)
        if let found, found.isReplay != isReplay { return .handle(found) }
        let reading: EventReading<Event>
        do {
          reading = try coder.read(type: event.type, schema: event.schema, payload: event.payload, settings.policy)
        } catch {
          // The code gets those before it first.
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
