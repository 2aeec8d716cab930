import Annals

/// What happens to the stock of a bookshop: a domain for the tests.
enum StockEvent: Event {
  case counted(book: String, copies: Int)
}

struct Stock: Row {
  let id: String
  var copies: Int
}

struct Stocks: Projection {
  func project(_ event: StockEvent, into rows: inout Rows<Stock>) {
    if case .counted(let book, let copies) = event { rows.insert(Stock(id: book, copies: copies)) }
  }
}

struct Shop: SnapshotDecider, Equatable {
  static var snapshotInterval: Int { 4 }

  var copies: [String: Int] = [:]

  func decide(_ command: StockEvent) -> [StockEvent] { [command] }

  mutating func evolve(_ event: StockEvent) {
    if case .counted(let book, let number) = event { copies[book] = number }
  }
}

extension EventStore {
  /// Appends a count, as a command.
  func count(_ book: String, _ copies: Int) throws {
    try execute(.counted(book: book, copies: copies), on: Shop["main"])
  }

  /// The stock as a controller shows it that begins now.
  func controller() -> FetchedResultsController<Stock> {
    FetchedResultsController(
      store: self, projection: Stocks(), request: ListRequest(sort: [.ascending(\.id)]), cacheName: "stock")
  }
}
