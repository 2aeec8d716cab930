import Annals
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// What `Docs/FromCoreData.md` says beyond the tests of changes.
@Suite struct FromCoreDataTests {
  /// The members of Core Data's class, its delegate, its section and its kinds of change, as Swift shows them.
  private static let members = [
    "init(fetchRequest:managedObjectContext:sectionNameKeyPath:cacheName:)", "performFetch()", "fetchRequest",
    "managedObjectContext", "sectionNameKeyPath", "cacheName", "delegate", "deleteCache(withName:)", "fetchedObjects",
    "object(at:)", "indexPath(forObject:)", "sectionIndexTitle(forSectionName:)", "sectionIndexTitles", "sections",
    "section(forSectionIndexTitle:at:)", "NSFetchedResultsSectionInfo", "name", "indexTitle", "numberOfObjects",
    "objects", "NSFetchedResultsChangeType", "controllerWillChangeContent", "controllerDidChangeContent",
    "controller(_:didChange:at:for:newIndexPath:)", "controller(_:didChange:atSectionIndex:for:)",
    "controller(_:sectionIndexTitleForSectionName:)", "controller(_:didChangeContentWith:)",
  ]

  @Test func `the page on Core Data has every member of the class, its sections and its delegate, each once`() throws {
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let page = try String(contentsOf: root.appendingPathComponent("Docs/FromCoreData.md"), encoding: .utf8)
    // The first cell of each row, and the names in it.
    let named = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { row in
      String(row.dropFirst().split(separator: "|")[0]).split(separator: "`").enumerated()
        .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
    for member in Self.members {
      // The delegate gets a snapshot or a difference through two methods with the same name.
      let count = member.contains("didChangeContentWith") ? 2 : 1
      #expect(named.filter { $0 == member }.count == count, "\(member)")
    }
  }

  @Test func `a second fetch changes nothing, is never needed, and is not reported`() throws {
    let store = MemoryEventStore()
    try store.put((0..<9).map { .put(Item("\($0)", "g\($0 % 2)", $0)) })
    let list = try controller(store)
    let heard = Mutex(0)
    let token = list.observe { _ in heard.withLock { $0 += 1 } }
    defer { token.cancel() }
    let delegate = MirrorDelegate(list.results)
    list.delegate = delegate
    func ensureSame(_ batches: Int, _ what: String) throws {
      list.refresh()
      let (results, position) = (list.results, list.position)
      #expect(heard.withLock { $0 } == batches, "\(what)")
      try list.performFetch()
      #expect(list.results == results && list.position == position && heard.withLock { $0 } == batches, "\(what)")
      // It was not needed: a new controller has this list too.
      let other = FetchedResultsController(store: store, projection: Items(), request: list.request)
      try other.performFetch()
      try other.seek(to: position)
      #expect(other.results == list.results, "\(what)")
      #expect(delegate.violations == [] && delegate.table.shows(list.results), "\(what)")
    }
    try ensureSame(0, "at once")
    try store.put(.put(Item("3", "g5", 77)))
    try ensureSame(1, "after a commit")
    try list.update { $0.sort = [.descending(\.rank)] }
    try ensureSame(2, "after another request")
    try list.seek(to: 9)
    try ensureSame(3, "in the past")
    try store.put(.removed(id: "1"))
    try ensureSame(3, "in the past, after a commit")
    try list.returnToLive()
    try ensureSame(4, "at the end again")
  }

  @Test func `results of a saved list are read on many threads while the controller goes on`() async throws {
    let store = MemoryEventStore()
    try store.put((0..<900).map { .put(Item("item \($0)", "g\($0 % 3)", $0, "\($0)")) })
    func saved() throws -> FetchedResultsController<Item> {
      let list = FetchedResultsController(
        store: store, projection: Items(), request: .byGroup, cacheName: "items")
      try list.performFetch()
      return list
    }
    try saved().saveCache()
    let expected = try controller(store).results.map { $0.map(\.name) }
    // None of its rows has been read.
    let list = try saved()
    #expect(list.cacheReport.restored == 900)
    let results = list.results
    await withTaskGroup(of: Bool.self) { group in
      for lane in 0..<4 {
        group.addTask {
          let sections = (0..<3).map { (lane + $0) % 3 }
          return sections.allSatisfy { results[$0].map(\.name) == expected[$0] }
        }
      }
      for number in 0..<40 { #expect(throws: Never.self) { try store.put(.removed(id: "item \(number * 7)")) } }
      for await isSame in group { #expect(isSame) }
    }
    list.refresh()
    #expect(list.results.rows.count == 860 && results.rows.count == 900)
  }
}
