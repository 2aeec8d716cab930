import Annals
import AnnalsSQLite
import Foundation

@MainActor final class ShopScreen {
  let store: SQLiteEventStore
  let controller: FetchedResultsController<Book>

  init(store: SQLiteEventStore) {
    self.store = store
    controller = FetchedResultsController(
      store: store, projection: Books(), request: ListRequest(sort: [.ascending(\.title)]))
  }

  func show(_ results: Results<Book>) { print(results.rows.map(\.title)) }
}

extension ShopScreen {
  func add(_ book: Book) async throws {
    try await store.execute(.stock(book), on: Bookshop["main"])
    show(controller.results)
  }

  func titles(at position: Position) async throws -> [String] {
    try await store.list(of: Books(), at: position).rows.map(\.title)
  }

  func importBooks(_ books: [Book]) throws {
    for book in books { try store.execute(.stock(book), on: Bookshop["main"]) }
  }

  func searchTextChanged(to text: String) async throws {
    try await controller.update { $0.filter = .where { $0.title.contains(text) } }
    show(controller.results)
  }
}

/// The program of `Docs/Guides/05-WorkInTheBackground.md`.
enum WorkInTheBackground {
  @MainActor static func run(path: String) async throws {
    let screen = ShopScreen(store: try SQLiteEventStore(path: path))
    try await screen.controller.performFetch { progress in print("\(progress.fraction)") }
    try await screen.add(Book(id: 1, title: "Annals", price: 50))
    try screen.importBooks([
      Book(id: 2, title: "Sagas", price: 60),
      Book(id: 3, title: "Songs", price: 20),
    ])
    try await screen.searchTextChanged(to: "Son")

    let task = Task { try await screen.add(Book(id: 4, title: "Lives", price: 30)) }
    task.cancel()
    do {
      try await task.value
    } catch is CancellationError {
      print("cancelled, and the log has \(try await screen.store.events(of: BookEvent.self).count) events")
    }
  }
}
