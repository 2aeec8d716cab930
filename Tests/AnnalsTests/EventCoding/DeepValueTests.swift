import AnnalsTesting
import Foundation
import Testing

@testable import Annals
@testable import AnnalsLists
@testable import AnnalsLog
@testable import AnnalsSQLite

/// Calls a closure on a thread with 512 KB of stack, as secondary threads have on Apple's systems.
func onSmallStack<Result>(_ body: @escaping @Sendable () throws -> Result) async throws -> sending Result {
  let result = await withCheckedContinuation { continuation in
    let thread = Thread { continuation.resume(returning: Swift.Result { try body() }) }
    thread.stackSize = 512 * 1_024
    thread.start()
  }
  return try result.get()
}

/// A value that contains itself.
///
/// Swift releases such a value by recursion: on 512 KB of stack, 5,200 levels could be released, and 5,300 ended the
/// process. So a test keeps deeper values until the process ends.
indirect enum DeepTree: Codable, Hashable, Sendable {
  case leaf
  case node(DeepTree)

  init(levels: Int) {
    self = .leaf
    for _ in 0..<levels { self = .node(self) }
  }

  /// 100,000 levels.
  static let deep = DeepTree(levels: 100_000)
}

/// Values that are nested more deeply than the stack of a secondary thread allows.
@Suite struct DeepValueTests {
  enum PlantEvent: Event {
    case planted(DeepTree)
    case named(name: String, tree: DeepTree)
  }

  private struct Failure: Error {
    let description: String
    init(_ description: String) { self.description = description }
  }

  struct Sick: Error { var tree: DeepTree }
  enum Refusal: Error { case sick(DeepTree) }

  struct Garden: UndoableDecider {
    enum Command: Codable, Sendable { case plant(DeepTree), refuse(DeepTree) }

    func decide(_ command: Command) throws(Refusal) -> [PlantEvent] {
      switch command {
      case .plant(let tree): return [.planted(tree)]
      case .refuse(let tree): throw .sick(tree)
      }
    }

    mutating func evolve(_ event: PlantEvent) {}
    func undoing(_ events: [PlantEvent]) -> [Command]? { [.refuse(.deep)] }
  }

  private static let limit = "nested deeper than 256 levels"

  private static func expectRefused(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as EventCodingError {
      try ensure(error.code == .unsuitableValue && error.message.contains(limit), error.message)
      try ensure(error.message.utf8.count < 1_000, error.message)
      return
    }
    throw Failure("a deep value was not refused")
  }

  /// The kinds of stores.
  private static let stores: [@Sendable () throws -> any EventStore] = [
    { MemoryEventStore() },
    {
      let folder = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      return try SQLiteEventStore(path: folder.appending(path: "log").path)
    },
  ]

  @Test(arguments: stores.indices)
  func `a value of 100,000 levels is refused while it is encoded, wherever an event is appended`(index: Int)
    async throws
  {
    let store = try Self.stores[index]()
    try await onSmallStack {
      let event = PlantEvent.planted(.deep)
      try Self.expectRefused { _ = try NewEvent(event) }
      try Self.expectRefused { _ = try NewEvent(PlantEvent.named(name: "a", tree: .deep)) }
      try Self.expectRefused {
        var append = Append()
        try append.add(event, to: "s")
      }
      try Self.expectRefused { _ = try store.append([event], to: "s") }
      try Self.expectRefused { _ = try store.execute(.plant(.deep), on: Garden["a"]) }
      try Self.expectRefused { _ = try store.execute(.plant(.deep), on: Garden["a"], commandID: "c") }
      try Self.expectRefused {
        _ = try store.transaction { transaction in try transaction.execute(.plant(.deep), on: Garden["a"]) }
      }
      let branch = try store.branch()
      try Self.expectRefused { _ = try branch.execute(.plant(.deep), on: Garden["a"]) }
      try Self.expectRefused { _ = try branch.append([event], to: "s") }
      let draft = try store.draft(named: "draft", deciders: .of(Garden.self))
      try Self.expectRefused { _ = try draft.execute(.plant(.deep), on: Garden["a"]) }
      try ensureEqual(try store.head(), 0)
      // The deepest event that fits is appended and read.
      _ = try store.append([PlantEvent.planted(DeepTree(levels: 127))], to: "s")
      let stored = try store.events(.all, after: 0, through: nil, limit: 1)
      var coder = try EventCoder<PlantEvent>()
      guard case .planted(let read)? = try coder.decode(type: stored[0].type, payload: stored[0].payload) else {
        throw Failure("the deepest event is not read")
      }
      try ensure(read == DeepTree(levels: 127), "the deepest event is read as another event")
      try Self.expectRefused { _ = try store.append([PlantEvent.planted(DeepTree(levels: 128))], to: "s") }
    }
  }

  @Test func `an imported line or payload of 100,000 levels is refused`() async throws {
    try await onSmallStack {
      let store = MemoryEventStore()
      for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
        let deep = String(repeating: open, count: 100_000) + "1" + String(repeating: close, count: 100_000)
        do {
          try store.append(Append([NewEvent(type: "T", payload: deep)], to: "s"))
          throw Failure("a deep payload was appended")
        } catch let error as EventStoreError {
          try ensure(error.code == .invalidAppend && error.message.contains(Self.limit), error.message)
        }
        try store.append(Append([NewEvent(type: "T", payload: "1")], to: "s"))
        let event = store.events(.all, after: 0, through: nil, limit: 1)[0]
        let line = CloudEvent.line(event, transaction: "1").replacing(#""data":1"#, with: #""data":"# + deep)
        try ensure(line.utf8.count > 200_000, "the line has the deep payload")
        do {
          _ = try CloudEvent(line: line)
          throw Failure("a deep line was read")
        } catch let error as CloudEvent.Problem {
          try ensure("\(error)".contains(Self.limit), "\(error)")
        }
      }
    }
  }

  // MARK: Forms of encoding

  final class Links: Encodable, Sendable {
    let next: Links?
    let form: Form
    enum Form: CaseIterable { case superEncoder, namedSuperEncoder, arraySuperEncoder, plain, elements }
    enum Key: CodingKey { case name, next }

    init(_ next: Links?, _ form: Form) { (self.next, self.form) = (next, form) }

    func encode(to encoder: any Encoder) throws {
      switch form {
      case .superEncoder, .namedSuperEncoder:
        var members = encoder.container(keyedBy: Key.self)
        try members.encode("n", forKey: .name)
        try next?.encode(to: form == .superEncoder ? members.superEncoder() : members.superEncoder(forKey: .next))
      case .arraySuperEncoder:
        var elements = encoder.unkeyedContainer()
        try elements.encodeNil()
        try next?.encode(to: elements.superEncoder())
      case .plain:
        var single = encoder.singleValueContainer()
        if let next { try single.encode(next) } else { try single.encode(1) }
      case .elements:
        var elements = encoder.unkeyedContainer()
        if let next { try elements.encode(next) }
      }
    }

    /// The value is never released, because the release of a chain of objects is recursive.
    static func chain(_ count: Int, _ form: Form) -> Links {
      let links = (0..<count).reduce(nil as Links?) { next, _ in Links(next, form) }
      return Unmanaged.passRetained(links ?? Links(nil, form)).takeUnretainedValue()
    }
  }

  @Test(arguments: Links.Form.allCases)
  func `a chain of 100,000 objects is refused by any kind of container`(form: Links.Form)
    async throws
  {
    try await onSmallStack {
      for value in [Links.chain(100_000, form), Links.chain(10_000, form)] {
        for coder in [PayloadCoder(), PayloadCoder(isCanonical: true)] {
          do {
            _ = try coder.encode(value)
            throw Failure("a deep value was encoded")
          } catch let error as EncodingError {
            try ensure("\(error)".contains(Self.limit), "\(error)")
          }
          // The coder works after a refused value.
          try ensureEqual(try coder.encode([1, 2]), "[1,2]")
        }
      }
      // The maximum number of levels, and of values that add no level.
      let text = try PayloadCoder().encode(Links.chain(JSON.maximumDepth, form))
      try ensure(text.utf8.count > 0, text)
    }
  }

  enum ScriptEvent: CustomCodedEvent {
    case written(DeepTree, isArray: Bool)

    init?(case name: String, payload: PayloadValue) throws { return nil }

    func write(to writer: inout PayloadWriter) -> String {
      guard case .written(let tree, let isArray) = self else { return "" }
      func write(_ tree: DeepTree, _ writer: inout PayloadWriter) {
        guard case .node(let inner) = tree else { return writer.write(1) }
        if isArray {
          writer.writeArray(of: [inner]) { write($0, &$1) }
        } else {
          writer.writeObject { $0.write("n") { write(inner, &$0) } }
        }
      }
      write(tree, &writer)
      return "written"
    }
  }

  @Test(arguments: [true, false])
  func `a coding of the type's own is not called for more levels than an event can have`(isArray: Bool) async throws {
    try await onSmallStack {
      let coder = try EventCoder<ScriptEvent>()
      try Self.expectRefused { _ = try coder.encode(.written(.deep, isArray: isArray)) }
      let payload = try coder.encode(.written(DeepTree(levels: 256), isArray: isArray)).payload
      try JSON.check(try #require(payload))
      try Self.expectRefused { _ = try coder.encode(.written(DeepTree(levels: 257), isArray: isArray)) }
    }
  }

  // MARK: Messages

  struct Shown: CustomStringConvertible {
    var tree: DeepTree
    var description: String { "shown" }
  }

  @Test func `a description is the standard one up to a depth, and else names the type and the case`() async throws {
    try await onSmallStack {
      func ensureStandard(_ value: Any) throws { try ensureEqual(described(value), "\(value)") }
      let shallow = DeepTree(levels: 60)
      for value in [
        shallow, Refusal.sick(shallow), Sick(tree: shallow), [1, 2], ["a": [shallow]], Set([1]), (1, b: "c"), "text",
        nil as Int? as Any, Shown(tree: .deep), [Shown(tree: .deep)], Optional(Sick(tree: .leaf)) as Any, 1.5,
        DeepTree.self,
        EncodingError.invalidValue(1.0, .init(codingPath: [], debugDescription: "why")), Links(nil, .plain),
      ] as [Any] {
        try ensureStandard(value)
      }
      let cut: [(Any, String)] = [
        (DeepTree.deep, "DeepTree.node(…)"), (Refusal.sick(.deep), "Refusal.sick(…)"), (Sick(tree: .deep), "Sick(…)"),
        ([DeepTree.deep], "Array<DeepTree>(…)"), (["a": DeepTree.deep], "Dictionary<String, DeepTree>(…)"),
        (Optional(DeepTree.deep) as Any, "DeepTree"), ((1, DeepTree.deep), "(Int, DeepTree)(…)"),
        (AnyHashable(DeepTree.deep), "AnyHashable(…)"), (Personal(DeepTree.deep, of: "a"), "DeepTree.node(…)"),
        ([Personal(DeepTree.deep, of: "a")], "[DeepTree.node(…)]"),
        (
          EncodingError.invalidValue(DeepTree.deep, .init(codingPath: [], debugDescription: "why")),
          "EncodingError.invalidValue: DeepTree.node(…). Debug description: why"
        ),
      ]
      for (value, text) in cut {
        let found = described(value)
        try ensure(found.contains(text), "\(text): \(found)")
        try ensure(found.utf8.count < 200, found)
      }
      try ensureEqual(described(String(repeating: "x", count: 99), maximumLength: 9), "xxxxxxxxx…")
      // A comparison must not lose the end of a long or nested value.
      let long = String(repeating: "x", count: 20_000)
      try ensure(described(long + "1") == described(long + "2"), "a message is cut")
      try ensure(describedWhole(long + "1") != describedWhole(long + "2"), "a long value is cut")
      func nested(_ end: Int) -> Any { (0..<300).reduce(end as Any) { value, _ in [value] } }
      try ensure(described(nested(1)) == described(nested(2)), "a message has few levels")
      try ensure(describedWhole(nested(1)) != describedWhole(nested(2)), "a nested value is cut")
      try ensure(swiftSource(of: DeepTree.deep).hasPrefix(".node(.node("), "a deep value has source")
    }
  }

  struct Plant: Row {
    var id: Int
    var tree: DeepTree
    /// An infinite number makes the rows' coder use Foundation's encoder.
    var height = 1.0
  }

  struct Rows: Projection {
    typealias Event = PlantEvent
    var height = 1.0
    var identity: String? { "\(height)" }

    func project(_ event: PlantEvent, into rows: inout Annals.Rows<Plant>) throws {
      rows[1] = Plant(id: 1, tree: .deep, height: height)
    }
  }

  struct Refusing: Projection {
    typealias Event = PlantEvent
    func project(_ event: PlantEvent, into rows: inout Annals.Rows<Plant>) throws { throw Refusal.sick(.deep) }
  }

  private static func planted() throws -> MemoryEventStore {
    let store = MemoryEventStore(environment: StoreEnvironment(stateBudget: 0))
    _ = try store.append([PlantEvent.planted(.leaf)], to: "Garden-a")
    return store
  }

  @Test(arguments: [1, .infinity])
  func `a row that is nested too deeply keeps a list from being saved`(height: Double) async throws {
    try await onSmallStack {
      let store = try Self.planted()
      let list = FetchedResultsController(store: store, projection: Rows(height: height), cacheName: "rows")
      try list.performFetch()
      try? list.saveCache()
      let problem = list.cacheReport.problem ?? "none"
      try ensure(problem.contains(Self.limit), problem)
      try ensureEqual(list.fetchedObjects.count, 1)
    }
  }

  @Test func `an error with a deep value stops a projection and is described by its case`() async throws {
    try await onSmallStack {
      let list = FetchedResultsController(store: try Self.planted(), projection: Refusing())
      try? list.performFetch()
      let message = list.failure.map { "\($0)" } ?? "none"
      try ensure(message.contains("Refusal.sick(…)"), message)
    }
  }

  @Test func `a refusal with a deep value is described in an undo, a conflict and a draft`() async throws {
    try await onSmallStack {
      let store = try Self.planted()
      let history = UndoHistory(store, of: "ann", deciders: [Garden.self])
      _ = try history.execute(.plant(.leaf), on: Garden["a"])
      do {
        _ = try history.undo()
        throw Failure("a refused command was undone")
      } catch let error as UndoError {
        try ensure(error.message.contains("Refusal.sick(…)"), error.message)
      }
    }
  }

  // MARK: JSON of upcasters

  @Test func `a JSON value of an upcaster is written, compared and hashed without recursion`() async throws {
    try await onSmallStack {
      // A JSON value is released by recursion, too.
      var value: JSONValue = [1, "a", [:], []]
      for number in 0..<Self.jsonLevels { value = number % 2 == 0 ? [value, true] : ["a": value, "b": 1.5] }
      let again = value
      try ensure(value == again && value.hashValue == again.hashValue, "equal values")
      try ensure(value.text.hasPrefix(#"{"a":[{"a":["#) && value.canonicalText.utf8.count > 1_000, "the JSON")
      do {
        _ = try value.decoded(as: [String].self)
        throw Failure("a deep JSON value was decoded")
      } catch let error as DecodingError {
        try ensure("\(error)".contains(Self.limit), "\(error)")
      }
    }
  }

  private static let jsonLevels = 1_000
}
