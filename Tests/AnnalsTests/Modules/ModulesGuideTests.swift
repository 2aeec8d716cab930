import Annals
import AnnalsLog
import Foundation
import Testing

/// The page about several modules.
@Suite struct ModulesGuideTests {
  private typealias Guide = ModulesGuide

  @Test func `the guide's board shows tasks under the names of people, and its decider knows both`() throws {
    let store = MemoryEventStore()
    let list = FetchedResultsController(
      store: store, projection: Guide.Board(), request: ListRequest(section: .by(\.person)))
    try list.performFetch()
    #expect(throws: Guide.Assignment.Refusal.unknownPerson) {
      try store.execute(Guide.NewTask(id: "t", title: "Write", person: "ada"), on: .boundary(Guide.Assignment.self))
    }
    let coder = try EventCoder<Guide.PersonEvent>()
    try store.append(Append([coder.encode(.joined(id: "ada", name: "Ada"))], to: "people"))
    try store.execute(Guide.NewTask(id: "t", title: "Write", person: "ada"), on: .boundary(Guide.Assignment.self))
    try store.append(Append([coder.encode(.renamed(id: "ada", name: "Ada L."))], to: "people"))
    #expect(list.results.sections.map(\.title) == ["Ada L."] && list.results.rows.map(\.title) == ["Write"])
    #expect(store.events(.all, after: 1, through: nil, limit: 1).first?.type == "TaskAdded")
  }

  @Test func `the guide's deciders of a stream and of a boundary decide on the task's stream`() throws {
    let store = MemoryEventStore()
    try store.append([Guide.PersonEvent.joined(id: "ada", name: "Ada")], to: "people")
    for id in ["t", "u", "v"] {
      let receipt = try store.execute(
        Guide.NewTask(id: id, title: "Write", person: "ada"), on: .boundary(Guide.Assignment.self))
      #expect(receipt.versions == [Guide.TaskDesk.stream(id): 1])
    }
    try store.execute(Guide.FinishTask(id: "u"), on: Guide.TaskDesk["u"])
    #expect(throws: Guide.TaskDesk.Refusal.noTask) {
      try store.execute(Guide.FinishTask(id: "u"), on: Guide.TaskDesk["u"])
    }
    #expect(store.version(of: "TaskDesk-u") == 2)
    let receipt = try store.execute("ada", on: .boundary(Guide.Closing.self))
    #expect(receipt.count == 2 && receipt.versions == ["Closing": 2])
    #expect(try store.execute("ada", on: .boundary(Guide.Closing.self)).count == 0)
  }

  @Test func `each block of the page on several modules is code that is compiled`() throws {
    let file = URL(fileURLWithPath: #filePath)
    let code = try String(
      contentsOf: file.deletingLastPathComponent().appending(path: "ModulesGuide.swift"), encoding: .utf8)
    let root = (0..<4).reduce(file) { url, _ in url.deletingLastPathComponent() }
    let guide = try String(contentsOf: root.appending(path: "Docs/Modules.md"), encoding: .utf8)
    func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
    let blocks = guide.components(separatedBy: "```swift\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
    #expect(blocks.count >= 3)
    for block in blocks { #expect(words(code).contains(words(block)), "\(block)") }
  }
}
