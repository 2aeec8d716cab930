import Annals
import AnnalsSQLite

struct Book: Row {
  let id: Int
  var title: String
  var price: Double
  var shelf: String
}

enum BookEvent: Event {  // stored as BookInserted {"id":1,…}, BookRepriced {"id":1,"to":70}
  case inserted(Book), repriced(id: Int, to: Double)
}

enum BookCommand { case insert(Book), reprice(id: Int, to: Double) }

struct Bookshop: Decider {  // the write side: a command becomes events, or is refused
  enum Refusal: Error { case alreadyThere, notThere }
  var books: Set<Int> = []

  func decide(_ command: BookCommand) throws(Refusal) -> [BookEvent] {
    switch command {
    case .insert(let book) where books.contains(book.id): throw .alreadyThere
    case .insert(let book): return [.inserted(book)]
    case .reprice(let id, _) where !books.contains(id): throw .notThere
    case .reprice(let id, let price): return [.repriced(id: id, to: price)]
    }
  }

  mutating func evolve(_ event: BookEvent) {
    if case .inserted(let book) = event { books.insert(book.id) }
  }
}

struct Shelves: Projection {  // the read side: events become rows
  func project(_ event: BookEvent, into rows: inout Rows<Book>) {
    switch event {
    case .inserted(let book): rows.insert(book)
    case .repriced(let id, let price): rows[id]?.price = price
    }
  }
}

/// The program of the README.
enum Readme {
  @MainActor static func run(path: String) throws {
    let store = try SQLiteEventStore(path: path)
    let books = FetchedResultsController(
      store: store, projection: Shelves(), request: ListRequest(sort: [.ascending(\.price)], section: .by(\.shelf)))
    try books.performFetch()
    let observation = books.observe { changes in  // or a delegate, an AsyncSequence, Observation
      for change in changes.rows {
        switch change {
        case .insert(let book, let path, _): print("insert \(book.title) at \(path)")
        case .move(let book, let old, let new, _): print("move \(book.title) from \(old) to \(new), \(book.price)")
        case .update(let book, _, let path): print("update \(book.title) at \(path)")
        case .delete(let book, let path, _): print("delete \(book.title) at \(path)")
        }
      }
    }
    let annals = Book(id: 1, title: "Annals", price: 50.5, shelf: "history")
    try store.execute(.insert(annals), on: Bookshop["main"])
    let sagas = Book(id: 2, title: "Sagas", price: 60, shelf: "history")
    try store.execute(.insert(sagas), on: Bookshop["main"])
    try store.execute(.reprice(id: 1, to: 70), on: Bookshop["main"])
    try books.seek(to: 1)  // back to the first event: the list, and the changes that lead there
    observation.cancel()
  }
}
