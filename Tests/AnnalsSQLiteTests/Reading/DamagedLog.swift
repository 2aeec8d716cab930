import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization

/// A small log with everything that a log can contain, and all questions that you can ask it.
struct DamagedLog {
  /// The answers of the undamaged log, by the question's name.
  typealias Answers = [String: String]

  let folder: TemporaryFolder
  let whole: Data
  let answers: Answers

  /// Makes a log.
  ///
  /// - Parameter more: Further changes to the log.
  /// - Throws: Why it cannot be made.
  init(_ more: (SQLiteEventStore) throws -> Void = { _ in }) throws {
    folder = try TemporaryFolder()
    let path = folder.path("whole")
    try Self.make(path, more)
    whole = try Data(contentsOf: URL(fileURLWithPath: path))
    var answers: Answers = [:]
    for (name, ask) in Self.allQuestions { answers[name] = try ask(path) }
    self.answers = answers
  }

  /// Erases all personal values in the log.
  ///
  /// Then the rows of a saved list are read one by one.
  static func eraseAll(_ store: SQLiteEventStore) throws {
    for number in 0..<3 { try store.erase(subject: "maker \(number)") }
  }

  private static func make(_ path: String, _ more: (SQLiteEventStore) throws -> Void) throws {
    let store = try SQLiteEventStore(path: path)
    let coder = try EventCoder<ToolEvent>()
    for number in 0..<40 {
      var event = try coder.encode(
        number % 7 == 6
          ? .broke(id: number - 6)
          : .bought(
            Tool(id: number, name: Personal("tool \(number)", of: "maker \(number % 3)"), shelf: "\(number % 4)")))
      event.tags = ["shelf:\(number % 4)", "all"]
      event.metadata = ["actor": "Ann"]
      try store.append(
        Append([.init(stream: StreamName("Tools-\(number % 5)"), event: event)], commandID: "command \(number)"))
    }
    try store.erase(subject: "maker 1")
    try more(store)
    let list = Self.list(store, cacheName: "Tools")
    try list.performFetch()
    try list.saveCache()
    let follower = try EventFollower("mailer", of: ToolEvent.self, in: store, startingAt: .beginning) { _, _ in }
    _ = try follower.catchUp()
    _ = try store.state(of: Drawer["0"])
    store.close()
  }

  private static func list(_ store: SQLiteEventStore, cacheName: String?) -> FetchedResultsController<Tool> {
    FetchedResultsController(
      store: store, projection: Tools(),
      request: ListRequest(sort: [.ascending(\.id)], section: .by(\.shelf)), cacheName: cacheName)
  }

  /// A question with its name; it opens the log itself.
  typealias Question = (name: String, ask: @Sendable (String) throws -> String)

  /// All questions, each with its own store.
  static let allQuestions: [Question] = readingQuestions + writingQuestions

  private static let readingQuestions: [Question] = reading.map { question in
    (question.name, { path in try question.ask(SQLiteEventStore(readingFrom: path)) })
  }

  private static let writingQuestions: [Question] = [
    ("a list", { path in try shown(list(SQLiteEventStore(path: path), cacheName: nil)) }),
    ("a saved list", { path in try shown(list(SQLiteEventStore(path: path), cacheName: "Tools")) }),
    (
      "a follower",
      { path in
        let store = try SQLiteEventStore(path: path)
        let heard = Mutex<[String]>([])
        let follower = try EventFollower("reader", of: ToolEvent.self, in: store, startingAt: .beginning) { event, _ in
          heard.withLock { $0.append("\(event.position) \(event.event)") }
        }
        _ = try follower.catchUp()
        return heard.withLock { $0.joined(separator: "\n") }
      }
    ),
    (
      "a command",
      { path in
        let store = try SQLiteEventStore(path: path)
        try store.execute(.take, on: Drawer["0"])
        return try "\(store.head()) \(store.events(.all, after: 0, through: nil, limit: 99).map { $0.payload ?? "" })"
      }
    ),
  ]

  private static let reading: [(name: String, ask: @Sendable (SQLiteEventStore) throws -> String)] = [
    ("events", { try text($0.events(.all, after: 0, through: nil, limit: 1_000)) }),
    ("the first events", { try text($0.events(.all, after: 0, through: nil, limit: 7)) }),
    ("events up to one", { try text($0.events(.all, after: 3, through: 20, limit: 1_000)) }),
    ("events backwards", { try text($0.eventsBackwards(.all, after: 0, through: nil, limit: 1_000)) }),
    ("the last events", { try text($0.eventsBackwards(.all, after: 0, through: nil, limit: 3)) }),
    (
      "a batch",
      { store in
        let batch = try store.batch(after: 0, through: 40, limit: 512)
        return text(batch.events)
      }
    ),
    (
      "streams",
      { store in
        try (0..<5).map {
          try text(store.events(.stream(StreamName("Tools-\($0)")), after: 0, through: nil, limit: 99))
        }
        .joined()
      }
    ),
    ("tags", { try text($0.events(.tagged("all"), after: 0, through: nil, limit: 99)) }),
    ("types", { try text($0.events(.types("ToolBroke"), after: 0, through: nil, limit: 99)) }),
    ("versions", { store in try (0..<6).map { try "\(store.version(of: StreamName("Tools-\($0)")))" }.joined() }),
    (
      "commands",
      { store in
        try (0..<41).map { try "\(store.receipt(ofCommand: "command \($0)").map { "\($0)" } ?? "none")" }.joined()
      }
    ),
    (
      "checkpoints",
      { store in
        try "\(store.checkpoints?.checkpoint(named: "follower/mailer/version/1").map { "\($0)" } ?? "none")"
      }
    ),
    ("a state", { try "\($0.state(of: Drawer["0"]))" }),
    ("erasures", { try "\($0.revision().erasures) \($0.revision().number) \($0.revision().compacted) \($0.head())" }),
  ]

  /// Events as a text that is always the same.
  private static func text(_ events: [StoredEvent]) -> String {
    events.map { event in
      "\(event.position) \(event.transaction) \(event.stream) \(event.version) \(event.id) \(event.type) \(event.time) "
        + "\(event.tags.sorted()) \(event.payload ?? "") \(event.metadata.json)"
    }.joined(separator: "\n")
  }

  private static func shown(_ list: FetchedResultsController<Tool>) throws -> String {
    try list.performFetch()
    if let failure = list.failure { throw failure }
    func answer() -> String {
      // Both by subscripts and as a sequence.
      let rows = list.results.sections.map { section in "\(section.title): \(section.indices.map { section[$0] })" }
      return "\(list.position) \(rows) \(list.fetchedObjects.map(\.id))"
    }
    let first = answer()
    // For a row that can be read neither from its page nor from the log, another one is given. The list is lost then,
    // which its controller says at its next call.
    if list.cacheReport.problem == nil { return first }
    list.refresh()
    if let failure = list.failure { throw failure }
    return answer()
  }

  /// Writes a damaged log, with nothing beside it.
  func write(_ bytes: Data) throws {
    let path = folder.path("damaged")
    for end in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: path + end) }
    try bytes.write(to: URL(fileURLWithPath: path))
  }

  /// The wrong answers of a damaged log.
  ///
  /// A right answer or an error is not wrong.
  func faults(_ bytes: Data, _ names: Set<String>? = nil) throws -> [String] {
    let path = folder.path("damaged")
    var faults: [String] = []
    for (name, ask) in Self.allQuestions where names?.contains(name) ?? true {
      try write(bytes)
      do {
        let answer = try ask(path)
        if answer != answers[name] { faults.append("\(name): \(answer.prefix(300))") }
      } catch is EventStoreError {
      } catch is ProjectionError {
      }
    }
    return faults
  }
}

struct Tool: Row {
  let id: Int
  var name: Personal<String>
  var shelf: String
}

enum ToolEvent: Event {
  case bought(Tool)
  case broke(id: Int)
}

struct Tools: Projection {
  /// The tests append random events, which needn't match the rows.
  static let toleratedEvents: Set<String> = ["ToolBroke"]

  func project(_ event: ToolEvent, into rows: inout Rows<Tool>) {
    switch event {
    case .bought(let tool): rows.insert(tool)
    case .broke(let id): rows[id] = nil
    }
  }
}

/// The items that were bought, with the count of how often each was taken.
struct Drawer: SnapshotDecider {
  enum Command { case take }

  static let snapshotInterval = 4
  static func stream(_ id: String) -> StreamName { StreamName("Tools-\(id)") }
  var ids: [Int] = []

  func decide(_ command: Command) -> [ToolEvent] { [.broke(id: ids.last ?? -1)] }

  mutating func evolve(_ event: ToolEvent) {
    switch event {
    case .bought(let tool): ids.append(tool.id)
    case .broke(let id): ids.removeAll { $0 == id }
    }
  }
}
