// README: the program on its first screen is this file from the line below, word for word.
import Annals
import AnnalsSQLite
import Foundation

struct Book: Row {
  var id, title: String
  var price: Double
  var shelf: String
}

enum BookCommand {
  case insert(Book), reprice(id: Book.ID, to: Double), delete(id: Book.ID), renameShelf(String, to: String)
}

enum BookEvent: Event {  // stored as BookInserted {"id":"b1",…}, BookRepriced {"id":"b1","to":60.5}, …
  case inserted(Book), repriced(id: Book.ID, to: Double), deleted(id: Book.ID)
  case shelfRenamed(shelf: String, title: String)
}

struct Bookshop: Decider {  // the write side
  enum Refusal: Error { case alreadyThere(Book.ID), notThere(Book.ID) }
  var books: Set<Book.ID> = []

  func decide(_ command: BookCommand) throws(Refusal) -> [BookEvent] {
    switch command {
    case .insert(let book) where books.contains(book.id): throw .alreadyThere(book.id)
    case .insert(let book): return [.inserted(book)]
    case .reprice(let id, _) where !books.contains(id), .delete(let id) where !books.contains(id): throw .notThere(id)
    case .reprice(let id, let price): return [.repriced(id: id, to: price)]
    case .delete(let id): return [.deleted(id: id)]
    case .renameShelf(let shelf, let title): return [.shelfRenamed(shelf: shelf, title: title)]
    }
  }

  mutating func evolve(_ event: BookEvent) {
    switch event {
    case .inserted(let book): books.insert(book.id)
    case .deleted(let id): books.remove(id)
    case .repriced, .shelfRenamed: break
    }
  }
}

struct Shelves: Projection {  // the read side
  func project(_ event: BookEvent, into rows: inout Rows<Book>) {
    switch event {
    case .inserted(let book): rows.insert(book)
    case .repriced(let id, let price): rows[id]?.price = price
    case .deleted(let id): rows[id] = nil
    case .shelfRenamed(let shelf, let title): rows.renameSection(shelf, of: \.shelf, to: title)
    }
  }
}

@MainActor final class BooksScreen {
  let store: SQLiteEventStore
  let controller: FetchedResultsController<Book>
  var notifications: [String] = []

  init(path: String) throws {
    store = try SQLiteEventStore(path: path)
    controller = FetchedResultsController(
      store: store, projection: Shelves(),
      request: FetchRequest(sort: [.ascending(\.price), .ascending(\.title)], section: .by(\.shelf)))
    controller.delegate = self
    try controller.performFetch()
  }

  func sell() throws {  // each command has reached the delegate when its line is done
    try store.execute(
      .insert(Book(id: "b1", title: "Annals", price: 50.5, shelf: "history")), on: Bookshop.self, id: "main")
    try store.execute(
      .insert(Book(id: "b2", title: "Sagas", price: 60, shelf: "history")), on: Bookshop.self, id: "main")
    try store.execute(.reprice(id: "b1", to: 70), on: Bookshop.self, id: "main")
    try store.execute(.renameShelf("history", to: "History"), on: Bookshop.self, id: "main")
  }
}

extension BooksScreen: @MainActor FetchedResultsControllerDelegate {
  func controller(
    _ controller: FetchedResultsController<Book>, didChange book: Book, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    notifications.append("\(type) \(book.title)")  // insert Annals, insert Sagas, move Annals, update Annals
  }

  func controller(
    _ controller: FetchedResultsController<Book>, didChange section: ResultsSection<Book>, atSectionIndex index: Int,
    for type: FetchedResultsChangeType
  ) {
    notifications.append("\(type) section \(section.title)")  // insert section history, update section History
  }
}
