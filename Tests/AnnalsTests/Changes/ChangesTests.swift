import Annals
import AnnalsTesting
import Foundation
import Testing

@Suite struct ChangesTests {
  static let requests: [ListRequest<Item>] = [
    ListRequest(sort: [.ascending(\.rank)], section: .by(\.group)),
    ListRequest(sort: [.descending(\.rank), .ascending(\.name)], section: .by(\.group, order: .byNumber)),
    ListRequest(sort: [.ascending(\.rank)]),
    ListRequest(
      filter: .where { $0.rank != 1 }, sort: [.ascending(\.name)], section: .by(\.group, order: .byTitle), limit: 4,
      offset: 1),
    ListRequest(sort: [.ascending(\.rank)], section: .by("half") { $0.rank / 2 }, limit: 3),
    ListRequest(sort: [.ascending(\.rank)], section: .by(\.group, pinned: ["a", "z", nil])),
    ListRequest(sort: [.descending(\.rank)], section: .by(\.group, order: .byRows, pinned: ["z"])),
    ListRequest(
      filter: .where { $0.rank != 1 },
      sort: [
        .descending(\.name, by: { $0 == $1 ? .orderedSame : $0 < $1 ? .orderedAscending : .orderedDescending }),
        .ascending(\.rank),
      ], section: .by(\.group, order: .byRows.descending, pinned: ["a", "z", nil]), limit: 6, offset: 1),
    ListRequest(sort: [.descending(\.group), .ascending(\.rank)], section: .by(\.group)),
  ]

  /// For each request: whether two versions of a row have the same sort key.
  private static let sameKeys: [@Sendable (Item, Item) -> Bool] = [
    { $0.rank == $1.rank }, { $0.rank == $1.rank && $0.name == $1.name }, { $0.rank == $1.rank },
    { $0.name == $1.name }, { $0.rank == $1.rank }, { $0.rank == $1.rank }, { $0.rank == $1.rank },
    { $0.name == $1.name && $0.rank == $1.rank }, { $0.rank == $1.rank },
  ]

  @Test(arguments: requests.indices) func `a table that gets the changes shows the new list`(request: Int) throws {
    try AnnalsTesting.check(
      .array(of: .itemBatch, count: 10...30), settings: CheckSettings(examples: 150)
    ) { batches in
      var rows = Rows<Item>()
      var list = Results(Self.requests[request], of: rows, at: 0)
      var mirror = MirrorTable(list)
      for (step, batch) in batches.enumerated() {
        for edit in batch { try edit.apply(to: &rows) }
        let next = Results(Self.requests[request], of: rows, at: Position(step + 1))
        try check(Changes(from: list, to: next), with: &mirror, sameKey: Self.sameKeys[request])
        list = next
      }
    }
  }

  @Test func `a changed request is an ordinary difference`() throws {
    let steps = Generator.array(of: zip(.itemBatch, .int(in: 0...Self.requests.count - 1)), count: 10...30)
    try AnnalsTesting.check(steps, settings: CheckSettings(examples: 150)) { steps in
      var rows = Rows<Item>()
      var list = Results(Self.requests[0], of: rows, at: 0)
      var mirror = MirrorTable(list)
      for (step, (batch, request)) in steps.enumerated() {
        for edit in batch { try edit.apply(to: &rows) }
        let next = Results(Self.requests[request], of: rows, at: Position(step + 1))
        try check(Changes(from: list, to: next), with: &mirror)
        list = next
      }
    }
  }

  @Test func `the changes of all pairs of lists of up to three rows in two sections are right`() throws {
    // Each row is absent, or has one of two sections and two ranks: 5³ lists, in all pairs. An optimized build tries up
    // to four rows in three sections, with `benchmarks stress --exhaustive`.
    let lists = (0..<125).map { number in
      var rows = Rows<Item>()
      for (place, id) in ["x", "y", "z"].enumerated() {
        let choice = number / [1, 5, 25][place] % 5
        if choice > 0 { rows.insert(Item(id: id, group: choice > 2 ? "b" : "a", rank: choice % 2, name: "")) }
      }
      return Results(Self.requests[0], of: rows, at: 0)
    }
    for old in lists {
      for new in lists {
        var mirror = MirrorTable(old)
        try check(Changes(from: old, to: new), with: &mirror, sameKey: Self.sameKeys[0])
      }
    }
  }

  @Test func `rotating a thousand rows is one move`() {
    func list(first: Int) -> Results<Item> {
      var rows = Rows<Item>()
      for number in 0..<1_000 {
        rows.insert(Item(id: "\(number)", group: nil, rank: number == 0 ? first : number, name: ""))
      }
      return Results(Self.requests[2], of: rows, at: 0)
    }
    let changes = Changes(from: list(first: 0), to: list(first: 5_000))
    #expect(changes.rows.count == 1)
    #expect(moves(changes) == 1)
  }

  @Test func `deleting the first row and renumbering the rest is one deletion and updates`() {
    func list(_ ids: [String]) -> Results<Item> {
      var rows = Rows<Item>()
      for (rank, id) in ids.enumerated() { rows.insert(Item(id: id, group: nil, rank: rank, name: "")) }
      return Results(Self.requests[2], of: rows, at: 0)
    }
    let changes = Changes(from: list(["a", "b", "c"]), to: list(["b", "c"]))
    #expect(changes.rows.count == 3)
    #expect(moves(changes) == 0)
  }

  @Test func `renaming a section is one section change`() {
    var rows = Rows<Item>()
    for number in 0..<10 { rows.insert(Item(id: "\(number)", group: "a", rank: number, name: "")) }
    let old = Results(Self.requests[0], of: rows, at: 0)
    rows.renameSection("a", of: \.group, to: "Alpha")
    let changes = Changes(from: old, to: Results(Self.requests[0], of: rows, at: 1))
    #expect(changes.sections == [.update(index: 0, newIndex: 0, key: "a", title: "Alpha")])
    #expect(changes.rows.isEmpty)
  }

  @Test func `if two sections change places, the section without row changes moves, and no row becomes a pair`() {
    var rows = Rows<Item>()
    for number in 0..<5 { rows.insert(Item(id: "a\(number)", group: "a", rank: number, name: "")) }
    rows.insert(Item(id: "b", group: "b", rank: 0, name: ""))
    let old = Results(Self.requests[1], of: rows, at: 0)
    rows.numberSection("b", of: \.group, to: 1)
    let swap = Changes(from: old, to: Results(Self.requests[1], of: rows, at: 1))
    #expect(swap.rows.isEmpty)
    #expect(swap.sections.count == 1)
    rows.insert(Item(id: "a9", group: "a", rank: 9, name: ""))
    let dirty = Changes(from: old, to: Results(Self.requests[1], of: rows, at: 1))
    #expect(dirty.sections == [.move(from: 1, to: 0, key: "b")])
    #expect(dirty.rows.count == 1)
  }

  /// Checks the laws of every difference, and that the mirror shows the new list.
  private func check(
    _ changes: Changes<Item>, with mirror: inout MirrorTable<Item>, sameKey: ((Item, Item) -> Bool)? = nil
  ) throws {
    try mirror.apply(changes)
    try ensure(mirror.shows(changes.new), "the table shows \(mirror.sections), not \(changes.new)")
    try ensureEqual(changes.isEmpty, changes.old == changes.new)
    guard let sameKey else { return }
    for (index, section) in changes.new.sections.enumerated() {
      // Inside a section that kept its number, only as many rows move as must. A longest run that keeps its order
      // stays, with every row whose sort key did not change.
      guard changes.old.sections.indices.contains(index), changes.old.sections[index].key == section.key else {
        continue
      }
      let isInserted = changes.sections.contains {
        if case .insert(let at, _, _) = $0 { at == index } else { false }
      }
      if isInserted { continue }
      let run = section.compactMap { row -> (old: Int, isFixed: Bool)? in
        guard let path = changes.old.path(forID: row.id), path.section == index else { return nil }
        let before = changes.old.sections[index][path.row]
        return (path.row, sameKey(before, row))
      }
      let moved = changes.rows.filter { change in
        switch change {
        case .move(_, let from, let to, _): from.section == index && to.section == index
        case .delete(let row, let from, true):
          from.section == index && changes.new.path(forID: row.id)?.section == index
        default: false
        }
      }.count
      let least = run.count - longestRun(run)
      try ensure(moved == least, "\(moved) rows leave their order, \(least) must")
    }
  }

  /// The length of a longest increasing run that contains every fixed row, found slowly.
  private func longestRun(_ run: [(old: Int, isFixed: Bool)]) -> Int {
    var longest: [Int] = []
    for place in run.indices {
      var length = run[..<place].contains { $0.isFixed } ? Int.min / 2 : 1
      for earlier in 0..<place
      where run[earlier].old < run[place].old && !run[(earlier + 1)..<place].contains(where: \.isFixed) {
        length = max(length, longest[earlier] + 1)
      }
      longest.append(length)
    }
    let last = run.lastIndex { $0.isFixed } ?? 0
    return longest[min(last, longest.count)...].max() ?? 0
  }

  private func moves(_ changes: Changes<Item>) -> Int {
    changes.rows.filter { if case .move = $0 { true } else { false } }.count
  }
}

struct Item: Row, Hashable {
  var id: String
  var group: String?
  var rank: Int
  var name: String
}
