import Annals
import AnnalsTesting
import Testing

/// A batch in the terms of other views: each conversion is applied to plain arrays, which must show the new list.
@Suite struct ConversionTests {
  private static let requests: [ListRequest<Item>] = [
    ListRequest(sort: [.ascending(\.rank)], section: .by(\.group)),
    ListRequest(sort: [.descending(\.rank), .ascending(\.name)], section: .by(\.group, order: .byNumber)),
    ListRequest(sort: [.ascending(\.rank)]),
    ListRequest(sort: [.ascending(\.name)], section: .by(\.group, order: .byTitle), limit: 5, offset: 1),
    ListRequest(sort: [.ascending(\.rank)], section: .by(\.group, order: .byNumber, pinned: ["a", "z", nil])),
    ListRequest(sort: [.descending(\.rank)], section: .by(\.group, order: .byRows)),
  ]

  /// Calls a body with the changes of random histories.
  ///
  /// Sometimes the request changes; moves are reported or not.
  private static func forEachBatch(_ body: @escaping (Changes<Item>) throws -> Void) throws {
    let request = Generator<Int>.int(in: 0...4)
    let next = Generator<Int?>.frequency(
      (6, Generator<Int?>.element(of: [nil])), (1, request.map { $0 as Int? }))
    let moves = Generator<MoveReporting>.element(of: [.rows, [], .sections, [.rows, .sections]])
    let steps = Generator.array(of: zip(.itemBatch, next, moves), count: 10...30)
    try check(request, steps, settings: CheckSettings(examples: 200)) { first, steps in
      var rows = Rows<Item>()
      var request = first
      var list = Results(Self.requests[request], of: rows, at: 0)
      for (number, (batch, other, moves)) in steps.enumerated() {
        for edit in batch { try edit.apply(to: &rows) }
        request = other ?? request
        let next = Results(Self.requests[request], of: rows, at: Position(number + 1))
        try body(Changes(from: list, to: next).reporting(moves))
        list = next
      }
    }
  }

  @Test func `applying single edits one at a time gives the new list`() throws {
    try Self.forEachBatch { changes in
      var table = MirrorTable(changes.old, profile: .sequential)
      try table.apply(changes)
      try table.ensureShows(changes.new)
    }
  }

  @Test func `single edits lead plain arrays of arrays to the new list`() throws {
    try Self.forEachBatch { changes in
      var shown = changes.old.map { (key: $0.key, title: $0.title, rows: Array($0)) }
      for edit in changes.edits {
        switch edit {
        case .section(.delete(let index, let key)): try ensureEqual(shown.remove(at: index).key, key)
        case .section(.insert(let index, let key, let title)): shown.insert((key, title, []), at: index)
        case .section(.move(let from, let to, _)):
          try ensure(from != to, "a section moves to where it was")
          shown.insert(shown.remove(at: from), at: to)
        case .section(.update(let index, _, _, let title)): shown[index].title = title
        case .row(.delete(let row, let at, _)):
          try ensureEqual(shown[at.section].rows.remove(at: at.row).id, row.id)
        case .row(.insert(let row, let at, _)): shown[at.section].rows.insert(row, at: at.row)
        case .row(.move(_, let from, let to, _)):
          try ensure(from != to, "a row moves to where it was")
          shown[to.section].rows.insert(shown[from.section].rows.remove(at: from.row), at: to.row)
        case .row(.update(let row, let at, _)): shown[at.section].rows[at.row] = row
        }
      }
      try ensureEqual(shown.map(\.key), changes.new.map(\.key))
      try ensureEqual(shown.map(\.title), changes.new.map(\.title))
      try ensureEqual(shown.map(\.rows), changes.new.map { Array($0) })
    }
  }

  @Test func `applying range edits to a flat array gives the new list, with and without headers`() throws {
    try Self.forEachBatch { changes in
      for headers in [false, true] {
        func items(_ list: Results<Item>) -> [String] {
          list.flatMap { section in
            (headers ? ["section \(section.key) \(section.title)"] : []) + section.map { "\($0)" }
          }
        }
        // Nil is an item that the view has not loaded; it loads from the new list at the end.
        var shown = items(changes.old) as [String?]
        for edit in changes.rangeEdits(headers: headers) {
          switch edit {
          case .delete(let range): shown.removeSubrange(range)
          case .move(let from, let to):
            try ensure(from != to, "an item moves to where it was")
            shown.insert(shown.remove(at: from), at: to)
          case .insert(let range): shown.insert(contentsOf: range.map { _ in nil }, at: range.lowerBound)
          case .update(let range): for index in range { shown[index] = nil }
          }
        }
        let wanted = items(changes.new)
        try ensureEqual(shown.count, wanted.count)
        for (index, item) in shown.enumerated() {
          if let item { try ensureEqual(item, wanted[index]) }
        }
      }
    }
  }

  @Test func `neighbors that are inserted, deleted or updated form one range`() {
    func list(_ ids: String, _ name: String = "") -> Results<Item> {
      var rows = Rows<Item>()
      for id in ids { rows.insert(Item("\(id)", nil, Int(id.asciiValue ?? 0), "bcd".contains(id) ? name : "")) }
      return Results(ListRequest(sort: [.ascending(\.rank)]), of: rows, at: 0)
    }
    let changes = Changes(from: list("abcdxyz"), to: list("abcdefw", "new"))
    #expect(changes.rangeEdits() == [.delete(4..<7), .insert(4..<7), .update(1..<4)])
  }

  @Test func `the cost of single edits depends on the number of changes, not on the length of the list`() {
    func cost(rows count: Int, changes changed: Int) -> Int {
      let request = ListRequest<Item>(sort: [.ascending(\.rank)], section: .by(\.group))
      var rows = Rows<Item>()
      for number in 0..<count { rows.insert(Item("\(number)", "\(number % 10)", number * 10)) }
      let prepared = PreparedRequest(request)
      let old = Results(prepared, of: &rows, at: 0, knowing: nil)
      var chance = SplitMix64(seed: 1)
      for number in 0..<changed {
        let id = "\(number * (count / changed))"
        switch number % 4 {
        case 0: rows[id] = nil
        case 1: rows.insert(Item("new \(number)", "\(number % 10)", Int(chance.next() % UInt64(count * 10))))
        case 2: rows[id]?.group = "\(chance.next() % 10)"
        default: rows[id]?.rank = Int(chance.next() % UInt64(count * 10))
        }
      }
      let changes = Changes(from: old, to: Results(prepared, of: &rows, at: 1, knowing: old))
      #expect(changes.rows.count >= changed * 9 / 10)
      return EditSequence(sections: changes.sections, rows: changes.rows).cost
    }
    for changed in [40, 400, 4_000] {
      let most = 12 * changed * (Int.bitWidth - changed.leadingZeroBitCount)
      #expect(cost(rows: 8_000, changes: changed) < most)
      #expect(cost(rows: 80_000, changes: changed) < most)
    }
  }

  @Test func `applying the difference of all row ids, regardless of sections, gives the new ids`() throws {
    try Self.forEachBatch { changes in
      try ensureEqual(changes.old.rows.map(\.id).applying(changes.difference), changes.new.rows.map(\.id))
    }
  }

  @Test func `applying the differences of the sections and of their rows gives the new list`() throws {
    try Self.forEachBatch { changes in
      let keys = changes.old.map(\.key).applying(changes.sectionDifference)
      try ensureEqual(keys, changes.new.map(\.key))
      var shown: [SectionKey: [String]] = [:]
      for section in changes.old { shown[section.key] = section.map(\.id) }
      for change in changes.sections {
        if case .insert(_, let key, _) = change { shown[key] = [] }
      }
      for difference in changes.rowDifferences {
        try ensureEqual(changes.new[difference.index].key, difference.key)
        try ensureEqual(
          difference.isInserted,
          changes.sections.contains { if case .insert(difference.index, _, _) = $0 { true } else { false } })
        shown[difference.key] = shown[difference.key]?.applying(difference.rows)
      }
      for section in changes.new { try ensureEqual(shown[section.key], section.map(\.id)) }
      // An id that is there before and after, and is not in a pair, must have its old content.
      for section in changes.new {
        guard let old = changes.old[key: section.key] else { continue }
        let difference = changes.rowDifferences.first { $0.key == section.key }
        for row in section where !(difference?.isInserted ?? false) {
          guard let before = old.first(where: { $0.id == row.id }), before != row else { continue }
          try ensure(
            difference?.rows.insertions.contains { $0.id == row.id } ?? false, "\(row) changed and nothing says so")
        }
      }
    }
  }

  @Test func `a difference associates removal and insertion if a row moves or changes, or a title changes`() {
    func list(_ items: [Item], title: String = "a") -> Results<Item> {
      var rows = Rows<Item>()
      for item in items { rows.insert(item) }
      rows.renameSection("a", of: \.group, to: title)
      return Results(.byGroup, of: rows, at: 0)
    }
    let old = list([Item("x", "a", 1), Item("y", "a", 2), Item("z", "a", 3), Item("u", "b", 1)])
    let new = list([Item("x", "a", 4), Item("y", "a", 2, "new"), Item("z", "b", 3), Item("u", "b", 1)], title: "A")
    let changes = Changes(from: old, to: new)
    #expect(changes.sectionDifference.insertions == [.insert(offset: 0, element: "a", associatedWith: 0)])
    let (first, second) = (changes.rowDifferences[0].rows, changes.rowDifferences[1].rows)
    #expect(
      first.insertions == [
        .insert(offset: 0, element: "y", associatedWith: 1), .insert(offset: 1, element: "x", associatedWith: 0),
      ])
    #expect(
      first.removals == [
        .remove(offset: 0, element: "x", associatedWith: 1), .remove(offset: 1, element: "y", associatedWith: 0),
        .remove(offset: 2, element: "z", associatedWith: nil),
      ])
    #expect(Array(second) == [.insert(offset: 1, element: "z", associatedWith: nil)])
  }
}

extension CollectionDifference.Change where ChangeElement == String {
  fileprivate var id: String {
    switch self {
    case .insert(_, let id, _), .remove(_, let id, _): id
    }
  }
}
