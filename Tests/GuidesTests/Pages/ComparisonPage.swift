import Annals
import Testing

/// The code of `Docs/Comparison.md`.
///
/// The tickets of its second task are those of the guide on boundaries.
@Suite @MainActor struct ComparisonPage {
  typealias BookEvent = ViewGuide.BookEvent
  typealias Books = ViewGuide.Books

  @Test func `the list of the page deletes one row, and shows the past`() throws {
    let store = MemoryEventStore()
    try store.append(
      [
        BookEvent.bought(id: "1", title: "Emma", shelf: "Classics"),
        .bought(id: "2", title: "Middlemarch", shelf: "Classics"),
      ], to: "shop")
    var printed: [String] = []
    func print(_ line: String) { printed.append(line) }

    let books = FetchedResultsController(
      store: store, projection: Books(),
      request: ListRequest(sort: [.ascending(\.title)], section: .by(\.shelf)))
    let observation = books.observe { changes in
      for case .delete(let book, let path, _) in changes.rows { print("delete \(book.title) at \(path)") }
    }
    try books.performFetch()

    try store.append([BookEvent.sold(id: "2")], to: "shop")  // prints: delete Middlemarch at [0, 1]
    try books.seek(to: 2)  // the list as it was before the sale

    #expect(printed == ["delete Middlemarch at [0, 1]"])
    #expect(books.sections.map(\.title) == ["Classics"] && books.rowCount == 2)
    withExtendedLifetime(observation) {}
  }
}
