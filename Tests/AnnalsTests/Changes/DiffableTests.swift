import Annals
import AnnalsTesting
import Foundation
import Testing

/// Batches for a diffable data source, with a snapshot that refuses what UIKit's refuses.
@Suite struct DiffableTests {
  private typealias Snapshot = NSDiffableDataSourceSnapshot<SectionKey, DiffableChanges<Item>.Item>

  @Test func `applying the edits to a diffable snapshot gives the new list and reconfigures changed items`() throws {
    let requests: [ListRequest<Item>] = [
      .byGroup, ListRequest(sort: [.descending(\.rank)], section: .by(\.group, order: .byNumber)),
      ListRequest(sort: [.descending(\.rank)], section: .by(\.group, order: .byRows)),
      ListRequest(sort: [.ascending(\.name)]),
      ListRequest(
        sort: [.ascending(\.rank)], section: .by(\.group, order: .byTitle, pinned: ["a", "b"]), limit: 6),
    ]
    let moves = Generator<MoveReporting>.element(of: [.rows, [], .sections, [.rows, .sections]])
    let steps = Generator.array(of: zip(.itemBatch, moves), count: 10...30)
    try check(.int(in: 0...3), steps, settings: CheckSettings(examples: 300)) { request, steps in
      var rows = Rows<Item>()
      var list = Results(requests[request], of: rows, at: 0)
      // What a view shows for each item and section: made when the item comes, and again when it is reconfigured.
      var (cells, titles): ([DiffableChanges<Item>.Item: Item], [SectionKey: String]) = ([:], [:])
      for row in list.rows { cells[DiffableChanges.Item(row.id)] = row }
      for section in list { titles[section.key] = section.title }
      for (number, (batch, moves)) in steps.enumerated() {
        for edit in batch { try edit.apply(to: &rows) }
        let next = Results(requests[request], of: rows, at: Position(number + 1))
        let changes = Changes(from: list, to: next).reporting(moves)
        let diffable = changes.diffable
        var shown = Snapshot(list)
        shown.apply(changes)
        try ensure(shown == Snapshot(next), "expected \(Snapshot(next)), found \(shown)")
        try ensure(
          shown.reconfigured == diffable.reconfigured && shown.reloaded == diffable.retitled, "a change is missing")
        let (before, after) = (
          list.rows.map { DiffableChanges<Item>.Item($0.id) }, next.rows.map { DiffableChanges<Item>.Item($0.id) }
        )
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
          try ensure(cells[item] != row, "\(item.id) is made again, but did not change")
          cells[item] = row
        }
        for row in next.rows { try ensureEqual(cells[DiffableChanges.Item(row.id)], row) }
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

  @Test func `the extension of UIKit's snapshot is the code that these tests run`() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let root = (0..<3).reduce(tests) { url, _ in url.deletingLastPathComponent() }
    func code(_ file: URL) throws -> [String] {
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      let words = lines.map { $0.split(separator: " ").filter { $0 != "public" }.joined(separator: " ") }
      return Array(words.drop { !$0.hasPrefix("extension ") }.filter { !$0.hasPrefix("//") && !$0.hasPrefix("#endif") })
    }
    let library = try code(root.appending(path: "Sources/AnnalsLists/Changes/DiffableSnapshot.swift"))
    #expect(library == (try code(tests.appending(path: "DiffableSnapshot.swift"))))
    #expect(library.count > 30)
  }

  @Test func `ids that are canonically equal are two items`() {
    let (one, two) = (DiffableChanges<Item>.Item("\u{e9}"), DiffableChanges<Item>.Item("e\u{301}"))
    #expect(one != two && one == DiffableChanges.Item("\u{e9}"))
    #expect(Set([one, two, one]).count == 2)
  }
}
