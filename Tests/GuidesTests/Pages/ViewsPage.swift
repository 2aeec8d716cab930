import Annals
import Foundation
import Testing

/// The code of `Docs/Views.md` that is about views of other libraries, against small interfaces of their shapes.
@Suite @MainActor struct ViewsPage {
  struct Book: Row {
    let id: String
    var title: String
    var shelf: String
    var price: Double
    var due: Date?
  }

  enum VolumePageEvent: Event {
    case put(Book)
    case gone(id: String)
  }

  struct Books: Projection {
    func project(_ event: VolumePageEvent, into rows: inout Rows<Book>) {
      switch event {
      case .put(let book): rows.insert(book)
      case .gone(let id): rows[id] = nil
      }
    }
  }

  struct TeamOnly: Projection, Equatable {
    let team: String

    func project(_ event: VolumePageEvent, into rows: inout Rows<Book>) {
      if case .put(let book) = event, book.shelf == team { rows.insert(book) }
    }
  }

  /// As NSTableView: edits one at a time, each at the indices after the one before.
  final class TableView {
    var count = 0
    var calls: [String] = []

    func beginUpdates() { calls.append("begin") }
    func endUpdates() { calls.append("end") }
    func removeRows(at rows: IndexSet) { count -= rows.count }
    func insertRows(at rows: IndexSet) { count += rows.count }
    func moveRow(at old: Int, to new: Int) { calls.append("move") }
    func reloadData(forRowIndexes rows: IndexSet, columnIndexes columns: IndexSet) { calls.append("reload") }

    final class Label { var text: String? }
    final class Header { let textLabel: Label? = Label() }
    var headers: [Int: Header] = [:]
    func headerView(forSection section: Int) -> Header? { headers[section] }
  }

  /// A snapshot with the names of UIKit's, which contains only the items.
  struct NSDiffableDataSourceSnapshot {
    private(set) var items: [String] = []

    init() {}
    init(_ results: Results<Book>) { items = results.diffableSections.flatMap { $0.items.map { "\($0.id)" } } }
    mutating func apply(_ changes: Changes<Book>) { self = NSDiffableDataSourceSnapshot(changes.new) }
  }

  /// A data source with the names of UIKit's.
  final class DataSource {
    private var current = NSDiffableDataSourceSnapshot()

    func snapshot() -> NSDiffableDataSourceSnapshot { current }
    func apply(_ snapshot: NSDiffableDataSourceSnapshot, animatingDifferences: Bool = true) { current = snapshot }
  }

  @MainActor final class Screen {
    let store = MemoryEventStore()
    let tableView = TableView()
    let dataSource = DataSource()
    let footer = TableView.Label()
    let total = Aggregate.sum(\Book.price)
    let controller: FetchedResultsController<Book>
    var observation: ChangeObservation?

    init() throws {
      let total = Aggregate.sum(\Book.price)
      let request = ListRequest(section: .by(\.shelf), aggregates: [.count, total, .minimum(\.due)])

      controller = FetchedResultsController(store: store, projection: Books(), request: request)
      try controller.performFetch()
    }

    func put(_ books: Book...) throws { try store.append(books.map { VolumePageEvent.put($0) }, to: "shop") }

    func observeForDataSource() {
      dataSource.apply(NSDiffableDataSourceSnapshot(controller.results), animatingDifferences: false)
      observation = controller.observe { [unowned self] changes in
        var snapshot = dataSource.snapshot()
        snapshot.apply(changes)
        dataSource.apply(snapshot)
      }
    }

    func observeForTable() {
      observation = controller.observe { [unowned self] changes in
        tableView.beginUpdates()
        for edit in changes.rangeEdits(headers: true) {
          switch edit {
          case .delete(let range): tableView.removeRows(at: IndexSet(integersIn: range))
          case .move(let from, let to): tableView.moveRow(at: from, to: to)
          case .insert(let range): tableView.insertRows(at: IndexSet(integersIn: range))
          case .update(let range): tableView.reloadData(forRowIndexes: IndexSet(integersIn: range), columnIndexes: [0])
          }
        }
        tableView.endUpdates()
      }
    }

    func header(of section: Int) -> String {
      let books = controller.results[section]
      return "\(books[.count]) books, \(books[total])"
    }

    func controller(_ controller: FetchedResultsController<Book>, didChangeAggregates changes: AggregateChanges) {
      for section in changes.sections {
        tableView.headerView(forSection: section.newIndex)?.textLabel?.text = header(of: section.newIndex)
      }
      if changes.isTotalChanged { footer.text = "\(controller.results[total])" }
    }

    func headerWasTapped(_ section: Int) {
      let key = controller.sections[section].key
      if controller.collapsedSections.contains(key) {
        controller.expandSection(key)
      } else {
        controller.collapseSection(key)
      }
    }

    func search(_ text: String) throws {
      try controller.update { $0.filter = Book.search.filter(text) }
    }
  }

  private func screen() throws -> Screen {
    let screen = try Screen()
    try screen.put(
      Book(id: "1", title: "Water", shelf: "a", price: 10), Book(id: "2", title: "Wine", shelf: "a", price: 20),
      Book(id: "3", title: "Bread and water", shelf: "b", price: 5))
    return screen
  }

  @Test func `a table of the page that takes one edit at a time has a line for each header and row`() throws {
    let screen = try screen()
    screen.tableView.count = 5
    screen.observeForTable()
    try screen.put(
      Book(id: "4", title: "Oil", shelf: "c", price: 5), Book(id: "1", title: "Water", shelf: "a", price: 11))
    #expect(screen.tableView.count == 7 && screen.tableView.calls == ["begin", "reload", "end"])
  }

  @Test func `a data source of the page gets the ids of the new list`() throws {
    let screen = try screen()
    screen.observeForDataSource()
    try screen.put(Book(id: "0", title: "Oil", shelf: "c", price: 5))
    #expect(screen.dataSource.snapshot().items.count == 4)
  }

  @Test func `the headers of the page have the sums of their sections`() throws {
    let screen = try screen()
    screen.controller.delegate = screen
    screen.tableView.headers = [0: .init()]
    try screen.put(Book(id: "4", title: "Oil", shelf: "a", price: 3))
    #expect(screen.tableView.headers[0]?.textLabel?.text == "3 books, 33.0" && screen.footer.text == "38.0")
  }

  @Test func `a tap on a header of the page hides its rows, and another shows them`() throws {
    let screen = try screen()
    screen.headerWasTapped(0)
    #expect(screen.controller.sections.map(\.count) == [0, 1])
    screen.headerWasTapped(0)
    #expect(screen.controller.sections.map(\.count) == [2, 1])
  }

  @Test func `the search of the page finds rows with all words, and a place by its first letters`() throws {
    let screen = try screen()
    try screen.search("water")
    #expect(screen.controller.fetchedObjects.map(\.id) == ["1", "3"])
    try screen.search("bread wat")
    #expect(screen.controller.fetchedObjects.map(\.id) == ["3"])
    try screen.search("")
    let controller = screen.controller

    try controller.update { $0.sort = [.ascending { $0.title.lowercased() }] }
    let path = controller.results.firstPath(beginningWith: "wat")  // of the first such row: scroll there
    let rows = controller.results.rows(beginningWith: "wat", inSection: 0)  // the indices of all such rows of a section

    #expect(path?.description == "[0, 0]" && rows == 0..<1)
  }

  @Test func `lists of several row types of the page are fetched and heard alike`() throws {
    let screen = try screen()
    let people = FetchedResultsController(store: screen.store, projection: TeamOnly(team: "a"))
    let boards = FetchedResultsController(store: screen.store, projection: TeamOnly(team: "b"))
    let cards = screen.controller
    var shown: [Int] = []
    func show(_ count: Int, of list: any FetchedList) { shown.append(count) }

    let lists: [any FetchedList] = [people, boards, cards]
    for list in lists { try list.performFetch() }
    let observations = lists.map { $0.observeList { list in show(list.rowCount, of: list) } }
    for list in lists where list.failure != nil { list.refresh() }

    try screen.put(Book(id: "4", title: "Oil", shelf: "a", price: 3))
    #expect(shown.sorted() == [3, 4])
    for observation in observations { observation.cancel() }
  }
}

extension ViewsPage.Screen: @MainActor FetchedResultsControllerDelegate {}

/// The search of the page.
extension ViewsPage.Book {
  static let search = TextSearch<ViewsPage.Book>(.wordBeginnings, in: \.title, named: "titles")
}
