import Annals
import Foundation

extension Scenario {
  /// Returns the script of a bookshop's year, which has one mistake to find.
  static func year(_ store: some EventStore, _ clock: SampleClock) throws -> Scenario {
    var year = try BookshopYear(store, clock)
    try year.run()
    let screen = try BookshopScreen(store, reportedMoves: .rows)
    let shown = AnyListScreen(screen)
    return Scenario(
      name: "year",
      summary: "A bookshop's year: about 2,000 events by four people, with command ids, correlations, customers and "
        + "a follower. Since the summer sale, some books are dearer than before the sale.", screen: shown,
      steps: [
        Step(
          title: "A customer orders a book on the last evening, and nothing ships the order.", isOnTour: true,
          screen: shown,
          lines: {
            [
              "With `demo year FILE`, you can find the command that made 《资治通鉴》 (b5) dearer than 50:",
              "annals find FILE 'row(b5).price > 50'", "annals why FILE b5.price --each",
              "annals log FILE --tree summer-sale-end", "annals show FILE --without 'command:*-retry-*'",
            ]
          }
        ) { try year.order("b5") },
        Step(title: "The seller Ben raises the price of the cheapest book.", screen: shown) {
          try screen.raise(at: IndexPath(RowPath(section: 0, row: 0)), by: 0.5)
        },
      ])
  }
}

/// Everything that happens in a bookshop in 2025.
///
/// It is the same in each run.
struct BookshopYear {
  private static let titles = [
    "《红楼梦》", "《西游记》", "《水浒传》", "《三国演义》", "《资治通鉴》", "《本草纲目》", "《二十四史》", "《狂人日记》", "《洗冤集录》", "《论衡》",
  ]
  private static let customers = [
    "Ada Young", "Ben Okri", "Chen Li", "Dora Weiss", "Émile Roy", "Femi Ade", "Gül Aydın",
  ]

  private let store: any EventStore
  private let clock: SampleClock
  private let packer: EventFollower<BookEvent>
  /// The number of days since January 1.
  private var day = 0
  private var minute = 0
  private var orders = 0
  private var books = Array(1...40)
  private var random = 2_025

  init(_ store: some EventStore, _ clock: SampleClock) throws {
    self.store = store
    self.clock = clock
    packer = try EventFollower(
      "packer", of: BookEvent.self, to: .case(BookEvent.ordered), in: store, startingAt: .beginning
    ) {
      recorded, _ in
      guard case .ordered(let order) = recorded.event else { return }
      try store.execute(
        .ship(order: order.id), on: Bookshop["main"], commandID: "ship-\(order.id)", metadata: ["actor": "packer"])
    }
  }

  mutating func run() throws {
    try open()
    for _ in 0..<365 {
      (day, minute) = (day + 1, 9 * 60)
      for _ in 0..<(1 + draw(3)) { try order("b\(books[draw(40)])") }
      // The first nine books have fixed prices.
      try reprice("b\(books[9 + draw(31)])", by: Double(1 + draw(6)) / 2 - 1, "ann", "price-\(day)")
      if day.isMultiple(of: 9) { try replace(30 + draw(10)) }
      switch day {
      // The sale is in June. At its end, a script is stopped and started a second time, under other ids.
      case 161:
        for number in 1...30 { try reprice("b\(number)", by: -12, "mia", "summer-sale-b\(number)", "summer-sale") }
      case 175:
        for number in 1...30 { try reprice("b\(number)", by: 12, "mia", "summer-end-b\(number)", "summer-sale-end") }
        for number in 1...9 {
          try reprice("b\(number)", by: 12, "mia", "summer-end-retry-b\(number)", "summer-sale-end")
        }
      default: break
      }
      advance(to: 20 * 60)
      try packer.catchUp()
    }
  }

  /// Orders a book, as a customer does on the shop's page.
  mutating func order(_ book: Book.ID) throws {
    orders += 1
    let customer = draw(Self.customers.count)
    let (name, subject) = (Self.customers[customer], "customer-\(customer + 1)")
    let order = BookOrder(
      "o\(orders)", of: book, customer: Personal(name, of: subject),
      email: Personal("\(subject)@example.org", of: subject))
    try execute(.order(order), "web", "order-o\(orders)")
  }

  /// Stocks the first books.
  private mutating func open() throws {
    advance(to: 8 * 60)
    for number in books { try stock(number, "opening") }
  }

  /// Withdraws a book, and stocks the next one.
  private mutating func replace(_ index: Int) throws {
    let (old, new) = (books[index], 40 + day / 9)
    try execute(.withdraw(id: "b\(old)"), "ben", "withdraw-b\(old)", "exchange-\(day)")
    try stock(new, "exchange-\(day)")
    books[index] = new
  }

  private mutating func stock(_ number: Int, _ correlation: String) throws {
    let title = Self.titles[(number - 1) % Self.titles.count] + (number > 10 ? " \((number + 9) / 10)" : "")
    let book = Book("b\(number)", title, Double(20 + number * 37 % 80) + 0.5)
    try execute(.stock(book), "ben", "stock-b\(number)", correlation)
  }

  private mutating func reprice(
    _ book: Book.ID, by amount: Double, _ actor: String, _ id: String, _ correlation: String? = nil
  ) throws {
    try execute(.raise(id: book, by: amount), actor, id, correlation)
  }

  private mutating func execute(
    _ command: BookCommand, _ actor: String, _ id: String, _ correlation: String? = nil
  ) throws {
    advance(to: minute + 1 + draw(20))
    var metadata: Metadata = ["actor": actor]
    if let correlation { metadata.correlation = correlation }
    try store.execute(command, on: Bookshop["main"], commandID: id, metadata: metadata)
  }

  private mutating func advance(to minute: Int) {
    self.minute = max(minute, self.minute)
    // January 1, 2025, in UTC.
    let seconds = (max(0, day - 1) * 1_440 + self.minute) * 60
    clock.set(Date(timeIntervalSince1970: 1_735_689_600 + Double(seconds)))
  }

  /// Returns a number from 0 to below a limit, by a linear congruential generator.
  private mutating func draw(_ limit: Int) -> Int {
    random = (random * 1_103_515_245 + 12_345) % 2_147_483_648
    return random / 65_536 % limit
  }
}
