import Annals
import AnnalsReplay
import Testing

/// A branch of a log, given to an app's tool as a store.
@Suite struct DraftLogTests {
  private let tool: ToolRunner
  private let draft: Branch

  init() throws {
    tool = try ToolRunner()
    let store: any EventStore = MemoryEventStore()
    try store.execute(.insert(id: "a", price: 1, shelf: "x"), on: WareShop["main"])
    draft = try store.branch(floating: true)
    try draft.execute(.insert(id: "b", price: 2, shelf: "y"), on: WareShop["main"])
    // The log goes on below the draft.
    try store.execute(.insert(id: "c", price: 3, shelf: "x"), on: WareShop["main"])
    tool.tool = ReplayTool(
      ReplayList(Wares(), request: ListRequest(sort: [.ascending(\.id)])),
      ReplayStore { [store, draft] name, _ in name == "draft" ? draft : store }, name: "tool")
  }

  @Test func `the subcommands that read show a draft as they show a log`() {
    let shown = tool.run("show", "draft")
    #expect(shown.status == 0 && shown.lines.first?.hasPrefix("position 3: 3 rows") == true, "\(shown)")
    #expect(tool.run("show", "log").lines.first?.hasPrefix("position 2: 2 rows") == true)
    #expect(tool.run("show", "draft", "2").lines.first?.hasPrefix("position 2: 2 rows") == true)
    let without = tool.run("show", "draft", "--without", "3")
    #expect(without.lines.first?.hasPrefix("position 3 without 3: 2 rows") == true, "\(without)")
    #expect(tool.run("log", "draft").lines.count == 3)
    let info = tool.run("info", "draft").lines
    #expect(
      info[0] == "log         draft"
        && info[1].hasPrefix("events      3 in 3 transactions, 1.0 per transaction, 1 stream"))
    #expect(info.contains("types       WareInserted 3") && !info.contains { $0.hasPrefix("format") }, "\(info)")
    #expect(tool.run("diff", "--each", "draft", "--stat").status == 0 && tool.run("why", "draft", "b").status == 0)
    #expect(tool.run("diff", "draft", "2..3").output.contains("b"))
  }

  @Test func `a draft's events are printed as lines that can be imported`() throws {
    let lines = tool.run("log", "--json", "draft").lines
    #expect(lines.count == 3 && lines.allSatisfy { $0.hasPrefix(#"{"specversion":"1.0""#) }, "\(lines)")
  }
}
