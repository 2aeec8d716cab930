import AnnalsLog

/// The reversal of a command, which consists of commands of its decider.
struct UndoReversal: Sendable {
  /// The log revision at which the state was read.
  ///
  /// After an erasure, a new reversal is required.
  let revision: LogRevision
  /// A description of the reversing commands, for errors.
  let commands: @Sendable () -> String
  private let run: @Sendable (Metadata, inout CommandTransaction) throws -> Void

  /// Creates a reversal from the commands that a decider returns, or returns nil if the events can't be reversed.
  ///
  /// - Parameters:
  ///   - state: The state in which the command was decided.
  ///   - events: The events of the command.
  ///   - stream: The stream of the events.
  ///   - isInBoundary: True if the command was decided on a boundary.
  ///   - revision: The log revision at which the state was read.
  init?<D: UndoableDecider>(
    before state: D, _ events: [D.Event], in stream: StreamName, isInBoundary: Bool, _ revision: LogRevision
  ) {
    guard let commands = state.undoing(events) else { return nil }
    self.revision = revision
    let boundary = isInBoundary ? (D.self as? any BoundaryDecider.Type)?.subject(of: D.self) : nil
    let subject = boundary ?? CommandSubject(stream: stream)
    self.commands = { Self.text(commands) }
    run = { metadata, transaction in
      for command in commands { try transaction.execute(command, on: subject, metadata: metadata) }
    }
  }

  /// Returns a description of events or commands, for errors.
  private static func text(_ values: [Any]) -> String {
    "[\(values.map { described($0) }.joined(separator: ", ").shortened(to: 1_000))]"
  }

  /// Decides the commands as part of a transaction.
  func decide(_ metadata: Metadata, in transaction: inout CommandTransaction) throws { try run(metadata, &transaction) }
}

extension UndoReversal {
  /// Determines the reversals of past commands, in the states in which they were decided.
  ///
  /// - Parameters:
  ///   - parts: Commands of the same decider on the same stream or boundary.
  ///   - decider: The decider type of the commands.
  ///   - log: A consistent view of the log.
  ///   - step: The step to reverse, for errors.
  /// - Returns: The reversals, by the commands' first events, and the events of commands that can't be reversed, as
  ///   strings.
  /// - Throws: ``UndoError`` (`.unreadable`), or ``EventStoreError``.
  /// - Complexity: O(n) for the n events of the stream or inside the boundary, up to the last of the commands.
  static func all<D: UndoableDecider>(
    of parts: [UndoPart], by decider: D.Type, in log: some EventLog, for step: UndoHistory.Step
  ) throws -> (found: [EventID: UndoReversal], irreversible: [EventID: String]) {
    let sorted = parts.sorted { $0.positions[0] < $1.positions[0] }
    guard let subject = sorted.first?.subject, let end = sorted.last?.positions.last else { return ([:], [:]) }
    let boundary = try subject.boundary.map { text in
      guard let query = EventQuery(canonicalText: text) else {
        throw UndoError(
          .unreadable,
          "\(step) cannot be reversed, because its boundary can't be read: expected a query in the metadata of the "
            + "step's events, found \(text). Retry with the program version that executed the step", step)
      }
      return query
    }
    do {
      var fold = try DeciderFold<D>()
      let query = boundary.map(fold.coder.widened) ?? .stream(subject.stream)
      let revision = try log.revision()
      var found: [EventID: UndoReversal] = [:]
      var irreversible: [EventID: String] = [:]
      var rest = sorted[...]
      func askNext(_ part: UndoPart, _ state: D) throws {
        let events = try events(of: part, by: decider, in: log, boundary ?? .all)
        if events.isEmpty { return }
        found[part.id] = UndoReversal(
          before: state, events, in: subject.stream, isInBoundary: boundary != nil, revision)
        if found[part.id] == nil { irreversible[part.id] = Self.text(events) }
      }
      try log.forEachEvent(query, after: 0, through: end) { event in
        while let part = rest.first, part.positions[0] <= event.position {
          rest.removeFirst()
          try askNext(part, fold.state)
        }
        try fold.fold(event, in: boundary ?? .all)
      }
      // The events of a boundary's command may be outside the boundary.
      for part in rest { try askNext(part, fold.state) }
      return (found, irreversible)
    } catch let error as EventCodingError {
      throw UndoError(
        .unreadable,
        "\(step) cannot be reversed, because an event that is required for the reversal cannot be read: \(error). "
          + "Correct the event type or its upcasters, and retry", step,
        underlying: error)
    }
  }

  private static func events<D: UndoableDecider>(
    of part: UndoPart, by decider: D.Type, in log: some EventLog, _ boundary: EventQuery
  ) throws -> [D.Event] {
    var coder = try EventCoder<D.Event>()
    var events: [D.Event] = []
    for position in part.positions {
      if let event = try log.event(at: position) { events += try coder.read(event, to: boundary).events }
    }
    return events
  }
}
