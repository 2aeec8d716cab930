package import Annals
import AnnalsLog

/// A decider whose commands the tool can execute.
package protocol DeciderSource: CommandSource {
  /// Compares the decider's stored states with its events.
  ///
  /// - Parameters:
  ///   - kept: The streams or boundaries of the log's stored states, and the names of their deciders.
  ///   - store: The log.
  /// - Returns: The states that are stale.
  /// - Throws: `EventStoreError`.
  func staleStates(among kept: [(name: StreamName, decider: String)], in store: any EventStore) throws -> [StaleState]

  /// Returns the first event whose command would be refused in an altered log.
  ///
  /// - Parameters:
  ///   - store: The altered log.
  ///   - streams: The altered streams, and the first altered position of each.
  ///   - end: The last position to check.
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
  var words: [String] { ["ID", "JSON"] }

  func staleStates(
    among kept: [(name: StreamName, decider: String)], in store: any EventStore
  ) throws -> [StaleState] {
    try D.staleStates(among: kept, in: store)
  }

  func call(_ words: [String], collection: String?, note: @escaping (String) -> Void) throws -> CommandCall {
    let id = words[0]
    if id.isEmpty { throw ReplayError.usage("ID: expected a stream's id, found \"\"") }
    let command = try CommandJSON.read(D.Command.self, words[1], of: self)
    return CommandCall(
      execute: { store, commandID, metadata in
        try CommandJSON.deciding(name) {
          try store.execute(command, on: D[id], commandID: commandID, metadata: metadata)
        }
      },
      decide: { store in
        let events = try CommandJSON.deciding(name) {
          try CommandJSON.dryRun(store) { try $0.execute(command, on: D[id]) }
        }
        return (D.stream(id), events)
      })
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
  var words: [String] { ["JSON"] }

  func staleStates(
    among kept: [(name: StreamName, decider: String)], in store: any EventStore
  ) throws -> [StaleState] {
    try D.staleStates(among: kept, in: store)
  }

  func call(_ words: [String], collection: String?, note: @escaping (String) -> Void) throws -> CommandCall {
    let command = try CommandJSON.read(D.Command.self, words[0], of: self)
    return CommandCall(
      execute: { store, commandID, metadata in
        try CommandJSON.deciding(name) {
          try store.execute(command, on: .boundary(D.self), commandID: commandID, metadata: metadata)
        }
      },
      decide: { store in
        let events = try CommandJSON.deciding(name) {
          try CommandJSON.dryRun(store) { try $0.execute(command, on: .boundary(D.self)) }
        }
        return (D.stream(for: command), events)
      })
  }
}
