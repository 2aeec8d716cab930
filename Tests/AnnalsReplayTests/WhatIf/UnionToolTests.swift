import Annals
import AnnalsReplay
import AnnalsSQLite
import Foundation
import Testing

/// A seat, and what wares there were when it was booked.
private struct SeatRow: Row {
  let id: Int
  var wares: Int
}

/// Seats by two modules' events.
private struct SeatsAmongWares: Projection {
  typealias Event = EventUnion2<WareEvent, SeatEvent>

  func project(_ event: Event, into rows: inout Rows<SeatRow>) throws {
    switch event {
    case .first(.inserted): for row in rows.all { rows[row.id]?.wares += 1 }
    case .first: break
    case .second(.booked(let seat)): rows.insert(SeatRow(id: seat, wares: 0))
    }
  }
}

/// A tool of an app of two modules: lists over the events of both, and commands of both.
@Suite struct UnionToolTests {
  private let tool: ToolRunner

  init() throws {
    tool = try ToolRunner()
    tool.tool = ReplayTool(
      ReplayList(SeatsAmongWares(), name: "seats", request: ListRequest(sort: [.descending(\.wares)])),
      ReplayList(Wares(), name: "wares"), ReplayCommands(WareShop.self), ReplayCommands(Seats.self), name: "twotool")
    execute("Seats", #"{"book":{"seat":7}}"#)
    execute("WareShop", "main", #"{"insert":{"id":"a","price":1,"shelf":"x"}}"#, "--author", "ann")
    execute("Seats", #"{"book":{"seat":8}}"#)
    execute("WareShop", "main", #"{"reprice":{"id":"a","to":2}}"#)
    execute("WareShop", "main", #"{"insert":{"id":"b","price":1,"shelf":"x"}}"#)
  }

  private func execute(_ words: String...) {
    let answer = tool.run(["do", tool.log] + words)
    #expect(answer.status == 0, "\(answer.talk)")
  }

  private func seats(_ words: String...) -> ToolRunner.Answer {
    tool.run([words[0], tool.log] + words.dropFirst() + ["--list", "seats"])
  }

  @Test func `a list over two modules' events is shown, replayed and asked as any other`() throws {
    #expect(tool.run("info", tool.log).output.contains("lists       seats, wares\n"))
    let which = tool.run("show", tool.log)
    #expect(which.status == 2 && which.talk.contains("choose one with --list: seats, wares"))
    #expect(seats("show").lines == ["position 5: 2 rows", "  7  wares: 2", "  8  wares: 1"])
    #expect(tool.run("show", tool.log, "--list", "wares").lines.count == 3)
    let replayed = seats("diff", "--each", "--json").lines
    #expect(replayed.count == 4 && replayed[3].contains(#""id":"8","at":[0,1],"newAt":[0,1],"fields":{"wares":1}"#))
    #expect(replayed[3].contains(#""type":"WareInserted""#) && replayed[0].contains(#""type":"SeatBooked""#))
    #expect(seats("diff", "--each", "--check").talk.contains("a table view takes all 4 batches"))
    let wares = seats("why", "7.wares", "--each").lines
    #expect(
      wares.count == 3 && wares[1].contains("1, was 0  2") && wares[1].hasSuffix("WareInserted  ann"), "\(wares)")
    #expect(seats("why", "7").output.contains("7 is at [0, 0] in the list at 5."))
    #expect(seats("find", "row(7).wares >= 2").output.hasPrefix("5  holds"))
    #expect(seats("diff", "1..5").status == 1)
    #expect(
      seats("show", "--without", "2").lines == ["position 5 without 2: 2 rows", "  7  wares: 1", "  8  wares: 1"])
    #expect(tool.run("log", tool.log, "2").output.contains("it changed in seats"))
    let page = tool.run("timeline", tool.log, "-o", "-")
    #expect(page.status == 0 && page.output.contains("\"seats\"") && page.output.contains("\"wares\""))
    #expect(tool.run("verify", tool.log).status == 0)
  }

  @Test func `a part of a log of two modules is a test of their list`() {
    let answer = seats("test", "1..5")
    #expect(answer.status == 0, "\(answer.talk)")
    #expect(answer.output.contains("try SeatsAmongWares().ensureLists("))
    #expect(answer.output.contains("    {\"id\":7,\"wares\":2}\n    {\"id\":8,\"wares\":1}\n"))
  }

  @Test func `events of neither module are skipped, and an unknown one of a module is not`() throws {
    let store = try SQLiteEventStore(path: tool.log)
    try store.append(Append([NewEvent(type: "Other", payload: "1")], to: "s"))
    #expect(seats("show").lines.first == "position 6: 2 rows")
    try store.append(Append([NewEvent(type: "SeatMoved", payload: "{}")], to: "s"))
    let stopped = seats("show")
    #expect(stopped.status == 3 && stopped.talk.contains("SeatMoved"), "\(stopped.talk)")
  }
}
