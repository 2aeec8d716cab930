import Annals
import AnnalsTesting
import Testing

/// Each rule of `Docs/MirrorTable.md`, broken by a bracket made by hand, in a strict and in a lenient table.
@Suite struct MirrorRuleTests {
  struct Broken: Sendable, CustomTestStringConvertible {
    let rule: MirrorRule
    var isLenientToo = true
    let sentence: String
    var list = "a: x y z | b: p q | c: r"
    var sections: [SectionChange] = []
    var rows: [RowChange<Cell>] = []
    /// What the data source has afterwards; nil for the result of the changes.
    var source: String?

    var testDescription: String { "\(rule.rawValue) \(sentence)" }
  }

  private static let broken: [Broken] = [
    // V1
    Broken(
      rule: .bounds, sentence: "attempt to delete section 3, but there are only 3 sections before the update",
      sections: [.delete(3, "d")]),
    Broken(
      rule: .bounds, sentence: "attempt to reload section 3, but there are only 3 sections before the update",
      sections: [.update(3, 3, "d", "D")]),
    Broken(
      rule: .bounds, sentence: "attempt to move section 3, but there are only 3 sections before the update",
      sections: [.move(3, 0, "d")]),
    Broken(
      rule: .bounds, sentence: "attempt to insert section 4, but there are only 4 sections after the update",
      sections: [.insert(4, "d")]),
    Broken(
      rule: .bounds, sentence: "attempt to move a section to 3, but there are only 3 sections after the update",
      sections: [.move(0, 3, "a")]),
    Broken(
      rule: .bounds,
      sentence: "attempt to delete row 3 from section 0 which only contains 3 rows before the update",
      rows: [.delete("x", [0, 3])]),
    Broken(
      rule: .bounds,
      sentence: "attempt to delete row 0 from section 3, but there are only 3 sections before the update",
      rows: [.delete("x", [3, 0])]),
    Broken(
      rule: .bounds,
      sentence: "attempt to reload row 3 from section 0 which only contains 3 rows before the update",
      rows: [.update("x", [0, 3], [0, 3])]),
    Broken(
      rule: .bounds,
      sentence: "attempt to move row 3 from section 0 which only contains 3 rows before the update",
      rows: [.move("x", [0, 3], [0, 0])]),
    Broken(
      rule: .bounds,
      sentence: "attempt to insert row 4 into section 0, but there are only 4 rows in section 0 after the update",
      rows: [.insert("n", [0, 4])]),
    Broken(
      rule: .bounds,
      sentence: "attempt to insert row 0 into section 3, but there are only 3 sections after the update",
      rows: [.insert("n", [3, 0])]),
    Broken(
      rule: .bounds,
      sentence:
        "attempt to move a row to row 3 of section 0, but there are only 3 rows in section 0 after the update",
      rows: [.move("x", [0, 0], [0, 3])]),
    // V2, V3
    Broken(
      rule: .sectionCount,
      sentence: "Invalid update: invalid number of sections. The number of sections contained in the table view after "
        + "the update (2) must be equal to the number of sections contained in the table view before the update (3), "
        + "plus or minus the number of sections inserted or deleted (1 inserted, 0 deleted).",
      sections: [.insert(0, "d")], source: "a: x y z | b: p q"),
    Broken(
      rule: .rowCount,
      sentence: "Invalid update: invalid number of rows in section 1. The number of rows contained in an existing "
        + "section after the update (2) must be equal to the number of rows contained in that section before the "
        + "update (2), plus or minus the number of rows inserted or deleted from that section (1 inserted, 1 deleted) "
        + "and plus or minus the number of rows moved into or out of that section (1 moved in, 0 moved out).",
      rows: [.delete("p", [1, 0]), .insert("n", [1, 0]), .move("x", [0, 0], [1, 1])],
      source: "a: y z | b: n q | c: r"),
    // V4
    Broken(
      rule: .sameSource, sentence: "attempt to perform a delete and a move from the same section (0)",
      sections: [.delete(0, "a"), .move(0, 1, "a")]),
    Broken(
      rule: .sameSource, sentence: "attempt to perform a delete and a reload from the same section (0)",
      sections: [.delete(0, "a"), .update(0, 0, "a", "A")]),
    Broken(
      rule: .sameSource, sentence: "attempt to perform a move and a reload from the same section (0)",
      sections: [.move(0, 1, "a"), .update(0, 1, "a", "A")]),
    Broken(
      rule: .sameSource, sentence: "attempt to perform a delete and a move from the same index path ([0, 0])",
      rows: [.delete("x", [0, 0]), .move("x", [0, 0], [0, 1])]),
    Broken(
      rule: .sameSource, sentence: "attempt to perform a reload and a move from the same index path ([0, 0])",
      rows: [.update("x", [0, 0], [0, 1]), .move("x", [0, 0], [0, 1])]),
    Broken(
      rule: .sameSource, sentence: "attempt to delete and reload the same index path ([0, 0])",
      rows: [.delete("x", [0, 0]), .update("x", [0, 0], [0, 0])]),
    // V5
    Broken(
      rule: .sameTarget, sentence: "attempt to move section 0 to two places",
      sections: [.move(0, 1, "a"), .move(0, 2, "a")]),
    Broken(
      rule: .sameTarget,
      sentence: "attempt to perform an insert and a move, or two moves, to the same section (1)",
      sections: [.insert(1, "d"), .move(0, 1, "a")]),
    Broken(
      rule: .sameTarget,
      sentence: "attempt to perform an insert and a move, or two moves, to the same section (1)",
      sections: [.move(2, 1, "c"), .move(0, 1, "a")]),
    Broken(
      rule: .sameTarget, sentence: "attempt to move row [0, 0] to two places",
      rows: [.move("x", [0, 0], [0, 1]), .move("x", [0, 0], [0, 2])]),
    Broken(
      rule: .sameTarget, sentence: "attempt to perform an insert and a move to the same index path ([0, 1])",
      rows: [.insert("n", [0, 1]), .move("x", [0, 0], [0, 1])]),
    Broken(
      rule: .sameTarget, sentence: "attempt to move more than one row to the same index path ([0, 1])",
      rows: [.move("z", [0, 2], [0, 1]), .move("x", [0, 0], [0, 1])]),
    // V6
    Broken(
      rule: .acrossSections, sentence: "cannot move an item from a deleted section (1)",
      sections: [.delete(1, "b")], rows: [.delete("q", [1, 1]), .move("p", [1, 0], [0, 0])]),
    Broken(
      rule: .acrossSections, sentence: "cannot move an item from a deleted section (1)",
      sections: [.update(1, 1, "b", "B")], rows: [.move("p", [1, 0], [0, 0])]),
    Broken(
      rule: .acrossSections, sentence: "cannot move a row into a newly inserted section (3)",
      sections: [.insert(3, "d")], rows: [.move("x", [0, 0], [3, 0])]),
    Broken(
      rule: .acrossSections, sentence: "cannot move a row into a newly inserted section (1)",
      sections: [.update(1, 1, "b", "B")], rows: [.move("x", [0, 0], [1, 0])]),
    // V7
    Broken(
      rule: .repeated, sentence: "attempt to delete section 0 twice", sections: [.delete(0, "a"), .delete(0, "a")]),
    Broken(
      rule: .repeated, sentence: "attempt to insert section 0 twice", sections: [.insert(0, "d"), .insert(0, "e")]),
    Broken(
      rule: .repeated, sentence: "attempt to reload section 0 twice",
      sections: [.update(0, 0, "a", "A"), .update(0, 0, "a", "B")]),
    Broken(
      rule: .repeated, sentence: "attempt to delete row [0, 0] twice",
      rows: [.delete("x", [0, 0]), .delete("x", [0, 0])]),
    Broken(
      rule: .repeated, sentence: "attempt to insert row [0, 0] twice",
      rows: [.insert("n", [0, 0]), .insert("m", [0, 0])]),
    Broken(
      rule: .repeated, sentence: "attempt to reload row [0, 0] twice",
      rows: [.update("x", [0, 0], [0, 0]), .update("x", [0, 0], [0, 0])]),
    // V8
    Broken(
      rule: .insideMovedSection, isLenientToo: false,
      sentence: "attempt to insert, delete, move or reload rows of section 1, which moves to 0 in the same batch",
      sections: [.move(1, 0, "b")], rows: [.delete("p", [1, 0])]),
    Broken(
      rule: .insideMovedSection, isLenientToo: false,
      sentence: "attempt to insert, delete, move or reload rows of section 1, which moves to 0 in the same batch",
      sections: [.move(1, 0, "b")], rows: [.insert("n", [0, 0])]),
    Broken(
      rule: .insideMovedSection, isLenientToo: false,
      sentence: "attempt to insert, delete, move or reload rows of section 1, which moves to 0 in the same batch",
      sections: [.move(1, 0, "b")], rows: [.update("p", [1, 0], [0, 0])]),
    Broken(
      rule: .insideMovedSection, isLenientToo: false,
      sentence: "attempt to insert, delete, move or reload rows of section 1, which moves to 0 in the same batch",
      sections: [.move(1, 0, "b")], rows: [.move("p", [1, 0], [0, 1])]),
    Broken(
      rule: .insideMovedSection, isLenientToo: false,
      sentence: "attempt to insert, delete, move or reload rows of section 1, which moves to 0 in the same batch",
      sections: [.move(1, 0, "b")], rows: [.move("x", [0, 0], [0, 1])]),
    // V9: the reported cases. The table view looks at the index path of a moved row, or at another one.
    Broken(
      rule: .updateAmongMoves, isLenientToo: false,
      sentence: "attempt to reload the row at [0, 3] in a batch that also moves rows. A table view reads the reloaded "
        + "row at [0, 4], but the row's new index path is [0, 3]. Reload the row in a separate batch",
      list: "a: v w x y z",
      rows: [
        .delete("z", [0, 4]), .insert("n", [0, 2]), .move("x", [0, 2], [0, 4]), .update("y", [0, 3], [0, 3]),
      ]),
    Broken(
      rule: .updateAmongMoves, isLenientToo: false,
      sentence: "attempt to reload the row at [0, 1] in a batch that also moves rows. A table view reads the reloaded "
        + "row at [0, 1], but the row's new index path is [0, 0]. Reload the row in a separate batch",
      rows: [.move("x", [0, 0], [0, 2]), .update("y", [0, 1], [0, 0])]),
    // V10
    Broken(
      rule: .displacedSection, isLenientToo: false,
      sentence: "attempt to move a row out of section 1, whose index changes in the same batch",
      sections: [.insert(0, "d")], rows: [.move("p", [1, 0], [2, 1])]),
    Broken(
      rule: .displacedSection, isLenientToo: false,
      sentence: "attempt to move a row into section 2, whose index changes in the same batch",
      sections: [.insert(1, "d")], rows: [.move("x", [0, 0], [2, 0])]),
    // What only a strict table refuses.
    Broken(
      rule: .incomplete, isLenientToo: false,
      sentence: "the batch deletes section 1, but doesn't delete all rows of the section",
      sections: [.delete(1, "b")], rows: [.delete("p", [1, 0])]),
    Broken(
      rule: .incomplete, isLenientToo: false,
      sentence: "the batch inserts section 3, but doesn't insert all rows of the section",
      sections: [.insert(3, "d")], source: "a: x y z | b: p q | c: r | d: n"),
    Broken(
      rule: .identity, isLenientToo: false,
      sentence:
        #"the change contains Cell(id: "n", group: "a", rank: 3, text: "old") for the index path [0, 3], but the list "#
        + #"has Cell(id: "n", group: "a", rank: 3, text: "new") at this path"#,
      rows: [.insert(row: Cell(id: "n", group: "a", rank: 3, text: "old"), at: [0, 3], moved: false)],
      source: "a: x y z n=new | b: p q | c: r"),
    Broken(
      rule: .identity, isLenientToo: false,
      sentence: #"attempt to update the title of section 1 to "B", but the list has the title "b""#,
      sections: [.update(1, 1, "b", "B")], source: "a: x y z | b: p q | c: r"),
    Broken(
      rule: .oneChange, isLenientToo: false,
      sentence: "one row has several changes (insert, update), but a row can have only one change, or a deletion and "
        + "an insertion",
      rows: [.insert("x", [0, 0]), .update("x", [0, 0], [0, 1])]),
    Broken(
      rule: .samePlace, isLenientToo: false,
      sentence: "attempt to move the row at [0, 0] to the index path that the row already has",
      rows: [.move("x", [0, 0], [0, 0])]),
    Broken(
      rule: .samePlace, isLenientToo: false,
      sentence: "attempt to move section 1 to the index that the section already has",
      sections: [.move(1, 1, "b")]),
    Broken(
      rule: .identity, isLenientToo: false,
      sentence: "attempt to delete the section with key b at index 0, but the section there has key a",
      sections: [.delete(0, "b")]),
    Broken(
      rule: .identity, isLenientToo: false,
      sentence: "attempt to delete the row with id x at [0, 1], but the row there has id y",
      rows: [.delete("x", [0, 1])]),
    Broken(
      rule: .identity, isLenientToo: false,
      sentence: "attempt to update the row at [0, 1] with the new index path [0, 1], but the row is at [0, 0] in the "
        + "new list",
      rows: [.delete("x", [0, 0]), .update("y", [0, 1], [0, 1])]),
    Broken(
      rule: .identity, isLenientToo: false,
      sentence: "attempt to update section 1 with the new index 0, but the section has the new index 1",
      sections: [.update(1, 0, "b", "B")]),
    Broken(
      rule: .needlessUpdate, isLenientToo: false,
      sentence: "needless update of the row at [0, 1]: the row is unchanged",
      rows: [.update(row: Cell(id: "y", group: "a", rank: 1), at: [0, 1], newAt: [0, 1])]),
    Broken(
      rule: .needlessUpdate, isLenientToo: false, sentence: "needless update of section 1: its title is unchanged",
      sections: [.update(1, 1, "b", "b")]),
    Broken(
      rule: .divergence, isLenientToo: false, sentence: "the table and the list have different sections or row ids",
      source: "a: y x z | b: p q | c: r"),
    Broken(
      rule: .identity, isLenientToo: false,
      sentence: #"the change contains Cell(id: "n", group: "", rank: 0, text: "") for the index path [0, 2], but the "#
        + #"list has Cell(id: "z", group: "a", rank: 2, text: "") at this path"#,
      rows: [.delete("x", [0, 0]), .insert("n", [0, 2])], source: "a: n y z | b: p q | c: r"),
  ]

  @Test(arguments: broken) func `a strict table refuses it`(broken: Broken) {
    let list = Results<Cell>(broken.list)
    var table = MirrorTable(list)
    let error = #expect(throws: MirrorTable<Cell>.Violation.self) {
      try table.apply(sections: broken.sections, rows: broken.rows, showing: broken.source.map { Results($0) })
    }
    #expect(error?.rule == broken.rule && error?.sentence == broken.sentence)
    #expect(error?.picture.isEmpty == (broken.source == nil))
    #expect(table.shows(list), "a batch that is refused changes nothing")
  }

  @Test(arguments: broken) func `a lenient table refuses what a table view refuses, and nothing else`(broken: Broken) {
    let list = Results<Cell>(broken.list)
    var table = MirrorTable(list, profile: .lenient)
    let apply = {
      try table.apply(sections: broken.sections, rows: broken.rows, showing: broken.source.map { Results($0) })
    }
    guard broken.isLenientToo else {
      #expect(throws: Never.self) { try apply() }
      return
    }
    let error = #expect(throws: MirrorTable<Cell>.Violation.self) { try apply() }
    #expect(error?.rule == broken.rule)
    #expect(error?.sentence == broken.sentence)
    #expect(table.shows(list))
  }

  @Test func `every rule is broken somewhere`() {
    // These concern the order of brackets, or whole batches; MirrorTableTests breaks them.
    let elsewhere: Set<MirrorRule> = [.afterReload, .countsBefore, .stale, .needlessMove, .bracket, .gap]
    #expect(Set(Self.broken.map(\.rule)).union(elsewhere) == Set(MirrorRule.allCases))
  }
}
