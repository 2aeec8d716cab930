import Annals
import AnnalsTesting
import Foundation
import Testing

/// A failing run of a machine becomes a log that the tool opens.
@Suite struct RunLogTests {
  private enum ShelfEvent: Event {
    static var typePrefix: String { "Record" }

    case inserted(collection: String, id: String, fields: [String: Double])
    case deleted(collection: String, id: String)
  }

  private struct Shelf: Decider {
    enum Command { case add(String, Double), remove(String) }
    struct Refusal: Error {}

    private var ids: Set<String> = []

    func decide(_ command: Command) throws(Refusal) -> [ShelfEvent] {
      switch command {
      case .add(let id, let price):
        guard !ids.contains(id) else { throw Refusal() }
        return [.inserted(collection: "book", id: id, fields: ["price": price])]
      case .remove(let id):
        guard ids.contains(id) else { throw Refusal() }
        return [.deleted(collection: "book", id: id)]
      }
    }

    mutating func evolve(_ event: ShelfEvent) {
      switch event {
      case .inserted(_, let id, _): ids.insert(id)
      case .deleted(_, let id): ids.remove(id)
      }
    }
  }

  /// A shop that miscounts the third book.
  ///
  /// It names the store of its events, or does not.
  private struct ShopMachine: Machine {
    final class Shop {
      let store = MemoryEventStore(source: "shop")
      private var books = 0

      func add(_ id: String, price: Double) throws {
        try store.execute(.add(id, price), on: Shelf["main"])
        books += 1
      }

      func remove(_ id: String) throws {
        try store.execute(.remove(id), on: Shelf["main"])
        books -= 1
      }

      var count: Int { books == 3 ? 4 : books }
    }

    let showsStore: Bool

    func start() -> (model: [String], system: Shop) { ([], Shop()) }

    var commands: [Command<[String], Shop>] {
      Command("add(_:price:)", weight: 3) { (_: [String]) in
        zip(.string(of: "abcde", count: 1...1), Generator.int(in: 0...9).map { Double($0) + 0.5 })
      } model: { (model: inout [String], arguments: (String, Double)) in
        guard !model.contains(arguments.0) else { throw Shelf.Refusal() }
        model.append(arguments.0)
      } run: { shop, arguments in
        try shop.add(arguments.0, price: arguments.1)
      }
      Command("remove(_:)") { (_: [String]) in
        .string(of: "abcde", count: 1...1)
      } model: { (model: inout [String], id: String) in
        guard let place = model.firstIndex(of: id) else { throw Shelf.Refusal() }
        model.remove(at: place)
      } run: { shop, id in
        try shop.remove(id)
      }
    }

    func invariant(_ model: [String], _ system: Shop) throws { try ensureEqual(system.count, model.count) }

    func store(of system: Shop) -> (any EventStore)? { showsStore ? system.store : nil }
  }

  private func failure(_ tool: ToolRunner, showsStore: Bool) throws -> PropertyFailure {
    let settings = CheckSettings(examples: 200, seed: 3, logs: tool.path("logs"), environment: [:])
    return try #require(
      #expect(throws: PropertyFailure.self) { try check(ShopMachine(showsStore: showsStore), settings: settings) })
  }

  @Test func `the events of a failing run are imported and shown`() throws {
    let tool = try ToolRunner()
    let failure = try failure(tool, showsStore: true)
    #expect(failure.input.dropFirst().count == 3)
    let file = try #require(failure.logFile)
    #expect(file.hasPrefix(tool.path("logs/")) && file.hasSuffix(".jsonl"))
    #expect(
      failure.description.contains(
        "\nTo show the run's log: annals import run.annals \(file), then annals show run.annals\n"))
    #expect(tool.run("import", tool.log, file, "--json").output.hasPrefix(#"{"events":3,"transactions":3,"#))
    let show = tool.run("show", tool.log, "--json")
    #expect(show.status == 0)
    #expect(
      show.output.contains(
        #""count":3,"sections":[{"key":null,"title":"","indexTitle":"","rows":[{"id":"a","fields":{"price":0.5}},"#))
    #expect(tool.run("log", "--json", tool.log).lines.count == failure.log.count)
  }

  @Test func `a machine without a store has a log of its steps`() throws {
    let tool = try ToolRunner()
    let failure = try failure(tool, showsStore: false)
    #expect(tool.run("import", tool.log, try #require(failure.logFile)).status == 0)
    let show = tool.run("show", tool.log, "--sort", "step")
    #expect(show.status == 0)
    for (call, outcome) in [
      (#"add("a", price: 0.5)"#, "done"), (#"add("b", price: 0.5)"#, "done"),
      (#"add("c", price: 0.5)"#, "fails: expected 3, found 4"),
    ] {
      #expect(
        // The call has commas, so that the value is quoted.
        show.lines.contains { $0.contains(call.replacing("\"", with: "\\\"")) && $0.contains(outcome) },
        "\(call) \(outcome) in \(show.output)")
    }
  }

  @Test func `a log that cannot be written does not hide the failure`() throws {
    let tool = try ToolRunner()
    let blocked = try tool.file("logs", "a file, not a folder")
    let settings = CheckSettings(examples: 200, seed: 3, logs: blocked, environment: [:])
    let failure = #expect(throws: PropertyFailure.self) {
      try check(ShopMachine(showsStore: true), settings: settings)
    }
    #expect(failure?.kind == .falsified && failure?.logFile == nil && failure?.log.count == 3)
    #expect(failure?.notes.contains { $0.hasPrefix("the run's log can't be written to") } == true)
  }
}
