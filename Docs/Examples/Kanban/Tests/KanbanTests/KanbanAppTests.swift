import Annals
import AnnalsReplay
import AnnalsSQLite
import Foundation
import KanbanApp
import KanbanDomain
import Testing

@Suite struct KanbanAppTests {
  private let store = MemoryEventStore()

  private func lines(_ line: String) throws -> [String] {
    let answer = try KanbanWords(store).answer(to: line.split(separator: " ").map(String.init))
    return answer.lines + (answer.problem.map { ["\(answer.status): \($0)"] } ?? [])
  }

  @Test func `the board is drawn in columns`() throws {
    #expect(try lines("") == ["backlog 0           doing 0             review 0            done 0"])
    _ = try lines("add Write a page that is long")
    _ = try lines("add Read")
    #expect(
      try lines("move 2 doing") == [
        "backlog 1           doing 1             review 0            done 0", "1 Write a page th…  2 Read",
      ])
    #expect(try lines("move 2 nowhere") == ["2: \"move 2 nowhere\" is no command; see kanban FILE help"])
    #expect(try lines("move 7 done") == ["1: there is no card 7"])
  }

  @Test func `a plan shows what the board would be, and changes nothing until it is done`() throws {
    _ = try lines("add Write")
    let head = store.head()
    let planned = try lines("plan move 1 doing, add Read, move 2 done")
    #expect(
      planned == [
        "backlog 0           doing 1             review 0            done 1",
        "                    1 Write                                 2 Read",
      ])
    #expect(store.head() == head)
    #expect(try lines("do move 1 doing, add Read, move 2 done") == planned)
    #expect(try lines("do move 1 done, move 9 done") == ["1: there is no card 9"])
    #expect(try lines("") == planned)
  }

  @Test func `a plan that does not fit any more is refused as a whole`() throws {
    for _ in 1...4 { _ = try lines("add Write") }
    let plan = try Plan([.rename(card: 1, to: "Read"), .move(card: 4, to: .doing)], on: store)
    for card in 1...3 { _ = try lines("move \(card) doing") }
    let before = try lines("")
    #expect(throws: Branch.MergeError.self) { try plan.merge() }
    #expect(try lines("") == before)
  }

  @Test func `the app's replay tool shows the board of yesterday`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kanban-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "board.annals").path
    let words = KanbanWords(try SQLiteEventStore(path: path))
    for line in ["add Write", "add Read", "move 1 doing"] {
      _ = try words.answer(to: line.split(separator: " ").map(String.init))
    }
    let tool = ReplayTool(ReplayList(Cards(), request: .board), name: "kanbantool")
    let now = tool.answer(to: ["show", path])
    #expect(now.status == 0 && now.output.hasPrefix("position 3: 2 rows in 4 sections"))
    #expect(tool.answer(to: ["diff", path, "2..3"]).output.contains("column: doing (was backlog)"))
    #expect(tool.answer(to: ["verify", path]).status == 0)
  }
}
