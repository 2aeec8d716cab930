package import Annals
import AnnalsLog

/// A decider whose commands the tool can execute.
package protocol DeciderSource: Sendable {
  /// What the decider is called.
  var name: String { get }
  /// True if a command goes to one of several streams, which its id names.
  var hasStreams: Bool { get }
  /// Commands as an app writes them, as JSON.
  var examples: [String] { get }

  /// Executes a command.
  ///
  /// - Parameters:
  ///   - json: The command.
  ///   - id: Which of the decider's streams; not asked of a decider without streams.
  ///   - store: The log.
  ///   - commandID: What tells the command from every other; nil for none.
  ///   - metadata: What the events say of themselves.
  /// - Returns: Where the events went.
  /// - Throws: ``ReplayError`` if the command cannot be read, or is refused; `EventStoreError`.
  func execute(
    _ json: String, id: String, in store: any EventStore, commandID: String?, metadata: Metadata
  ) throws -> Receipt

  /// Decides a command, and appends nothing.
  ///
  /// - Parameters:
  ///   - json: The command.
  ///   - id: Which of the decider's streams.
  ///   - store: The log.
  /// - Returns: The events, and the stream that they would go to.
  /// - Throws: As ``execute(_:id:in:commandID:metadata:)``.
  func decide(_ json: String, id: String, in store: any EventStore) throws -> (stream: StreamName, events: [NewEvent])

  /// The kept states of the decider that its events don't make.
  ///
  /// - Parameters:
  ///   - kept: The streams or boundaries of the log's kept states, and the names of their deciders.
  ///   - store: The log.
  /// - Returns: The states that are stale.
  /// - Throws: `EventStoreError`.
  func staleStates(among kept: [(name: StreamName, decider: String)], in store: any EventStore) throws -> [StaleState]

  /// The first event whose command would be refused in a log that was altered.
  ///
  /// - Parameters:
  ///   - store: The log as it is supposed to be.
  ///   - streams: The streams that were altered, and where first.
  ///   - end: The last position that is looked at.
  /// - Returns: The event and the reason; nil if there is none. It is outside of `known` if the commands of the past
  ///   are not known, or none of the streams is the decider's.
  /// - Throws: `EventStoreError`, `EventCodingError`.
  func refusal(
    in store: any EventStore, altered streams: [StreamName: Position], through end: Position
  ) throws -> (isKnown: Bool, first: (event: StoredEvent, reason: String)?)
}

extension DeciderSource {
  package func refusal(
    in store: any EventStore, altered streams: [StreamName: Position], through end: Position
  ) throws -> (isKnown: Bool, first: (event: StoredEvent, reason: String)?) { (false, nil) }
}

/// A decider of streams.
struct StreamDeciderSource<D: Decider>: DeciderSource where D.Command: Codable {
  /// The command that an event comes from, if the app says it.
  let command: (@Sendable (D.Event) -> D.Command?)?
  let examples: [String]

  var name: String { "\(D.self)" }
  var hasStreams: Bool { true }

  func staleStates(
    among kept: [(name: StreamName, decider: String)], in store: any EventStore
  ) throws -> [StaleState] {
    try D.staleStates(among: kept, in: store)
  }

  func execute(
    _ json: String, id: String, in store: any EventStore, commandID: String?, metadata: Metadata
  ) throws -> Receipt {
    let command = try CommandJSON.read(D.Command.self, json, of: self)
    return try CommandJSON.deciding(name) {
      try store.execute(command, on: D[id], commandID: commandID, metadata: metadata)
    }
  }

  func decide(_ json: String, id: String, in store: any EventStore) throws -> (stream: StreamName, events: [NewEvent]) {
    let command = try CommandJSON.read(D.Command.self, json, of: self)
    return (
      D.stream(id),
      try CommandJSON.deciding(name) {
        try CommandJSON.dryRun(store) { try $0.execute(command, on: D[id]) }
      }
    )
  }

  func refusal(
    in store: any EventStore, altered streams: [StreamName: Position], through end: Position
  ) throws -> (isKnown: Bool, first: (event: StoredEvent, reason: String)?) {
    guard let command else { return (false, nil) }
    let own = streams.filter { $0.key.belongs(to: D.category) }
    var found: (event: StoredEvent, reason: String)?
    for (stream, first) in own {
      var (state, coder, isOver) = (D(), try EventCoder<D.Event>(), false)
      try store.forEachEvent(.stream(stream), through: end) { stored in
        if isOver { return }
        guard let reading = try? coder.read(stored) else {
          // What comes after an event that cannot be read is not known.
          isOver = true
          return
        }
        for event in reading.events {
          if stored.position > first, let command = command(event) {
            do {
              _ = try state.decide(command)
            } catch {
              if found.map({ stored.position < $0.event.position }) ?? true {
                found = (stored, described(error))
              }
              isOver = true
              return
            }
          }
          state.evolve(event)
        }
      }
    }
    return (!own.isEmpty, found)
  }
}

/// A decider of boundaries.
struct BoundaryDeciderSource<D: BoundaryDecider>: DeciderSource where D.Command: Codable {
  let examples: [String]
  var name: String { "\(D.self)" }
  var hasStreams: Bool { false }

  func staleStates(
    among kept: [(name: StreamName, decider: String)], in store: any EventStore
  ) throws -> [StaleState] {
    try D.staleStates(among: kept, in: store)
  }

  func execute(
    _ json: String, id: String, in store: any EventStore, commandID: String?, metadata: Metadata
  ) throws -> Receipt {
    let command = try CommandJSON.read(D.Command.self, json, of: self)
    return try CommandJSON.deciding(name) {
      try store.execute(command, on: .boundary(D.self), commandID: commandID, metadata: metadata)
    }
  }

  func decide(_ json: String, id: String, in store: any EventStore) throws -> (stream: StreamName, events: [NewEvent]) {
    let command = try CommandJSON.read(D.Command.self, json, of: self)
    return (
      D.stream(for: command),
      try CommandJSON.deciding(name) {
        try CommandJSON.dryRun(store) { try $0.execute(command, on: .boundary(D.self)) }
      }
    )
  }
}
