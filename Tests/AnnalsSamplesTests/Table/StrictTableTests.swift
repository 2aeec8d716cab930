import Annals
import AnnalsSamples
import Foundation
import Testing

/// UIKit's rules, each with a batch that breaks it.
@Suite struct StrictTableTests {
  /// What a table that showed `old` shows or raises after a batch to `new`.
  private func result(
    _ old: [[String]] = [["a", "b"], ["c"]], to new: [[String]], _ batch: (StrictTable) -> Void
  ) -> (rows: [[String]], exception: String?) {
    let (table, source) = (StrictTable(), TableSource(old))
    table.dataSource = source
    table.reloadData()
    table.beginUpdates()
    source.sections = new
    batch(table)
    table.endUpdates()
    return (table.sections.map(\.rows), table.exception)
  }

  private func path(_ section: Int, _ row: Int) -> IndexPath { IndexPath(row: row, section: section) }

  @Test func `an index must be one that the table has`() {
    let same = [["a", "b"], ["c"]]
    #expect(
      result(to: same) { $0.deleteRow(at: path(0, 2)) }.exception
        == "attempt to delete row 2 from section 0, which only contains 2 rows before the update")
    #expect(
      result(to: same) { $0.insertRow(at: path(2, 0)) }.exception
        == "attempt to insert row 0 into section 2, but there are only 2 sections after the update")
    #expect(
      result(to: same) { $0.deleteSection(2) }.exception
        == "attempt to delete section 2, but there are only 2 sections before the update")
    #expect(
      result(to: same) { $0.insertSection(3) }.exception
        == "attempt to insert section 3, but there are only 2 sections after the update")
    #expect(
      result(to: same) { $0.moveRow(at: path(0, 0), to: path(1, 1)) }.exception
        == "attempt to move row 1 into section 1, which only contains 1 rows after the update")
  }

  @Test func `the numbers of sections and rows must add up`() {
    #expect(
      result(to: [["a", "b"]]) { $0.insertRow(at: path(0, 0)) }.exception
        == "invalid number of sections: the 1 after the update must be the 2 before it, plus or minus those inserted "
        + "or deleted (0 inserted, 0 deleted)")
    #expect(
      result(to: [["a", "b", "x"], ["c"]]) { $0.reloadRow(at: path(0, 0)) }.exception
        == "invalid number of rows in section 0: the 3 after the update must be the 2 before it, plus or minus those "
        + "inserted or deleted (0 inserted, 0 deleted) and those moved in or out (0 in, 0 out)")
  }

  @Test func `nothing leaves a place twice`() {
    let from = [
      result(to: [["b"], ["c"]]) {
        $0.deleteRow(at: path(0, 0))
        $0.deleteRow(at: path(0, 0))
      },
      result(to: [["b"], ["c"]]) {
        $0.deleteRow(at: path(0, 0))
        $0.moveRow(at: path(0, 0), to: path(0, 0))
      },
      result(to: [["b"], ["c"]]) {
        $0.deleteRow(at: path(0, 0))
        $0.reloadRow(at: path(0, 0))
      },
    ].map(\.exception)
    #expect(
      from == [
        "attempt to perform two deletes from the same index path ([0, 0])",
        "attempt to perform a delete and a move from the same index path ([0, 0])",
        "attempt to perform a delete and a reload from the same index path ([0, 0])",
      ])
    #expect(
      result(to: [["c"]]) {
        $0.deleteSection(0)
        $0.moveSection(0, to: 0)
      }.exception == "attempt to perform a delete and a move from the same section (0)")
  }

  @Test func `nothing comes to a place twice`() {
    #expect(
      result(to: [["x", "b", "a"], ["c"]]) {
        $0.insertRow(at: path(0, 2))
        $0.moveRow(at: path(0, 0), to: path(0, 2))
      }.exception == "attempt to perform an insert and a move to the same index path ([0, 2])")
    #expect(
      result(to: [["x"], ["a", "b"], ["c"]]) {
        $0.insertSection(0)
        $0.insertSection(0)
      }.exception == "attempt to perform two inserts to the same section (0)")
  }

  @Test func `rows neither leave deleted sections nor enter inserted ones as moves`() {
    #expect(
      result(to: [["a", "b", "c"]]) {
        $0.deleteSection(1)
        $0.moveRow(at: path(1, 0), to: path(0, 2))
      }.exception == "cannot move a row from a deleted section (1)")
    #expect(
      result(to: [["a"], ["c"], ["b"]]) {
        $0.insertSection(2)
        $0.moveRow(at: path(0, 1), to: path(2, 0))
      }.exception == "cannot move a row into a newly inserted section (2)")
    #expect(
      result(to: [["a"], ["c", "b"]]) {
        $0.reloadSection(1)
        $0.moveRow(at: path(0, 1), to: path(1, 1))
      }.exception == "cannot move a row into a newly inserted or reloaded section (1)")
  }

  @Test func `a moved section's rows are left alone`() {
    #expect(
      result(to: [["c"], ["b"]]) {
        $0.moveSection(0, to: 1)
        $0.deleteRow(at: path(0, 0))
      }.exception == "cannot change rows of section 0, which moves to 1 in the same update")
    #expect(
      result(to: [["a", "b"], ["c"]]) { $0.moveSection(1, to: 1) }.exception == "cannot move section 1 to where it is")
  }

  @Test func `after reloadData nothing more is taken in the same updates`() {
    let reason = "attempt to update the table after reloadData inside the same updates"
    #expect(
      result(to: [["x"]]) {
        $0.reloadData()
        $0.deleteRow(at: path(0, 0))
      }.exception == reason)
    let alone = result(to: [["x"]]) { $0.reloadData() }
    #expect(alone.exception == nil)
    #expect(alone.rows == [["x"]])
  }

  @Test func `a reloaded section may have any number of rows, and its header is reloaded`() {
    let reloaded = result(to: [["x"], ["C"]]) {
      $0.reloadSection(0)
      $0.reloadRow(at: path(1, 0))
      // Changes inside a reloaded section do not count.
      $0.deleteRow(at: path(0, 1))
    }
    #expect(reloaded.exception == nil)
    #expect(reloaded.rows == [["x"], ["C"]])
  }

  @Test func `outside of a bracket each call is an update of its own`() {
    let (table, source) = (StrictTable(), TableSource([["a"]]))
    table.dataSource = source
    table.reloadData()
    source.sections = [["a", "b"]]
    table.insertRow(at: path(0, 1))
    #expect(table.sections.map(\.rows) == [["a", "b"]])
    table.endUpdates()
    #expect(table.exception == "endUpdates without beginUpdates")
    table.reloadData()
    table.setText("z", at: path(0, 0))
    #expect(table.sections.map(\.rows) == [["a", "b"]], "nothing happens after an exception")
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

  @Test func `a right batch gives the new rows, and a moved row keeps its old text`() {
    let right = result(to: [["n"], ["C", "b", "A"]]) {
      $0.insertSection(0)
      $0.deleteSection(1)
      $0.moveRow(at: path(0, 0), to: path(1, 2))
      $0.insertRow(at: path(1, 0))
    }
    #expect(right.exception == nil)
    #expect(right.rows == [["n"], ["C", "b", "a"]])
    let reloaded = result(to: [["c"], ["B"]]) {
      $0.moveSection(1, to: 0)
      $0.deleteSection(0)
      $0.insertSection(1)
    }
    #expect(reloaded.exception == nil)
    #expect(reloaded.rows == [["c"], ["B"]])
  }
}
