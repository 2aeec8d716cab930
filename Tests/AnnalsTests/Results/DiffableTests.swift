import Annals
import AnnalsTesting
import Testing

/// Batches for a diffable data source, before a snapshot that refuses what UIKit's does.
@Suite struct DiffableTests {
  /// A diffable snapshot: sections and items by identifier.
  private struct Snapshot: Equatable {
    var sections: [DiffableSection<Item>.Plain]

    init(_ list: Results<Item>) { sections = list.diffableSections.map { .init(key: $0.key, items: $0.items) } }

    private func place(_ item: DiffableItem<Item>) throws -> RowPath {
      for (index, section) in sections.enumerated() {
        if let row = section.items.firstIndex(of: item) { return RowPath(section: index, row: row) }
      }
      throw Invalid(reason: "there is no item \(item.id)")
    }

    private func index(_ key: SectionKey) throws -> Int {
      guard let index = sections.firstIndex(where: { $0.key == key }) else {
        throw Invalid(reason: "there is no section \(key)")
      }
      return index
    }

    mutating func apply(_ edit: DiffableChanges<Item>.Edit) throws {
      switch edit {
      case .deleteItems(let items): for item in items { try delete(item) }
      case .deleteSections(let keys):
        for key in keys {
          let section = sections.remove(at: try index(key))
          try ensure(section.items.isEmpty, "a section goes that has items")
        }
      case .moveSection(let key, let next):
        let section = sections.remove(at: try index(key))
        sections.insert(section, at: try next.map { try index($0) } ?? sections.count)
      case .insertSection(let key, let next):
        try ensure(!sections.contains { $0.key == key }, "the section \(key) is there")
        sections.insert(.init(key: key, items: []), at: try next.map { try index($0) } ?? sections.count)
      case .moveItem(let item, let next, let key):
        try delete(item)
        try insert([item], next, key)
      case .insertItems(let items, let next, let key): try insert(items, next, key)
      }
    }

    private mutating func delete(_ item: DiffableItem<Item>) throws {
      let path = try place(item)
      sections[path.section].items.remove(at: path.row)
    }

    private mutating func insert(_ items: [DiffableItem<Item>], _ next: DiffableItem<Item>?, _ key: SectionKey) throws {
      for item in items {
        try ensure(!sections.contains { $0.items.contains(item) }, "the item \(item.id) is there")
      }
      let section = try index(key)
      var row = sections[section].items.count
      if let next {
        let path = try place(next)
        try ensure(path.section == section, "the item \(next.id) is in another section")
        row = path.row
      }
      sections[section].items.insert(contentsOf: items, at: row)
    }
  }

  private struct Invalid: Error { let reason: String }

  @Test func `the edits lead a snapshot to the new list, and what changed in it is reconfigured`() throws {
    let requests: [FetchRequest<Item>] = [
      .byGroup, FetchRequest(sort: [.descending(\.rank)], section: .by(\.group, order: .byNumber)),
      FetchRequest(sort: [.ascending(\.name)]),
      FetchRequest(
        sort: [.ascending(\.rank)], section: .by(\.group, order: .byTitle, statically: ["a", "b"]), limit: 6),
    ]
    let moves = Generator<ReportedMoves>.element(of: [.rows, [], .sections, [.rows, .sections]])
    let steps = Generator.array(of: zip(.itemBatch, moves), count: 10...30)
    try check(.int(in: 0...3), steps, settings: CheckSettings(examples: 300)) { request, steps in
      var rows = Rows<Item>()
      var list = Results(requests[request], of: rows, at: 0)
      // What a view shows of each item and section: made when the item comes, and again when it is reconfigured.
      var (cells, titles): ([DiffableItem<Item>: Item], [SectionKey: String]) = ([:], [:])
      for row in list.rows { cells[DiffableItem(row.id)] = row }
      for section in list { titles[section.key] = section.title }
      for (number, (batch, moves)) in steps.enumerated() {
        for edit in batch { try edit.apply(to: &rows) }
        let next = Results(requests[request], of: rows, at: Position(number + 1))
        let diffable = Changes(from: list, to: next).reporting(moves).diffable
        var snapshot = Snapshot(list)
        for edit in diffable.edits { try snapshot.apply(edit) }
        try ensureEqual(snapshot, Snapshot(next))
        let (before, after) = (list.rows.map { DiffableItem<Item>($0.id) }, next.rows.map { DiffableItem<Item>($0.id) })
        try ensureEqual(Set(diffable.inserted), Set(after).subtracting(before))
        try ensureEqual(Set(diffable.deleted), Set(before).subtracting(after))
        try ensure(
          Set(diffable.moved).isSubset(of: Set(before).intersection(after)), "an item moved that was not there")
        let left = Set(diffable.moved + diffable.deleted + diffable.inserted)
        for section in list.diffableSections {
          let others = next.diffableSections.first { $0.key == section.key }?.items ?? []
          try ensureEqual(section.items.filter { !left.contains($0) }, others.filter { !left.contains($0) })
        }
        try ensureEqual(Set(diffable.reconfigured).count, diffable.reconfigured.count)
        for item in diffable.deleted { cells[item] = nil }
        for item in diffable.inserted + diffable.reconfigured {
          let row = next.row(forID: item.id)
          try ensure(cells[item] != row, "\(item.id) is made anew, and is what it was")
          cells[item] = row
        }
        for row in next.rows { try ensureEqual(cells[DiffableItem(row.id)], row) }
        let known = Set(list.map(\.key))
        for section in next {
          if !known.contains(section.key) || diffable.retitled.contains(section.key) {
            titles[section.key] = section.title
          }
          try ensureEqual(titles[section.key], section.title)
        }
        list = next
      }
    }
  }

  @Test func `ids that are canonically equal are two items`() {
    let (one, two) = (DiffableItem<Item>("\u{e9}"), DiffableItem<Item>("e\u{301}"))
    #expect(one != two && one == DiffableItem("\u{e9}"))
    #expect(Set([one, two, one]).count == 2)
  }
}

extension DiffableSection<Item> {
  fileprivate struct Plain: Equatable {
    let key: SectionKey
    var items: [DiffableItem<Item>]
  }
}
