public import Annals

/// A book for sale.
public struct Book: Row {
  public var id, title: String
  public var price: Double
  public var shelf: String

  public init(id: String, title: String, price: Double, shelf: String) {
    (self.id, self.title, self.price, self.shelf) = (id, title, price, shelf)
  }
}

/// What a bookseller wants.
public enum BookCommand: Codable, Sendable {
  case insert(Book), reprice(id: Book.ID, to: Double), delete(id: Book.ID), renameShelf(String, to: String)
}

/// What happened in the shop.
public enum BookEvent: Event {  // stored as BookInserted {"id":"b1",…}, BookRepriced {"id":"b1","to":60.5}, …
  case inserted(Book), repriced(id: Book.ID, to: Double), deleted(id: Book.ID)
  case shelfRenamed(shelf: String, title: String)
}

/// Decides commands.
public struct Bookshop: Decider {  // the write side
  public enum Refusal: Error { case alreadyThere(Book.ID), notThere(Book.ID) }
  private var books: Set<Book.ID> = []

  public init() {}

  public func decide(_ command: BookCommand) throws(Refusal) -> [BookEvent] {
    switch command {
    case .insert(let book) where books.contains(book.id): throw .alreadyThere(book.id)
    case .insert(let book): return [.inserted(book)]
    case .reprice(let id, _) where !books.contains(id), .delete(let id) where !books.contains(id): throw .notThere(id)
    case .reprice(let id, let price): return [.repriced(id: id, to: price)]
    case .delete(let id): return [.deleted(id: id)]
    case .renameShelf(let shelf, let title): return [.shelfRenamed(shelf: shelf, title: title)]
    }
  }

  public mutating func evolve(_ event: BookEvent) {
    switch event {
    case .inserted(let book): books.insert(book.id)
    case .deleted(let id): books.remove(id)
    case .repriced, .shelfRenamed: break
    }
  }
}

/// The books as rows.
public struct Shelves: Projection {  // the read side
  public init() {}

  public func project(_ event: BookEvent, into rows: inout Rows<Book>) {
    switch event {
    case .inserted(let book): rows.insert(book)
    case .repriced(let id, let price): rows[id]?.price = price
    case .deleted(let id): rows[id] = nil
    case .shelfRenamed(let shelf, let title): rows.renameSection(shelf, of: \.shelf, to: title)
    }
  }
}
