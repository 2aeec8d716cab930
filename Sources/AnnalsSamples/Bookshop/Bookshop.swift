package import Annals

/// A book for sale.
package struct Book: Row {
  package var id, title: String
  package var price: Double

  package init(_ id: String, _ title: String, _ price: Double) {
    (self.id, self.title, self.price) = (id, title, price)
  }
}

/// The commands of a bookseller.
package enum BookCommand {
  case stock(Book)
  case raise(id: Book.ID, by: Double)
  case withdraw(id: Book.ID)
}

/// The events of a bookshop.
package enum BookEvent: Event {
  case stocked(Book)
  case repriced(id: Book.ID, to: Double)
  case withdrawn(id: Book.ID)
}

/// Decides the events of one bookshop.
package struct Bookshop: Decider {
  /// Why a command is refused.
  package enum Refusal: Error, Equatable {
    case alreadyThere(Book.ID)
    case notThere(Book.ID)
    case priceBelowZero(Double)
  }

  private var prices: [Book.ID: Double] = [:]

  package init() {}

  package func decide(_ command: BookCommand) throws(Refusal) -> [BookEvent] {
    switch command {
    case .stock(let book):
      if prices[book.id] != nil { throw .alreadyThere(book.id) }
      if book.price < 0 { throw .priceBelowZero(book.price) }
      return [.stocked(book)]
    case .raise(let id, let amount):
      guard let price = prices[id] else { throw .notThere(id) }
      if price + amount < 0 { throw .priceBelowZero(price + amount) }
      // The event has the new price, so that a reader need not add up amounts.
      return amount == 0 ? [] : [.repriced(id: id, to: price + amount)]
    case .withdraw(let id):
      if prices[id] == nil { throw .notThere(id) }
      return [.withdrawn(id: id)]
    }
  }

  package mutating func evolve(_ event: BookEvent) {
    switch event {
    case .stocked(let book): prices[book.id] = book.price
    case .repriced(let id, let price): prices[id] = price
    case .withdrawn(let id): prices[id] = nil
    }
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
    }
  }
}

extension FetchRequest where Row == Book {
  /// Sorted by price, the cheapest first.
  package static var byPrice: FetchRequest { FetchRequest(sort: [.ascending(\.price)], fetchBatchSize: 10) }
}
