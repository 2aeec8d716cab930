import Annals
import AnnalsSamples
import Foundation
import Testing

/// A row whose text is its id, in capitals once it changed.
private struct Line: Row {
  let id: String
  var section: Int
  var rank: Int
  var text: String
}

extension ListRequest<Line> {
  fileprivate static func lines(_ sections: Int) -> ListRequest {
    ListRequest(sort: [.ascending(\.rank)], section: .by(\.section, pinned: Array(0..<sections)))
  }
}

/// UITableView's calls; what the mirror behind them refuses is tried with it, rule by rule.
@Suite struct ScreenTableTests {
  private func list(_ sections: [[String]]) -> Results<Line> {
    var rows = Rows<Line>()
    for (section, texts) in sections.enumerated() {
      for (rank, text) in texts.enumerated() {
        rows.insert(Line(id: text.lowercased(), section: section, rank: rank, text: text))
      }
    }
    return Results(.lines(sections.count), of: rows, at: 0)
  }

  private func table(_ sections: [[String]]) -> ScreenTable<Line> {
    let table = ScreenTable<Line>(\.text)
    let list = list(sections)
    table.dataSource = { list }
    table.reloadData()
    return table
  }

  /// Answers what a table that showed `old` shows or raises after a batch to `new`.
  private func result(
    _ old: [[String]] = [["a", "b"], ["c"]], to new: [[String]], _ batch: (ScreenTable<Line>) -> Void
  ) -> (rows: [[String]], exception: String?) {
    let (table, list) = (table(old), list(new))
    table.beginUpdates()
    table.dataSource = { list }
    batch(table)
    table.endUpdates()
    return (table.sections.map(\.rows), table.exception)
  }

  private func path(_ section: Int, _ row: Int) -> IndexPath { IndexPath(indexes: [section, row]) }

  @Test func `a path must be one that the table or its data source has`() {
    let same = [["a", "b"], ["c"]]
    let missing = "attempt to delete or reload the row at \(path(0, 2)), which the table does not have"
    #expect(result(to: same) { $0.deleteRow(at: path(0, 2)) }.exception == missing)
    #expect(result(to: same) { $0.reloadRow(at: path(0, 2)) }.exception == missing)
    #expect(result(to: same) { $0.deleteRow(at: IndexPath(index: 0)) }.exception != nil)
    #expect(
      result(to: same) { $0.insertRow(at: path(2, 0)) }.exception
        == "attempt to insert the row at \(path(2, 0)), which the data source does not have")
    #expect(result(to: same) { $0.insertRow(at: IndexPath(index: 0)) }.exception != nil)
  }

  @Test func `what the mirror refuses ends the table's life, and it stays as it was`() {
    let wrong: [(String, [[String]], (ScreenTable<Line>) -> Void)] = [
      (
        "attempt to delete section 2, but there are only 2 sections before the update", [["a", "b"], ["c"]],
        { $0.deleteSection(2) }
      ),
      (
        "attempt to insert section 3, but there are only 3 sections after the update", [["a", "b"], ["c"], []],
        { $0.insertSection(3) }
      ),
      ("attempt to delete row [0, 0] twice", [["b"], ["c"]], { for _ in 0..<2 { $0.deleteRow(at: path(0, 0)) } }),
      (
        "attempt to delete and reload the same index path ([0, 0])", [["b"], ["c"]],
        {
          $0.deleteRow(at: path(0, 0))
          $0.reloadRow(at: path(0, 0))
        }
      ),
    ]
    for (reason, new, batch) in wrong {
      let answer = result(to: new, batch)
      #expect(answer.exception == reason)
      #expect(answer.rows == [["a", "b"], ["c"]])
    }
    #expect(
      result(to: [["a", "b", "x"], ["c"]]) { $0.reloadRow(at: path(0, 0)) }.exception?
        .hasPrefix("Invalid update: invalid number of rows in section 0.") == true)
    #expect(
      result(to: [["a", "b"]]) { $0.reloadRow(at: path(0, 0)) }.exception?
        .hasPrefix("Invalid update: invalid number of sections.") == true)
  }

  @Test func `after reloadData nothing more is taken in the same updates`() {
    #expect(
      result(to: [["x"]]) {
        $0.reloadData()
        $0.deleteRow(at: path(0, 0))
      }.exception != nil)
    let again = result(to: [["a", "b"], ["c"]]) {
      $0.reloadData()
      $0.reloadData()
    }
    #expect(again.exception == "attempt to reload the table twice in one update cycle")
    let unfinished = result(to: [["x"]]) {
      $0.insertRow(at: path(0, 0))
      $0.reloadData()
    }
    #expect(unfinished.exception?.hasPrefix("Invalid update: invalid number of sections.") == true)
    let right = result(to: [["a"], ["c"]]) {
      $0.deleteRow(at: path(0, 1))
      $0.reloadData()
    }
    #expect(right.exception == nil)
    #expect(right.rows == [["a"], ["c"]])
  }

  @Test func `outside of a bracket each call is an update of its own`() {
    let table = table([["a"]])
    let more = list([["a", "b"]])
    table.dataSource = { more }
    table.insertRow(at: path(0, 1))
    #expect(table.sections.map(\.rows) == [["a", "b"]])
    table.endUpdates()
    #expect(table.exception == "an update cycle ends, but none has begun")
    table.setContent(Line(id: "a", section: 0, rank: 0, text: "z"), at: path(0, 0))
    table.setTitle("z", ofSection: 0)
    table.reloadData()
    #expect(table.sections == [TableSection("0", ["a", "b"])], "nothing happens after an exception")
  }

  @Test func `a bracket begins while the data source has the old list`() {
    let table = table([["a"]])
    let more = list([["a", "b"]])
    table.dataSource = { more }
    table.beginUpdates()
    #expect(
      table.exception?.hasPrefix(
        "before the update, the sections of the table have [1] rows, but the sections of the data source have [2] rows")
        == true)
  }

  @Test func `brackets may nest, and the outermost counts`() {
    let nested = result(to: [["a", "b", "x"]]) {
      $0.beginUpdates()
      $0.insertRow(at: path(0, 2))
      $0.endUpdates()
      $0.deleteSection(1)
    }
    #expect(nested.exception == nil)
    #expect(nested.rows == [["a", "b", "x"]])
  }

  @Test func `a right batch gives the new rows, and what is not reloaded keeps its old text`() {
    let right = result(to: [["n"], ["B", "A", "m"]]) {
      $0.insertSection(0)
      $0.deleteSection(1)
      $0.deleteRow(at: path(0, 0))
      $0.insertRow(at: path(1, 1))
      $0.insertRow(at: path(1, 2))
    }
    #expect(right.exception == nil)
    #expect(right.rows == [["n"], ["b", "A", "m"]])
    let reloaded = result(to: [["B"], ["C"]]) {
      $0.deleteRow(at: path(0, 0))
      $0.reloadRow(at: path(0, 1))
    }
    #expect(reloaded.exception == nil)
    #expect(reloaded.rows == [["B"], ["c"]])
  }

  @Test func `content and titles that are set are shown, where there is something to show them`() {
    let table = table([["a"], ["b"]])
    table.setContent(Line(id: "b", section: 1, rank: 0, text: "B"), at: path(1, 0))
    table.setContent(Line(id: "b", section: 1, rank: 0, text: "B"), at: path(1, 1))
    table.setTitle("first", ofSection: 0)
    table.setTitle("last", ofSection: 2)
    #expect(table.sections == [TableSection("first", ["a"]), TableSection("1", ["B"])])
    #expect(table.exception == nil)
  }
}
