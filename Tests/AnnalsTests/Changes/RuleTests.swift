import Annals
import AnnalsTesting
import Synchronization
import Testing

/// Rules of `Docs/ChangeSemantics.md` that hold for every batch, or concern its cost.
@Suite struct RuleTests {
  private static let byNumber = ListRequest<Item>(
    sort: [.ascending(\.rank)], section: .by(\.group, order: .byNumber))

  private func list(
    _ items: [Item], numbers: [String: Double] = [:], _ request: ListRequest<Item> = byNumber
  ) -> Results<Item> {
    var rows = Rows<Item>()
    for item in items { rows.insert(item) }
    for (group, number) in numbers { rows.numberSection(group, of: \.group, to: number) }
    return Results(request, of: rows, at: 0)
  }

  /// Calls a body with the changes of random histories in several orders.
  private func forEachBatch(_ body: @escaping (Changes<Item>) throws -> Void) throws {
    let requests = [.byGroup, Self.byNumber, ListRequest<Item>(sort: [.descending(\.name), .ascending(\.rank)])]
    try check(.int(in: 0...2), .array(of: .itemBatch, count: 10...25), settings: CheckSettings(examples: 200)) {
      request, batches in
      var rows = Rows<Item>()
      var old = Results(requests[request], of: rows, at: 0)
      for (number, batch) in batches.enumerated() {
        for edit in batch { try edit.apply(to: &rows) }
        let new = Results(requests[request], of: rows, at: Position(number + 1))
        try body(Changes(from: old, to: new))
        old = new
      }
    }
  }

  @Test func `the changes are empty if and only if the lists are equal`() throws {
    try forEachBatch { changes in
      let (old, new) = (
        changes.old.map { ($0.key, $0.title, Array($0)) }, changes.new.map { ($0.key, $0.title, Array($0)) }
      )
      let areEqual = old.elementsEqual(new) { $0.0 == $1.0 && $0.1 == $1.1 && $0.2 == $1.2 }
      try ensureEqual(changes.isEmpty, areEqual)
      sometimes(areEqual, "a batch that comes to nothing")
    }
  }

  @Test func `deletions precede insertions, moves and updates, and every kind is sorted by index`() throws {
    try forEachBatch { changes in
      let rows = changes.rows.map { change -> (Int, RowPath) in
        switch change {
        case .delete(_, let at, _): (0, at)
        case .insert(_, let at, _): (1, at)
        case .move(_, _, let to, _): (2, to)
        case .update(_, _, let newAt): (3, newAt)
        }
      }
      let sections = changes.sections.map { change -> (Int, Int) in
        switch change {
        case .delete(let index, _): (0, index)
        case .insert(let index, _, _): (1, index)
        case .move(_, let to, _): (2, to)
        case .update(_, let newIndex, _, _): (3, newIndex)
        }
      }
      try ensure(zip(rows, rows.dropFirst()).allSatisfy { $0 < $1 }, "\(changes.rows)")
      try ensure(zip(sections, sections.dropFirst()).allSatisfy { $0 < $1 }, "\(changes.sections)")
    }
  }

  @Test func `a row has at most one change, or a deletion and an insertion that are both marked as moved`() throws {
    try forEachBatch { changes in
      var counts: [String: Int] = [:]
      var (leaving, coming): (Set<String>, Set<String>) = ([], [])
      for change in changes.rows {
        switch change {
        case .delete(let row, _, moved: true): leaving.insert(row.id)
        case .insert(let row, _, moved: true):
          coming.insert(row.id)
          counts[row.id, default: 0] += 1
        default: counts[change.row.id, default: 0] += 1
        }
      }
      try ensureEqual(leaving, coming)
      try ensure(counts.values.allSatisfy { $0 == 1 }, "\(changes.rows)")
      sometimes(!leaving.isEmpty, "a pair")
    }
  }

  @Test func `no more rows move than necessary`() {
    // Every order of six rows: all rows leave it, except a longest run that keeps its order.
    func permutations(_ rest: [Int]) -> [[Int]] {
      rest.isEmpty ? [[]] : rest.flatMap { first in permutations(rest.filter { $0 != first }).map { [first] + $0 } }
    }
    let old = list((0..<6).map { Item("\($0)", "x", $0) })
    for order in permutations(Array(0..<6)) {
      // All keys are new, so that no key keeps its row in place.
      let new = list(order.enumerated().map { place, id in Item("\(id)", "x", 10 + place) })
      let changes = Changes(from: old, to: new)
      let left = changes.rows.count { change in
        switch change {
        case .move, .delete(_, _, moved: true): true
        default: false
        }
      }
      var longest = 0
      for subset in 0..<64 {
        let kept = order.filter { subset >> $0 & 1 == 1 }
        if zip(kept, kept.dropFirst()).allSatisfy({ $0 < $1 }) { longest = max(longest, kept.count) }
      }
      #expect(left == 6 - longest, "\(order): \(changes.rows)")
    }
  }

  @Test func `a row that must move but ends at its old path is a pair`() {
    // The rows before d moved behind it. So d, which leaves its order too, has its old index.
    let old = list([Item("c", "x", 1), Item("d", "x", 2), Item("e", "x", 3)])
    let new = list([Item("e", "x", 3), Item("d", "x", 4), Item("c", "x", 5)])
    let path = RowPath(section: 0, row: 1)
    #expect(
      Changes(from: old, to: new).rows == [
        .delete(row: Item("d", "x", 2), at: path, moved: true), .insert(row: Item("d", "x", 4), at: path, moved: true),
        .move(
          row: Item("c", "x", 5), from: RowPath(section: 0, row: 0), to: RowPath(section: 0, row: 2),
          contentChanged: true),
      ])
  }

  @Test func `sections with equal keys are the same, and nil and the empty string are two keys`() {
    let old = list([Item("a", nil, 1), Item("b", "", 2), Item("c", "é", 3)], .byGroup)
    let new = list([Item("d", nil, 1), Item("e", "", 2), Item("f", "e\u{301}", 3)], .byGroup)
    #expect(old.map(\.key) == [.null, "", "é"])
    let changes = Changes(from: old, to: new)
    #expect(changes.sections == [.delete(index: 2, key: "é"), .insert(index: 2, key: "e\u{301}", title: "e\u{301}")])
  }

  @Test func `if several sections could move, as few as possible move, preferably the ones with the fewest rows`() {
    func list(_ order: [String], sizes: [String: Int]) -> Results<Item> {
      let items = order.flatMap { group in (0..<(sizes[group] ?? 1)).map { Item("\(group)\($0)", group, $0) } }
      return self.list(items, numbers: Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, Double($0)) }))
    }
    func moved(_ old: [String], _ new: [String], _ sizes: [String: Int] = [:]) -> [SectionKey] {
      let changes = Changes(from: list(old, sizes: sizes), to: list(new, sizes: sizes))
      #expect(changes.rows.isEmpty)
      return changes.sections.compactMap { if case .move(_, _, let key) = $0 { key } else { nil } }
    }
    #expect(moved(["a", "b", "c"], ["c", "a", "b"], ["c": 9]) == ["c"])
    #expect(moved(["a", "b"], ["b", "a"], ["a": 3]) == ["b"])
    #expect(moved(["a", "b"], ["b", "a"], ["b": 3]) == ["a"])
  }

  @Test func `a list without sections has one section with a nil key and an empty title, even without rows`() {
    let request = ListRequest<Item>(sort: [.ascending(\.rank)])
    for items in [[], [Item("a", "x", 1)]] {
      let list = list(items, request)
      #expect(list.count == 1 && list[0].key == .null && list[0].title == "" && list[0].count == items.count)
    }
    #expect(Changes(from: list([], request), to: list([Item("a", "x", 1)], request)).sections == [])
  }

  // MARK: Cost

  /// A row that counts how often two of its kind are compared.
  struct Counted: Row {
    static let comparisons = Mutex(0)
    var id: Int
    var group: Int
    var value: Int

    static func == (left: Counted, right: Counted) -> Bool {
      comparisons.withLock { $0 += 1 }
      return (left.id, left.group, left.value) == (right.id, right.group, right.value)
    }
  }

  @Test func `parts that two lists share aren't compared`() throws {
    var rows = Rows<Counted>()
    for id in 0..<20_000 { rows.insert(Counted(id: id, group: id % 100, value: id)) }
    let prepared = PreparedRequest(ListRequest<Counted>(sort: [.ascending(\.value)], section: .by(\.group)))
    let old = Results(prepared, of: &rows, at: 0, knowing: nil)
    for id in 0..<5 { rows[id * 1_000]?.value = 7 * id }
    rows[123]?.group = 77
    rows[124] = nil
    Counted.comparisons.withLock { $0 = 0 }
    let changes = Changes(from: old, to: Results(prepared, of: &rows, at: 1, knowing: old))
    // One of the rows was set to its old value.
    #expect(changes.rows.count == 6)
    // A row that differs is also compared with itself, because NaN isn't equal to itself.
    #expect(Counted.comparisons.withLock { $0 } <= 12)
    #expect(Counted.comparisons.withLock { $0 } > 3)
  }

  /// Counts how often the keys of a list are computed.
  private final class KeyCount: Sendable {
    let reads = Mutex(0)

    func takeReads() -> Int {
      reads.withLock { count in
        defer { count = 0 }
        return count
      }
    }

    func sort() -> [SortKey<Item>] {
      [
        .ascending { row in
          self.reads.withLock { $0 += 1 }
          return row.rank
        }
      ]
    }
  }

  @Test func `the sort keys of a row are computed once for every new value of the row`() throws {
    let count = KeyCount()
    let store = MemoryEventStore()
    try store.put((0..<500).map { .put(Item("\($0)", "\($0 % 7)", $0)) })
    let controller = try controller(store, ListRequest(sort: count.sort(), section: .by(\.group)))
    #expect(count.takeReads() == 500)
    try store.put(.put(Item("1", "3", 1_000)), .put(Item("2", "4", 5)), .put(Item("2", "4", 6)), .removed(id: "3"))
    // If a row is set twice in a batch, only the last version reaches a list.
    #expect(count.takeReads() == 2)
    try controller.seek(to: 500)
    try controller.returnToLive()
    _ = controller.results.path(forID: "1")
    _ = controller.results.rows.map(\.id)
    #expect(count.takeReads() <= 500)
    try store.put(.put(Item("4", "4", 9)))
    #expect(count.takeReads() == 1)
  }

  @Test func `a new sort or sectioning recomputes all keys, but a new filter, limit or offset doesn't`() throws {
    let count = KeyCount()
    let store = MemoryEventStore()
    try store.put((0..<300).map { .put(Item("\($0)", "\($0 % 7)", $0)) })
    let controller = try controller(store, ListRequest(sort: count.sort(), section: .by(\.group)))
    #expect(count.takeReads() == 300)
    try controller.update { $0.filter = .where { $0.rank % 2 == 0 } }
    try controller.update { $0.limit = 20 }
    try controller.update { $0.offset = 3 }
    try controller.update { $0.filter = nil }
    #expect(count.takeReads() == 0)
    try controller.update { $0.section = nil }
    #expect(count.takeReads() == 300)
    try controller.update { $0.sort = count.sort() }
    #expect(count.takeReads() == 300)
  }
}
