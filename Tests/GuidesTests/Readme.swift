import Annals
import AnnalsSQLite

enum BookEvent: Event {  // 1. Events: everything that can happen
  case stocked(Book)
  case repriced(id: Int, to: Int)
}

struct Book: Row {
  let id: Int
  var title: String
  var price: Int
}

struct Books: Projection {  // 2. A projection: how events change rows
  func project(_ event: BookEvent, into rows: inout Rows<Book>) {
    switch event {
    case .stocked(let book): rows.insert(book)
    case .repriced(let id, let price): rows[id]?.price = price
    }
  }
}

enum BookCommand { case stock(Book), reprice(id: Int, to: Int) }

struct Bookshop: Decider {
  enum Refusal: Error { case alreadyThere, notThere }
  var ids: Set<Int> = []  // only what the decisions need

  func decide(_ command: BookCommand) throws(Refusal) -> [BookEvent] {
    switch command {
    case .stock(let book) where ids.contains(book.id): throw .alreadyThere
    case .stock(let book): return [.stocked(book)]
    case .reprice(let id, _) where !ids.contains(id): throw .notThere
    case .reprice(let id, let price): return [.repriced(id: id, to: price)]
    }
  }

  mutating func evolve(_ event: BookEvent) {
    if case .stocked(let book) = event { ids.insert(book.id) }
  }
}

/// The program of the README.
enum Readme {
  @MainActor static func run(path file: String) throws {
    let store = try SQLiteEventStore(path: file)  // for example books.annals
    let books = FetchedResultsController(  // 3. A list: sorted, and always current
      store: store, projection: Books(), request: ListRequest(sort: [.ascending(\.price)]))
    try books.performFetch()
    let observation = books.observe { changes in  // 4. The exact changes
      for change in changes.rows {
        switch change {
        case .insert(let book, let path, _): print("insert \(book.title) at \(path)")
        case .move(let book, let old, let new, _): print("move \(book.title) from \(old) to \(new)")
        case .update(let book, _, let path): print("update \(book.title) at \(path)")
        case .delete(let book, let path, _): print("delete \(book.title) at \(path)")
        }
      }
    }
    try store.append([BookEvent.stocked(Book(id: 1, title: "Annals", price: 50))], to: "books")
    try store.append([BookEvent.stocked(Book(id: 2, title: "Sagas", price: 60))], to: "books")
    try store.append([BookEvent.repriced(id: 1, to: 70)], to: "books")
    try books.seek(to: 1)  // 5. Back to the time after the first event
    observation.cancel()
    try rules(in: MemoryEventStore())
  }

  private static func rules(in store: MemoryEventStore) throws {
    try store.execute(.stock(Book(id: 1, title: "Annals", price: 50)), on: Bookshop["main"])
    do {
      try store.execute(.reprice(id: 7, to: 70), on: Bookshop["main"])
    } catch {
      print("refused: \(error)")
    }
  }
}
