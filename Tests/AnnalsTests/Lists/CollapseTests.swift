import Annals
import AnnalsTesting
import Foundation
import Testing

/// Lists with some collapsed sections.
@Suite struct CollapseTests {
  private let store = MemoryEventStore()

  private func attach(_ controller: FetchedResultsController<Item>) -> MirrorDelegate<Item> {
    let delegate = MirrorDelegate(controller.results)
    controller.delegate = delegate
    return delegate
  }

  private func ids(_ results: Results<Item>) -> [[String]] { results.map { $0.map(\.id) } }

  @Test func `collapsing reports a section's rows as deleted, expanding as inserted, and the header stays`() throws {
    try store.put(.put(Item("a", "x", 1)), .put(Item("b", "x", 2)), .put(Item("c", "y", 1)))
    let controller = try controller(store)
    let delegate = attach(controller)
    controller.collapseSection("x")
    #expect(delegate.calls == ["will", "row delete [0, 0]", "row delete [0, 1]", "did"])
    #expect(controller.sections.map(\.title) == ["x", "y"] && ids(controller.results) == [[], ["c"]])
    #expect(ids(controller.results.expanded) == [["a", "b"], ["c"]])
    controller.expandSection("x")
    #expect(delegate.calls.dropFirst(4) == ["will", "row insert [0, 0]", "row insert [0, 1]", "did"])
    controller.expandSection("x")
    #expect(delegate.calls.count == 8 && delegate.violations == [])
  }

  @Test func `changes of hidden rows aren't reported, and rows that reappear are inserted`() throws {
    try store.put(.put(Item("a", "x", 1)), .put(Item("b", "x", 2)), .put(Item("c", "y", 1)))
    let controller = try controller(store)
    controller.collapseSection("x")
    let delegate = attach(controller)
    try store.put(.put(Item("a", "x", 3, "new")), .put(Item("n", "x", 2)))
    #expect(delegate.calls == [] && controller.position == 5)
    try store.put(.put(Item("b", "y", 2)))
    #expect(delegate.calls == ["will", "row insert [1, 1]", "did"])
    try store.put(.put(Item("c", "x", 9)))
    #expect(delegate.calls.dropFirst(3) == ["will", "row delete [1, 0]", "did"])
    try store.put(.renamed(group: "x", title: "X"))
    #expect(delegate.calls.suffix(3) == ["will", "section update 0 → 0", "did"])
    #expect(ids(controller.results.expanded) == [["n", "a", "c"], ["b"]] && delegate.violations == [])
  }

  @Test func `a collapsed section that is deleted and reinserted is still collapsed`() throws {
    try store.put(.put(Item("a", "x", 1)), .put(Item("c", "y", 1)))
    let controller = try controller(store)
    controller.collapseSection("x")
    controller.collapseSection("later")
    let delegate = attach(controller)
    try store.put(.removed(id: "a"))
    try store.put(.put(Item("b", "x", 1)))
    try store.put(.put(Item("d", "later", 1)))
    #expect(ids(controller.results) == [[], [], ["c"]])
    #expect(controller.collapsedSections == .only(["x", "later"]))
    #expect(
      delegate.calls == [
        "will", "section delete 0", "did", "will", "section insert 0", "did", "will", "section insert 0", "did",
      ])
    #expect(delegate.violations == [])
  }

  @Test func `if you collapse all sections except some, new sections are collapsed too`() throws {
    try store.put(.put(Item("a", "x", 1)), .put(Item("c", "y", 1)))
    let controller = try controller(store)
    controller.collapsedSections = .allExcept(["y"])
    try store.put(.put(Item("d", "z", 1)))
    #expect(ids(controller.results) == [[], ["c"], []])
    controller.expandSection("z")
    controller.collapseSection("y")
    #expect(ids(controller.results) == [[], [], ["d"]] && controller.collapsedSections == .allExcept(["z"]))
  }

  @Test func `every way of grouping the rows has its own collapsed sections`() throws {
    try store.put(.put(Item("a", "x", 1, "x")), .put(Item("b", "y", 2, "x")))
    let controller = try controller(store)
    controller.collapseSection("x")
    try controller.update { $0.section = .by(\.name) }
    #expect(ids(controller.results) == [["a", "b"]] && controller.collapsedSections == .none)
    try controller.update { $0.section = .by(\.group, order: .byTitle) }
    #expect(ids(controller.results) == [[], ["b"]])
  }

  @Test func `limit and offset count hidden rows`() throws {
    try store.put(.put(Item("a", "x", 1)), .put(Item("b", "x", 2)), .put(Item("c", "y", 1)), .put(Item("d", "z", 1)))
    var request = ListRequest.byGroup
    (request.offset, request.limit) = (1, 2)
    let controller = try controller(store, request)
    controller.collapseSection("x")
    #expect(ids(controller.results) == [[], ["c"]])
  }

  @Test func `a visible row has the same path as in the list with all rows, and a hidden row has none`() throws {
    var rows = Rows<Item>()
    for item in [Item("a", "x", 1), Item("b", "y", 1), Item("c", "y", 2)] { rows.insert(item) }
    let list = Results(.byGroup, of: rows, at: 0).collapsing(.only(["x"]))
    for (section, row) in [(0, 0), (1, 0), (1, 1), (1, 2), (2, 0), (-1, 0)] {
      let (path, isShown) = (RowPath(section: section, row: row), section == 1 && row < 2)
      #expect((list.row(at: path) != nil) == isShown && (list.row(at: IndexPath(path)) != nil) == isShown)
      if isShown { #expect(list.row(at: path) == list.expanded.row(at: path)) }
    }
    #expect(list.path(forID: "a") == nil && list.expanded.path(forID: "a") == RowPath(section: 0, row: 0))
    #expect(list.path(forID: "c") == list.expanded.path(forID: "c"))
    #expect(list.rows.map(\.id) == ["b", "c"] && list.expanded.collapsedSections == .none)
  }

  @Test func `collapsing inside a callback waits until the update cycle has ended`() throws {
    final class Collapser: FetchedResultsControllerDelegate {
      var calls: [String] = []
      func controllerWillChangeContent(_ controller: FetchedResultsController<Item>) { calls.append("will") }
      func controller(
        _ controller: FetchedResultsController<Item>, didChange row: Item, at indexPath: IndexPath?,
        for type: FetchedResultsChangeType, newIndexPath: IndexPath?
      ) {
        calls.append("\(type) \(row.id)")
        controller.collapseSection("x")
      }
      func controllerDidChangeContent(_ controller: FetchedResultsController<Item>) { calls.append("did") }
    }
    let controller = try controller(store)
    let collapser = Collapser()
    controller.delegate = collapser
    try store.put(.put(Item("a", "x", 1)), .put(Item("b", "x", 2)))
    #expect(
      collapser.calls == ["will", "insert a", "insert b", "did", "will", "delete a", "delete b", "did"])
  }

  @Test func `an observer's batch names a collapse as its cause, and is exact even if it combines several batches`()
    throws
  {
    try store.put(.put(Item("a", "x", 1)), .put(Item("c", "y", 1)))
    let controller = try controller(store)
    var causes: [ChangeCause] = []
    var table = MirrorTable(controller.results)
    let observation = controller.observe { changes in
      causes.append(changes.cause)
      #expect(throws: Never.self) { try table.apply(changes) }
    }
    controller.collapseSection("x")
    controller.suspendDelivery()
    controller.collapseSection("y")
    try store.put(.put(Item("b", "z", 1)))
    controller.expandSection("x")
    controller.resumeDelivery()
    #expect(causes == [.collapse, [.collapse, .events]] && table.shows(controller.results))
    #expect(ids(controller.results) == [["a"], [], ["b"]])
    #expect("\(causes[1])" == "events, collapse")
    observation.cancel()
  }

  @Test func `a list saved with collapsed sections contains all rows, and starts with none collapsed`() throws {
    func controller() -> FetchedResultsController<Item> {
      FetchedResultsController(store: store, projection: Items(), request: .byGroup, cacheName: "items")
    }
    try store.put((0..<600).map { .put(Item("\($0)", "\($0 % 5)", $0)) })
    let first = controller()
    try first.performFetch()
    first.collapsedSections = .allExcept(["3"])
    try store.put(.put(Item("new", "2", 7)))
    try first.saveCache()
    try store.put(.removed(id: "8"))
    let second = controller()
    second.collapseSection("1")
    try second.performFetch()
    #expect(second.cacheReport.restored == 601)
    #expect(second.results.map(\.count) == [120, 0, 121, 119, 120])
    let delegate = attach(second)
    second.collapsedSections = .none
    #expect(second.results == first.results.expanded && second.results.count == 5)
    try store.put(.put(Item("9", "0", 1)), .renamed(group: "2", title: "two"))
    second.collapsedSections = .all
    #expect(delegate.violations == [] && delegate.table.shows(second.results))
  }

  @Test func `a list shares unchanged sections with the previous list if the same sections are collapsed`() throws {
    var rows = Rows<Item>()
    for number in 0..<5_000 { rows.insert(Item("\(number)", "\(number / 5)", number)) }
    let prepared = PreparedRequest(ListRequest<Item>.byGroup)
    let hidden = CollapsedSections.allExcept(["7"])
    let old = Results(prepared, of: &rows, at: 0, knowing: nil).collapsing(hidden)
    rows["12"]?.rank = -1
    rows["35"]?.rank = -1
    let whole = Results(prepared, of: &rows, at: 1, knowing: old)
    var reads = 0
    for hidden in [hidden, .allExcept(["7", "8"])] {
      let new = whole.collapsing(hidden, knowing: old)
      #expect(new == whole.collapsing(hidden))
      reads = new.sectionsNotShared(with: old)
      #expect(reads <= 2, "\(reads) sections are other objects")
    }
    #expect(reads > 0)
  }
}
