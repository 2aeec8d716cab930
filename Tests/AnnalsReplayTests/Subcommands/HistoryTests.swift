import Testing

/// What became of rows, where an event is no change and where history is gone.
@Suite struct HistoryTests {
  private let tool: ToolRunner

  init() throws { tool = try ToolRunner() }

  @Test func `an event that sets a row to what it was is no change of it`() throws {
    try tool.importLines([
      inserted(1, "b1", #"{"price":1}"#),
      line(2, "RecordUpdated", #"{"collection":"book","id":"b1","fields":{"price":1}}"#),
      line(3, "RecordUpdated", #"{"collection":"book","id":"b1","fields":{"price":2}}"#),
      line(4, "RecordUpdated", #"{"collection":"book","id":"b1","fields":{"price":2}}"#),
    ])
    let changes = tool.run("why", tool.log, "b1.price", "--each")
    #expect(
      changes.lines.map { $0.split(separator: " ").last.map(String.init) } == ["RecordInserted", "RecordUpdated"])
    #expect(changes.lines.count == 2 && changes.lines[1].contains("2, was 1") && changes.lines[1].contains("  3  "))
    #expect(tool.run("diff", "--each", tool.log, "--json", "3..", "--no-list").output == "")
  }

  @Test func `a replay of a compacted log begins with one batch up to the horizon, also where that event was cut`()
    throws
  {
    try tool.importLines([
      inserted(1, "a", #"{"price":1}"#), inserted(2, "b", #"{"price":2}"#),
      line(3, "RecordUpdated", #"{"collection":"book","id":"b","fields":{"price":3}}"#),
    ])
    #expect(tool.run("compact", tool.log, "--yes").status == 0)
    try tool.importLines([line(4, "RecordDeleted", #"{"collection":"book","id":"a"}"#)])
    let replay = tool.run("diff", "--each", tool.log, "--json", "--check")
    #expect(replay.status == 0, "\(replay.talk)")
    #expect(replay.lines.map { $0.prefix(16) } == [#"{"from":0,"to":3"#, #"{"from":3,"to":4"#])
    #expect(tool.run("find", tool.log, "count >= 2").lines.first?.hasPrefix("3  holds") == true)
  }

  @Test func `a field that one row has is not taken for a misspelt one`() throws {
    try tool.importLines([inserted(1, "a", #"{"price":1}"#), inserted(2, "b", #"{"shelf":{"name":"x"}}"#)])
    for options in [["--where", "price > 5"], ["--sort", "-price"], ["--section-by", "shelf.name"]] {
      #expect(tool.run(["show", tool.log] + options).talk == "", "\(options)")
    }
    let unknown = tool.run("show", tool.log, "--sort", "prize")
    #expect(unknown.status == 2 && unknown.output.isEmpty)
    #expect(unknown.talk == "annals: no row has a field prize; did you mean price?\n")
  }
}
