import Annals
import AnnalsTesting
import Testing

/// Each law of `Docs/ChangeSemantics.md`, on batches made by hand.
@Suite struct LawTests {
  private func list(
    _ items: [Item], numbers: [String: Double] = [:], titles: [String: String] = [:], at position: Position = 0,
    _ request: ListRequest<Item> = ListRequest(
      sort: [.ascending(\.rank)], section: .by(\.group, order: .byNumber))
  ) -> Results<Item> {
    var rows = Rows<Item>()
    for item in items { rows.insert(item) }
    for (group, number) in numbers { rows.numberSection(group, of: \.group, to: number) }
    for (group, title) in titles { rows.renameSection(group, of: \.group, to: title) }
    return Results(request, of: rows, at: position)
  }

  private func path(_ section: Int, _ row: Int) -> RowPath { RowPath(section: section, row: row) }

  /// The changes, which a strict table has accepted.
  private func changes(from old: Results<Item>, to new: Results<Item>) throws -> Changes<Item> {
    let changes = Changes(from: old, to: new)
    var table = MirrorTable(old)
    try table.apply(changes)
    #expect(table.shows(new))
    return changes
  }

  @Test func `applying the changes to the old list gives the new list, with equal ids and values`() throws {
    let old = list([Item("a", "x", 1), Item("b", "x", 2), Item("c", "y", 1), Item("d", "z", 1)])
    let new = list([Item("b", "y", 0, "new"), Item("a", "x", 7), Item("e", "x", 3), Item("f", "w", 1)])
    #expect(try !changes(from: old, to: new).isEmpty)
    #expect(try changes(from: old, to: old).isEmpty)
  }

  @Test func `deletions, updates and move sources use old indices, and insertions and move targets use new ones`()
    throws
  {
    let old = list([Item("a", "x", 1), Item("b", "x", 2), Item("c", "x", 3), Item("d", "x", 4), Item("e", "x", 5)])
    let new = list([Item("n", "x", 0), Item("d", "x", 1), Item("b", "x", 2), Item("c", "x", 3, "new")])
    #expect(
      try changes(from: old, to: new).rows == [
        .delete(row: Item("a", "x", 1), at: path(0, 0), moved: false),
        .delete(row: Item("e", "x", 5), at: path(0, 4), moved: false),
        .insert(row: Item("n", "x", 0), at: path(0, 0), moved: false),
        .move(row: Item("d", "x", 1), from: path(0, 3), to: path(0, 1), contentChanged: true),
        .update(row: Item("c", "x", 3, "new"), at: path(0, 2), newAt: path(0, 3)),
      ])
  }

  @Test func `a row that is deleted and reinserted in one batch is an update, a move or no change`() throws {
    var rows = Rows<Item>()
    for item in [Item("a", "x", 1), Item("b", "x", 2), Item("c", "x", 3)] { rows.insert(item) }
    let old = Results(.byGroup, of: rows, at: 0)
    for id in ["a", "b", "c"] { rows[id] = nil }
    rows.insert(Item("a", "x", 1))
    rows.insert(Item("b", "x", 2, "new"))
    rows.insert(Item("c", "x", 0))
    let changes = try changes(from: old, to: Results(.byGroup, of: rows, at: 1))
    #expect(
      changes.rows == [
        .move(row: Item("c", "x", 0), from: path(0, 2), to: path(0, 0), contentChanged: true),
        .update(row: Item("b", "x", 2, "new"), at: path(0, 1), newAt: path(0, 2)),
      ])
  }

  @Test func `a row that is inserted and deleted in one batch has no change`() throws {
    var rows = Rows<Item>()
    let old = Results(.byGroup, of: rows, at: 0)
    rows.insert(Item("a", "x", 1))
    rows["a"] = nil
    #expect(try changes(from: old, to: Results(.byGroup, of: rows, at: 2)).isEmpty)
  }

  @Test func `a row whose section and sort key haven't changed never moves`() throws {
    // Moving b would be the shortest way to the new order. But the key of b did not change, and those of a and c did.
    let old = list([Item("a", "x", 1), Item("b", "x", 2), Item("c", "x", 3)])
    let new = list([Item("a", "x", 5), Item("b", "x", 2), Item("c", "x", 6)])
    #expect(
      try changes(from: old, to: new).rows == [
        .move(row: Item("a", "x", 5), from: path(0, 0), to: path(0, 1), contentChanged: true),
        .update(row: Item("c", "x", 6), at: path(0, 2), newAt: path(0, 2)),
      ])
  }

  @Test func `a move reports whether the content changed too`() throws {
    let request = ListRequest<Item>(sort: [.ascending(\.rank)])
    let reversed = ListRequest<Item>(sort: [.descending(\.rank)])
    let old = list([Item("a", nil, 1), Item("b", nil, 2)], request)
    let new = list([Item("a", nil, 1), Item("b", nil, 2)], reversed)
    let changes = try changes(from: old, to: new)
    #expect(changes.rows.count == 1)
    guard case .move(_, _, _, contentChanged: false)? = changes.rows.first else {
      Issue.record("expected a move without a change of content, found \(changes.rows)")
      return
    }
  }

  @Test func `a row that leaves a deleted section or enters an inserted section is a pair`() throws {
    let old = list([Item("a", "x", 1), Item("b", "y", 1), Item("c", "y", 2)], numbers: ["x": 1, "y": 2, "z": 3])
    let new = list([Item("a", "z", 1), Item("b", "y", 1), Item("c", "y", 2)], numbers: ["x": 1, "y": 2, "z": 3])
    let changes = try changes(from: old, to: new)
    #expect(changes.sections == [.delete(index: 0, key: "x"), .insert(index: 1, key: "z", title: "z")])
    #expect(
      changes.rows == [
        .delete(row: Item("a", "x", 1), at: path(0, 0), moved: true),
        .insert(row: Item("a", "z", 1), at: path(1, 0), moved: true),
      ])
  }

  @Test func `a row moves between sections only if both sections keep their indices`() throws {
    let numbers: [String: Double] = ["w": 0, "x": 1, "y": 2]
    let old = list([Item("a", "x", 1), Item("b", "x", 2), Item("c", "y", 1)], numbers: numbers)
    let stay = list([Item("a", "y", 0), Item("b", "x", 2), Item("c", "y", 1)], numbers: numbers)
    #expect(
      try changes(from: old, to: stay).rows == [
        .move(row: Item("a", "y", 0), from: path(0, 0), to: path(1, 0), contentChanged: true)
      ])
    let shifted = list(
      [Item("new", "w", 1), Item("a", "y", 0), Item("b", "x", 2), Item("c", "y", 1)], numbers: numbers)
    #expect(
      try changes(from: old, to: shifted).rows == [
        .delete(row: Item("a", "x", 1), at: path(0, 0), moved: true),
        .insert(row: Item("new", "w", 1), at: path(0, 0), moved: false),
        .insert(row: Item("a", "y", 0), at: path(2, 0), moved: true),
      ])
  }

  @Test func `if a section is deleted or inserted, all its rows are deleted or inserted too`() throws {
    let old = list([Item("a", "x", 1), Item("b", "x", 2)])
    let new = list([Item("c", "y", 1), Item("d", "y", 2)])
    let changes = try changes(from: old, to: new)
    #expect(changes.sections.count == 2 && changes.rows.count == 4)
  }

  @Test
  func `a section moves if none of its rows are inserted, deleted or moved, even if rows or the title are updated`()
    throws
  {
    let items = [Item("a", "x", 1), Item("b", "x", 2), Item("c", "y", 1)]
    let old = list(items, numbers: ["x": 1, "y": 2])
    let new = list(
      [items[0], items[1], Item("c", "y", 1, "new")], numbers: ["x": 1, "y": 0], titles: ["y": "Y"])
    let changes = try changes(from: old, to: new)
    #expect(
      changes.sections == [
        .move(from: 1, to: 0, key: "y"), .update(index: 1, newIndex: 0, key: "y", title: "Y"),
      ])
    #expect(changes.rows == [.update(row: Item("c", "y", 1, "new"), at: path(1, 0), newAt: path(0, 0))])
  }

  @Test func `if a moving section has inserted, deleted or moved rows, it is reinserted with all its rows as pairs`()
    throws
  {
    let old = list(
      [Item("a", "x", 1), Item("b", "x", 2), Item("e", "x", 3), Item("c", "y", 1)], numbers: ["x": 1, "y": 2])
    let new = list(
      [Item("a", "x", 1), Item("b", "x", 2), Item("c", "y", 1), Item("d", "y", 2)], numbers: ["x": 1, "y": 0])
    let changes = try changes(from: old, to: new)
    #expect(changes.sections == [.delete(index: 1, key: "y"), .insert(index: 0, key: "y", title: "y")])
    #expect(
      changes.rows == [
        .delete(row: Item("e", "x", 3), at: path(0, 2), moved: false),
        .delete(row: Item("c", "y", 1), at: path(1, 0), moved: true),
        .insert(row: Item("c", "y", 1), at: path(0, 0), moved: true),
        .insert(row: Item("d", "y", 2), at: path(0, 1), moved: false),
      ])
  }

  @Test func `composed changes equal the direct change, and inverted changes restore the old list`() throws {
    try check(
      .array(of: .itemBatch, count: 10...20), .set(of: .int(in: 0...10), count: 2...3),
      settings: CheckSettings(examples: 200)
    ) { batches, marks in
      var rows = Rows<Item>()
      var lists = [Results(.byGroup, of: rows, at: 0)]
      for (step, batch) in batches.enumerated() {
        for edit in batch { try edit.apply(to: &rows) }
        lists.append(Results(.byGroup, of: rows, at: Position(step + 1)))
      }
      let marks = marks.sorted()
      let first = Changes(from: lists[marks[0]], to: lists[marks[1]], cause: .events)
      let second = Changes(from: lists[marks[1]], to: lists[marks[marks.count - 1]], cause: .seek)
      let both = first.then(second)
      let direct = Changes(from: first.old, to: second.new)
      try ensure(both.rows == direct.rows && both.sections == direct.sections, "composed: \(both), direct: \(direct)")
      try ensureEqual(both.cause, [.events, .seek])
      var table = MirrorTable(first.new)
      try table.apply(first.inverted)
      try ensure(table.shows(first.old), "the inverted changes do not lead back")
      try ensure(first.inverted.inverted.rows == first.rows, "inverted twice the changes are others")
      try ensureEqual(first.old.rows.map(\.id).applying(first.difference), first.new.rows.map(\.id))
      for moves in [[], .rows, .sections, [.rows, .sections]] as [MoveReporting] {
        var table = MirrorTable(first.old)
        try table.apply(first.reporting(moves))
        try ensure(table.shows(first.new), "with \(moves) reported the table shows \(table.sections)")
      }
    }
  }
}
