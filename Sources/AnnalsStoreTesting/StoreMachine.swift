import Annals
import AnnalsTesting

extension StoreContract {
  static let model: [Rule] = [
    Rule("for any appends and queries, a store returns the same results as an array of events") { trial in
      try AnnalsTesting.check(StoreMachine { .init(try trial.store()) }, settings: CheckSettings(examples: 60))
    }
  ]
}

/// A state machine that compares a store with a list of events.
struct StoreMachine: Machine {
  /// A reference model of a log: the appended events as a list.
  struct Model {
    struct Recorded: Equatable {
      let stream: StreamName
      let version: Int
      let transaction: Int
      let event: NewEvent
    }

    var events: [Recorded] = []
    /// The log's head after a command, by the command's ID.
    var receipts: [String: Position] = [:]
    /// The first append of every command ID.
    var firsts: [String: Append] = [:]

    func version(of stream: StreamName) -> Int { events.count { $0.stream == stream } }

    /// The positions of the events that match a query.
    func positions(_ query: EventQuery, after: Position) -> [Position] {
      events.indices.filter { index in
        let recorded = events[index]
        return index >= after.rawValue && Self.matches(query, recorded.stream, recorded.event)
      }.map { Position($0 + 1) }
    }

    private static func matches(_ query: EventQuery, _ stream: StreamName, _ event: NewEvent) -> Bool {
      query.alternatives?.contains { alternative in
        (alternative.streams.isEmpty || alternative.streams.contains(stream))
          && (alternative.categories.isEmpty
            || alternative.categories.contains { stream.text.utf8.starts(with: "\($0)-".utf8) })
          && (alternative.types.isEmpty || alternative.types.contains(event.type))
          && alternative.tags.isSubset(of: event.tags)
      } ?? true
    }

    /// Appends the entries and returns the head, or `nil` if the append must be refused.
    mutating func append(_ append: Append) -> Position? {
      // A command is committed once, and a different append with its ID is refused.
      if let id = append.commandID, let first = firsts[id] {
        return Self.facts(of: first) == Self.facts(of: append) ? receipts[id] : nil
      }
      let isExpected = append.expectations.allSatisfy { $1.isMet(by: version(of: $0)) }
      let isFree = append.conditions.allSatisfy { positions($0.noneMatching, after: $0.after).isEmpty }
      let ids = append.entries.compactMap(\.event.id)
      let isNew = Set(ids).count == ids.count && !ids.contains { id in events.contains { $0.event.id == id } }
      guard isExpected, isFree, isNew else { return nil }
      let transaction = (events.last?.transaction ?? 0) + 1
      for entry in append.entries {
        let version = version(of: entry.stream) + 1
        events.append(
          Recorded(stream: entry.stream, version: version, transaction: transaction, event: entry.event))
      }
      if let commandID = append.commandID {
        (receipts[commandID], firsts[commandID]) = (Position(events.count), append)
      }
      return Position(events.count)
    }

    /// The parts of an append that must be equal in a repeated append.
    private static func facts(of append: Append) -> [String] {
      append.entries.map { entry in
        "\(entry.stream.text.unicodeScalars.map(\.value)) \(entry.event.type) \(entry.event.schema) "
          + "\(entry.event.payload ?? "-") \(entry.event.tags.map(\.text).sorted())"
      }
    }
  }

  /// The store under test.
  final class System {
    private let own: (any EventStore)?
    private let log: ReopenedLog?

    /// Creates a system with a store that is opened once.
    init(_ store: any EventStore) { (own, log) = (store, nil) }

    /// Creates a system with a log that can be reopened.
    init(_ log: ReopenedLog) {
      own = nil
      self.log = log
    }

    var store: any EventStore {
      guard let store = own ?? log?.store else {
        preconditionFailure("a `System` must be created with a store, or with a log that can be reopened")
      }
      return store
    }

    /// The store, or `nil` if the log couldn't be reopened.
    var storeIfOpen: (any EventStore)? { own ?? log?.openStore }

    /// Reopens the log, and verifies that its contents are unchanged.
    func reopen() throws { try log?.ensureKeepsAll() }

    /// Appends the entries and returns the head, or `nil` if the store refused with a permitted error.
    func append(_ append: Append) throws -> Position? {
      do {
        return try store.append(append).position
      } catch let error as EventStoreError {
        switch error.code {
        case .versionConflict, .conditionConflict, .duplicateEvent, .commandReused, .invalidAppend: return nil
        default: throw error
        }
      }
    }

    func positions(_ query: EventQuery, after: Position, limit: Int) throws -> [Position] {
      try store.events(query, after: after, through: nil, limit: limit).map(\.position)
    }
  }

  /// Whether the store is reopened during a run.
  var reopens = false
  /// Whether appends have command IDs.
  var namesCommands = true
  let makeSystem: () throws -> System

  init(reopens: Bool = false, namesCommands: Bool = true, _ makeSystem: @escaping () throws -> System) {
    self.reopens = reopens
    self.namesCommands = namesCommands
    self.makeSystem = makeSystem
  }

  var setup: String { "let system = …  // an empty store" }

  func start() throws -> (model: Model, system: System) { (Model(), try makeSystem()) }

  var commands: [Command<Model, System>] {
    Command("append(_:)", weight: 4) { model in
      StoreMachine.append(model, namesCommands: namesCommands)
    } model: { (model: inout Model, append: Append) in
      model.append(append)
    } run: { system, append in
      try system.append(append)
    }
    Command("positions(_:after:limit:)", weight: 2) { (model: Model) in
      zip(StoreMachine.query, StoreMachine.place(model), .int(in: 1...6))
    } model: { (model: inout Model, arguments: (EventQuery, Position, Int)) in
      Array(model.positions(arguments.0, after: arguments.1).prefix(arguments.2))
    } run: { (system: System, arguments: (EventQuery, Position, Int)) in
      try system.positions(arguments.0, after: arguments.1, limit: arguments.2)
    }
    reopens
      ? [
        Command("reopen()") { (_: inout Model) in
        } run: { (system: System) in
          try system.reopen()
        }
      ] : []
  }

  func invariant(_ model: Model, _ system: System) throws {
    let store = system.store
    let found = try store.everything().map { stored in
      Model.Recorded(
        stream: stored.stream, version: stored.version, transaction: stored.transaction,
        event: NewEvent(type: stored.type, payload: stored.payload, tags: stored.tags, id: stored.id))
    }
    // The store generates an identity for an event without one.
    let expected = Swift.zip(model.events, found).map { mine, theirs in
      var event = mine.event
      event.id = event.id ?? theirs.event.id
      return Model.Recorded(stream: mine.stream, version: mine.version, transaction: mine.transaction, event: event)
    }
    try ensureEqual(found.count, model.events.count)
    try ensureEqual(found, expected)
    try ensureEqual(try store.head(), Position(model.events.count))
    for stream in StoreMachine.streams { try ensureEqual(try store.version(of: stream), model.version(of: stream)) }
    for (index, recorded) in model.events.enumerated() {
      guard let id = recorded.event.id else { continue }
      try ensureEqual(try store.position(of: id), Position(index + 1))
    }
    guard namesCommands else { return }
    for command in StoreMachine.commandIDs {
      try ensureEqual(try store.receipt(ofCommand: command)?.position, model.receipts[command])
    }
  }

  func store(of system: System) -> (any EventStore)? { system.storeIfOpen }
}

extension StoreMachine {
  private static let streams: [StreamName] = ["a", "b", "a-b", "e\u{301}-1", "\u{E9}-1"]
  private static let categories = ["a", "a-b", "e\u{301}", "\u{E9}"]
  private static let commandIDs = LogPicture.commands.prefix(2)
  private static let types = ["T", "U", "t"]
  private static let tags: [EventTag] = ["x", "y"]

  private static let event = zip(
    .element(of: types), .set(of: .element(of: tags), count: 0...2), Generator<Int>.int(in: 0...9).optional(0.3)
  ).map { type, tags, number in
    NewEvent(type: type, payload: "{}", tags: tags, id: number.map { EventID(source: "given", id: "\($0)") })
  }

  private static let query = Generator<EventQuery> { draw in
    guard try draw(.bool(0.8)) else { return .all }
    let alternative = zip(
      .set(of: .element(of: streams), count: 0...2),
      Generator<String>.element(of: categories).optional(0.7).map { Set($0.map { [$0] } ?? []) },
      .set(of: .element(of: types), count: 0...2),
      .set(of: .element(of: tags), count: 0...2)
    ).map { EventQuery.Alternative(streams: $0, categories: $1, types: $2, tags: $3) }
    return EventQuery(try draw(.array(of: alternative, count: 0...2)))
  }

  private static func place(_ model: Model) -> Generator<Position> {
    Generator<Int>.int(in: 0...model.events.count).map { Position($0) }
  }

  /// Returns a generator of appends that are mostly valid, but whose expectations are sometimes wrong.
  private static func append(_ model: Model, namesCommands: Bool) -> Generator<Append> {
    let entries = Generator.array(
      of: zip(.element(of: streams), event).map { Append.Entry(stream: $0, event: $1) }, count: 0...3)
    return Generator { draw in
      var append = Append(try draw(entries))
      for stream in try draw(.set(of: .element(of: streams), count: 0...2)).sorted() {
        let version = model.version(of: stream)
        let right: ExpectedVersion = version == 0 ? .doesNotExist : .exists
        append.expectations[stream] = try draw(
          .frequency(
            (2, .constant(.any)), (4, .constant(.exact(version))), (2, .constant(right)),
            (1, Generator.int(in: 0...version + 1).map { .exact($0) }), (1, .constant(.exists)),
            (1, .constant(.doesNotExist))))
      }
      if try draw(.bool(0.3)) {
        append.conditions = [.init(noneMatching: try draw(query), after: try draw(place(model)))]
      }
      if namesCommands, try draw(.bool(0.2)) {
        let id = try draw(.element(of: Array(commandIDs)))
        append.commandID = id
        if let first = model.firsts[id], try draw(.bool(0.6)) { append.entries = first.entries }
      }
      return append
    }
  }
}
