import Annals
import AnnalsReplay
import Testing

/// How `annals replay --check` handles wrong batches.
///
/// The tool makes only right ones, so these are made by hand.
@Suite struct BatchCheckTests {
  private struct Line: Row {
    let id: Int
    var text: String
  }

  private func list(_ texts: [String], at position: Position) -> Results<Line> {
    var rows = Rows<Line>()
    for (id, text) in texts.enumerated() { rows.insert(Line(id: id, text: text)) }
    return Results(ListRequest(), of: rows, at: position)
  }

  @Test func `batches that lead from list to list are taken and counted`() throws {
    let lists = [list(["a"], at: 0), list(["a", "b"], at: 1), list(["c", "b"], at: 3)]
    var check = BatchCheck(lists[0])
    try check.take(Changes(from: lists[0], to: lists[1]))
    try check.take(Changes(from: lists[1], to: lists[2]))
    #expect(check.count == 2)
  }

  @Test func `of many batches of a long list the table takes fewer and fewer, and still finds a wrong one`() throws {
    var check = BatchCheck(list(["a"], at: 0), patience: 2)
    for position in 1...20 {
      let (old, new) = (
        list(["\(position - 1)"], at: Position(position - 1)), list(["\(position)"], at: Position(position))
      )
      try check.take(Changes(from: position == 1 ? list(["a"], at: 0) : old, to: new))
    }
    #expect(check.seen == 20)
    #expect((5..<15).contains(check.count))
    let (old, new) = (list(["x"], at: 20), list(["y"], at: 21))
    #expect(throws: ReplayError.self) {
      for _ in 0..<64 { try check.take(Changes(old: old, new: new, sections: [], rows: [], cause: [])) }
    }
  }

  @Test func `a batch that forgets a change ends the replay with a negative answer that names it`() throws {
    let (old, new) = (list(["a", "b"], at: 4), list(["a", "c"], at: 7))
    var check = BatchCheck(old)
    let forgetful = Changes(old: old, new: new, sections: [], rows: [], cause: [])
    let error = #expect(throws: ReplayError.self) { try check.take(forgetful) }
    #expect(error?.status == .negative)
    #expect(
      error?.message.hasPrefix(
        "a table view cannot take the batch from 4 to 7: the row at [0, 1] still shows its old content, because no "
          + "change was reported (S6)\n") == true)
    #expect(check.count == 0)
  }

  @Test func `a batch that a table view would raise at ends it too, with UIKit's sentence`() throws {
    let (old, new) = (list(["a", "b"], at: 0), list(["a"], at: 1))
    var check = BatchCheck(old)
    let twice: [RowChange<Line>] = [
      .delete(row: old.rows[1], at: RowPath(section: 0, row: 1), moved: false),
      .delete(row: old.rows[1], at: RowPath(section: 0, row: 2), moved: false),
    ]
    let wrong = Changes(old: old, new: new, sections: [], rows: twice, cause: [])
    let error = #expect(throws: ReplayError.self) { try check.take(wrong) }
    #expect(
      error?.message.contains(
        "attempt to delete row 2 from section 0 which only contains 2 rows before the update (V1)") == true)
  }
}
