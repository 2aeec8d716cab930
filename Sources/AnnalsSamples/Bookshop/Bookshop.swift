package import Annals

/// A book for sale.
package struct Book: Row {
  package var id, title: String
  package var price: Double

  package init(_ id: String, _ title: String, _ price: Double) {
    self.id = id
    self.title = title
    self.price = price
  }
}

/// A customer's order of a book.
package struct BookOrder: Codable, Hashable, Sendable {
  package var id: String
  package var book: Book.ID
  package var customer, email: Personal<String>

  package init(_ id: String, of book: Book.ID, customer: Personal<String>, email: Personal<String>) {
    (self.id, self.book, self.customer, self.email) = (id, book, customer, email)
  }
}

/// The commands of a bookseller.
package enum BookCommand: Sendable {
  case stock(Book)
  case raise(id: Book.ID, by: Double)
  case withdraw(id: Book.ID)
  case order(BookOrder)
  case ship(order: String)
}

/// The events of a bookshop.
package enum BookEvent: Event {
  case stocked(Book)
  case repriced(id: Book.ID, to: Double)
  case withdrawn(id: Book.ID)
  case ordered(BookOrder)
  case shipped(order: String)
}

/// The decider that turns a bookseller's commands into the events of one bookshop.
package struct Bookshop: Decider, Equatable {
  /// The reasons for refusing a command.
  package enum Refusal: Error, Equatable {
    case alreadyThere(String)
    case notThere(String)
    case priceBelowZero(Double)
  }

  private var books: [Book.ID: Book] = [:]
  /// The ids of the orders that aren't shipped yet.
  private var orders: Set<String> = []

  package init() {}

  package func decide(_ command: BookCommand) throws(Refusal) -> [BookEvent] {
    switch command {
    case .stock(let book):
      if books[book.id] != nil { throw .alreadyThere(book.id) }
      if book.price < 0 { throw .priceBelowZero(book.price) }
      return [.stocked(book)]
    case .raise(let id, let amount):
      guard let price = books[id]?.price else { throw .notThere(id) }
      if price + amount < 0 { throw .priceBelowZero(price + amount) }
      // The event has the new price, so that readers don't need to add up amounts.
      return amount == 0 ? [] : [.repriced(id: id, to: price + amount)]
    case .withdraw(let id):
      if books[id] == nil { throw .notThere(id) }
      return [.withdrawn(id: id)]
    case .order(let order):
      if books[order.book] == nil { throw .notThere(order.book) }
      if orders.contains(order.id) { throw .alreadyThere(order.id) }
      return [.ordered(order)]
    case .ship(let order):
      if !orders.contains(order) { throw .notThere(order) }
      return [.shipped(order: order)]
    }
  }

  package mutating func evolve(_ event: BookEvent) {
    switch event {
    case .stocked(let book): books[book.id] = book
    case .repriced(let id, let price): books[id]?.price = price
    case .withdrawn(let id): books[id] = nil
    case .ordered(let order): orders.insert(order.id)
    case .shipped(let order): orders.remove(order)
    }
  }
}

extension Bookshop: UndoableDecider {
  /// Withdraws stocked books, restocks withdrawn books, and restores prices.
  ///
  /// Orders can't be undone.
  package func undoing(_ events: [BookEvent]) -> [BookCommand]? {
    var commands: [BookCommand] = []
    for event in events.reversed() {
      switch event {
      case .stocked(let book): commands.append(.withdraw(id: book.id))
      case .withdrawn(let id): commands += books[id].map { [.stock($0)] } ?? []
      case .repriced(let id, let price): commands += books[id].map { self.commands(from: price, to: $0) } ?? []
      case .ordered, .shipped: return nil
      }
    }
    return commands
  }

  private func commands(from price: Double, to book: Book) -> [BookCommand] {
    let amount = book.price - price
    if price + amount == book.price { return [.raise(id: book.id, by: amount)] }
    // If two prices are far apart, their difference might be rounded.
    return [.withdraw(id: book.id), .stock(book)]
  }
}

/// The books of a bookshop as rows.
package struct BooksForSale: Projection {
  package init() {}

  package func project(_ event: BookEvent, into rows: inout Rows<Book>) {
    switch event {
    case .stocked(let book): rows.insert(book)
    case .repriced(let id, let price): rows[id]?.price = price
    case .withdrawn(let id): rows[id] = nil
    case .ordered, .shipped: break
    }
  }
}

extension ListRequest where Row == Book {
  /// A request sorted by price, with the cheapest book first.
  package static var byPrice: ListRequest { ListRequest(sort: [.ascending(\.price)], fetchBatchSize: 10) }
}
