import Testing

/// `annals trace`, on a log whose answers are known.
@Suite struct TraceTests {
  private let shop: ShopTool

  init() throws { shop = try ShopTool() }

  private func pinned(_ words: String...) -> ShopTool.Pin { shop.pin(words) }

  @Test func `trace prints what belongs to a correlation, a command, an event or a position, as a tree`() {
    pinned("log", "LOG", "--tree", "c-1").is(
      0,
      #"""
      c-1  1 event, 0.0 s
      └─ 3  2026-03-01T10:03:00Z  RecordInserted  book 3  bob
      """#)
    pinned("log", "LOG", "--tree", "reprice-b3").is(
      0,
      #"""
      reprice-b3  3 events, 120.0 s
      └─ 4  2026-03-01T10:04:00Z  RecordUpdated  book 4  ann
         ├─ 5  2026-03-01T10:05:00Z  RecordUpdated  book 5
         └─ 6  2026-03-01T10:06:00Z  Noted  notes 1
      """#)
    pinned("log", "LOG", "--tree", "e4").is(
      0,
      #"""
      e4  3 events, 120.0 s
      └─ reprice-b3
         └─ 4  2026-03-01T10:04:00Z  RecordUpdated  book 4  ann
            ├─ 5  2026-03-01T10:05:00Z  RecordUpdated  book 5
            └─ 6  2026-03-01T10:06:00Z  Noted  notes 1
      """#)
    pinned("log", "LOG", "--tree", "4").is(
      0,
      #"""
      4  3 events, 120.0 s
      └─ reprice-b3
         └─ 4  2026-03-01T10:04:00Z  RecordUpdated  book 4  ann
            ├─ 5  2026-03-01T10:05:00Z  RecordUpdated  book 5
            └─ 6  2026-03-01T10:06:00Z  Noted  notes 1
      """#)
    pinned("log", "LOG", "--tree", "open-shop").is(
      0,
      #"""
      open-shop  2 events, 60.0 s
      ├─ 1  2026-03-01T10:01:00Z  RecordInserted  book 1  ann
      └─ 2  2026-03-01T10:02:00Z  RecordInserted  book 2  ann
      """#)
    pinned("log", "LOG", "--tree", "e6", "--with-list").is(
      0,
      #"""
      e6  1 event, 0.0 s
      └─ 6  2026-03-01T10:06:00Z  Noted  notes 1
            changes nothing in book
      """#)
    pinned("log", "LOG", "--tree", "e7").is(
      0,
      #"""
      e7  1 event, 0.0 s
      └─ 7  2026-03-01T10:07:00Z  RecordDeleted  book 6  eve
      """#)
    pinned("log", "LOG", "--tree", "e4", "--time", "local").is(
      0,
      #"""
      e4  3 events, 120.0 s
      └─ reprice-b3
         └─ 4  2026-03-01T10:04:00Z  RecordUpdated  book 4  ann
            ├─ 5  2026-03-01T10:05:00Z  RecordUpdated  book 5
            └─ 6  2026-03-01T10:06:00Z  Noted  notes 1
      """#)
  }

  @Test func `trace of nothing says so`() {
    pinned("log", "LOG", "--tree", "nothing").is(
      1, "",
      says: #"""
        annals: nothing in the log has the correlation, command or event id "nothing"
        """#)
    pinned("log", "LOG", "--tree", "99").is(
      1, "",
      says: #"""
        annals: nothing in the log has the correlation, command or event id "99"
        """#)
    pinned("log", "LOG", "--tree", "0").is(
      1, "",
      says: #"""
        annals: nothing in the log has the correlation, command or event id "0"
        """#)
    pinned("log", "LOG", "--tree", "").is(
      1, "",
      says: #"""
        annals: nothing in the log has the correlation, command or event id ""
        """#)
  }

  @Test func `trace as JSON names the event that caused each`() {
    pinned("log", "LOG", "--tree", "reprice-b3", "--json").is(
      0,
      #"""
      {"event":{"position":4,"time":"2026-03-01T10:04:00Z","type":"RecordUpdated","source":"shop","id":"e4","st\#
      ream":"book","version":4,"transaction":3,"actor":"ann","correlationid":"reprice-b3","causationid":"repric\#
      e-b3","command":"reprice-b3"},"parent":null}
      {"event":{"position":5,"time":"2026-03-01T10:05:00Z","type":"RecordUpdated","source":"shop","id":"e5","st\#
      ream":"book","version":5,"transaction":4,"correlationid":"reprice-b3","causationid":"e4"},"parent":4}
      {"event":{"position":6,"time":"2026-03-01T10:06:00Z","type":"Noted","source":"shop","id":"e6","stream":"no\#
      tes","version":1,"transaction":4,"schema":2,"causationid":"e4"},"parent":4}
      """#)
    pinned("log", "LOG", "--tree", "reprice-b3", "--with-list", "--json").is(
      0,
      #"""
      {"event":{"position":4,"time":"2026-03-01T10:04:00Z","type":"RecordUpdated","source":"shop","id":"e4","st\#
      ream":"book","version":4,"transaction":3,"actor":"ann","correlationid":"reprice-b3","causationid":"repric\#
      e-b3","command":"reprice-b3"},"parent":null,"list":"book","batch":{"from":3,"to":4,"sections":[],"rows":[\#
      {"type":"update","id":"b3","at":[0,2],"newAt":[0,2],"fields":{"at":{"city":"Bern"},"price":40,"shelf":"od\#
      d","tags":["a","b"],"title":"War and Peace"},"old":{"price":60}}]}}
      {"event":{"position":5,"time":"2026-03-01T10:05:00Z","type":"RecordUpdated","source":"shop","id":"e5","st\#
      ream":"book","version":5,"transaction":4,"correlationid":"reprice-b3","causationid":"e4"},"parent":4,"lis\#
      t":"book","batch":{"from":4,"to":5,"sections":[],"rows":[{"type":"update","id":"b1","at":[0,0],"newAt":[0\#
      ,0],"fields":{"price":50,"shelf":"even","title":"Annals"},"old":{"shelf":"odd"}}]}}
      {"event":{"position":6,"time":"2026-03-01T10:06:00Z","type":"Noted","source":"shop","id":"e6","stream":"no\#
      tes","version":1,"transaction":4,"schema":2,"causationid":"e4"},"parent":4,"list":"book","ba\#
      tch":{"from":5,"to":6,"sections":[],"rows":[]}}
      """#)
  }

  @Test func `options leave events out, and what these caused stands under what caused them`() throws {
    pinned("log", "LOG", "--tree", "reprice-b3", "type:!RecordUpdated").is(
      0,
      #"""
      reprice-b3  1 of 3 events, 0.0 s
      └─ 6  2026-03-01T10:06:00Z  Noted  notes 1
      """#)
    pinned("log", "LOG", "--tree", "reprice-b3", "author:ann").is(
      0,
      #"""
      reprice-b3  1 of 3 events, 0.0 s
      └─ 4  2026-03-01T10:04:00Z  RecordUpdated  book 4  ann
      """#)
    let none = shop.tool.run("log", shop.tool.log, "--tree", "reprice-b3", "type:Notd")
    #expect(none.status == 2 && none.output == "" && none.talk.contains("did you mean Noted?"), "\(none)")
    let other = shop.tool.run("log", shop.tool.log, "--tree", "reprice-b3", "type:RecordDeleted")
    #expect(
      other.status == 1 && other.talk.contains("none of 3 events of the tree is in the range and the choice"),
      "\(other)")
    // A chain of three: the middle one is left out.
    let tool = try ToolRunner()
    func caused(_ number: Int, by cause: Int?, _ type: String) -> String {
      line(number, type, "{}").replacing(
        #","data":"#, with: (cause.map { #","causationid":"\#($0)""# } ?? "") + #","correlationid":"c","data":"#)
    }
    try tool.importLines([
      caused(1, by: nil, "A"), caused(2, by: 1, "B"), caused(3, by: 2, "C"), caused(4, by: 2, "B"),
      caused(5, by: 4, "C"), caused(6, by: nil, "B"), caused(7, by: 6, "C"),
    ])
    let lines = tool.run("log", tool.log, "--tree", "c", "type:!B", "--json").lines.map {
      $0.matches(of: /"position":(\d+)|"parent":(\d+|null)/).map { $0.output.1 ?? $0.output.2 ?? "" }
    }
    #expect(lines == [["1", "null"], ["3", "1"], ["5", "1"], ["7", "null"]], "\(lines)")
  }
}
