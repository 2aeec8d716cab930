import Annals
import AnnalsTesting
import Foundation
import Testing

/// The code of `Docs/Filters.md`, `Docs/Languages.md` and `Docs/MirrorTable.md`.
@Suite @MainActor struct ListPages {
  struct Person: Row {
    let id: String
    var name: String
  }

  enum StockPageEvent: Event { case came(Ware) }
  enum ContactPageEvent: Event { case met(Person) }

  struct Wares: Projection {
    func project(_ event: StockPageEvent, into rows: inout Rows<Ware>) {
      if case .came(let ware) = event { rows.insert(ware) }
    }
  }

  struct People: Projection {
    func project(_ event: ContactPageEvent, into rows: inout Rows<Person>) {
      if case .met(let person) = event { rows.insert(person) }
    }
  }

  @Test func `the filter of the page is read from its text`() throws {
    let store = MemoryEventStore()
    try store.append(
      [
        ("1", "War and Peace", 60, "odd"), ("2", "War", 70, "even"), ("3", "Peace", 40, "odd"),
        ("4", "Seas", 50, "even"),
      ]
      .map {
        StockPageEvent.came(Ware(id: $0.0, title: $0.1, price: $0.2, shelf: $0.3, bought: nil, sold: false))
      }, to: "shop")
    let controller = FetchedResultsController(store: store, projection: Wares())
    try controller.performFetch()

    let filter = try Ware.filters.filter("price >= 50 and (shelf = odd or not title contains war)")
    try controller.update { $0.filter = filter }

    #expect(controller.fetchedObjects.map(\.id) == ["1", "4"])
  }

  @Test func `the list of the page is in the order of a language, and its changes lead a table there`() throws {
    let store = MemoryEventStore()
    let request = ListRequest<Person>(
      sort: [.ascending(\.name, in: .localizedStandard)],
      section: .byInitial(\.name, in: .localizedStandard))
    let controller = FetchedResultsController(store: store, projection: People(), request: request)
    try controller.performFetch()
    let results = controller.results
    try store.append(
      ["Zoe", "apfel", "Bob"].map { ContactPageEvent.met(Person(id: $0, name: $0)) }, to: "people")
    #expect(controller.results.map(\.title) == ["A", "B", "Z"])
    let changes = Changes(from: results, to: controller.results)

    var table = MirrorTable(results)
    try table.apply(changes)

    #expect(table.shows(controller.results))

    try controller.update { $0.sort = [.ascending(\.name, in: .localizedStandard)] }

    #expect(controller.fetchedObjects.map(\.name) == ["apfel", "Bob", "Zoe"])
  }
}

struct Ware: Row {
  let id: String
  var title: String
  var price: Double
  var shelf: String
  var bought: Date?
  var sold: Bool
}

extension Ware {
  static let filters = FilterFields<Ware>(
    .field("title", \.title, ignoringCase: true), .field("price", \.price), .field("shelf", \.shelf),
    .field("bought", \.bought), .field("sold", \.sold))
}
