import Annals
import AnnalsSQLite
import Foundation
import Testing

/// Two types of one stored name are refused on one store, at the first use of the second one.
@Suite struct UsedNameTests {
  /// The uses of an event type: every use takes a store, and throws if the type's name is another type's.
  private static func uses<S: UsedShop>(
    _ shop: S.Type
  ) -> [(name: String, use: @Sendable (any EventStore) throws -> Void)] {
    [
      ("append", { try $0.append([shop.event("a")], to: "s") }),
      ("read", { _ = try $0.events(of: S.ShopEvent.self) }),
      ("read one after the other", { try $0.forEachEvent(of: S.ShopEvent.self) { _ in } }),
      ("subscribe", { _ = try $0.subscription(of: S.ShopEvent.self, after: 0) }),
      ("follow", { _ = try EventFollower("f", of: S.ShopEvent.self, in: $0, startingAt: .beginning) { _, _ in } }),
      ("list", { _ = try $0.list(of: UsedList<S>()) }),
      ("list at a position", { _ = try $0.list(of: UsedList<S>(), at: 0) }),
      ("fetch", { store in try fetch(UsedList<S>(), store) }),
      ("execute", { try $0.execute("b", on: UsedClerk<S>["1"]) }),
      ("transaction", { try $0.transaction { _ = try $0.execute("b", on: UsedClerk<S>["1"]) } }),
      ("state", { _ = try $0.state(of: UsedClerk<S>["1"]) }),
      (
        "execute on a branch",
        { store in
          let branch = try store.branch()
          try branch.execute("b", on: UsedClerk<S>["1"])
        }
      ),
      ("list of a branch", { _ = try $0.branch().list(of: UsedList<S>()) }),
    ]
  }

  private static func fetch<P: Projection>(_ projection: P, _ store: any EventStore) throws {
    let controller = FetchedResultsController(store: store, projection: projection, request: ListRequest<P.Row>())
    try controller.performFetch()
  }

  @Test func `the first use of the second type throws an error that names both, whatever the two uses are`() throws {
    for first in Self.uses(UsedSales.self) {
      for second in Self.uses(UsedSupport.self) {
        let store = MemoryEventStore()
        try first.use(store)
        let error = #expect(throws: EventCodingError.self, "\(first.name), \(second.name)") { try second.use(store) }
        #expect(error?.code == .claimedTwice, "\(first.name), \(second.name)")
        let message = error?.message ?? ""
        #expect(message.contains("UsedSales.Event") && message.contains("UsedSupport.Event"), "\(message)")
        // The first type keeps working, and the second stays refused.
        try first.use(store)
        #expect(throws: EventCodingError.self) { try second.use(store) }
      }
    }
  }

  @Test func `deciders of one category are refused, with their names`() throws {
    let store = MemoryEventStore()
    try store.execute(1, on: UsedSales.Account["1"])
    let error = #expect(throws: EventCodingError.self) { try store.execute(1, on: UsedSupport.Account["1"]) }
    #expect(error?.code == .claimedTwice)
    #expect(
      error?.message.contains("UsedSales.Account") == true && error?.message.contains("UsedSupport.Account") == true)
    #expect(throws: EventCodingError.self) { try store.state(of: UsedSupport.Account["2"]) }
    #expect(store.head() == 1)
    // On another store the name is free.
    try MemoryEventStore().execute(1, on: UsedSupport.Account["1"])
  }

  @Test func `generic types and types inside of them are apart by their arguments only if their names are`() throws {
    let store = MemoryEventStore()
    try store.append([UsedDrawer<Int>.Event.opened("a")], to: "s")
    #expect(throws: EventCodingError.self) { try store.append([UsedDrawer<String>.Event.opened("a")], to: "s") }
    #expect(throws: EventCodingError.self) { try store.events(of: UsedDrawer<String>.Event.self) }
    // The arguments are part of a generic type's own name.
    try store.execute(1, on: UsedTill<Int>["1"])
    try store.execute(1, on: UsedTill<String>["1"])
  }

  @Test func `types that both declare a name may share it, and a default doesn't join them`() throws {
    let store = MemoryEventStore()
    try store.append([UsedV1.Card.made("a")], to: "s")
    #expect(try store.events(of: UsedV2.Card.self).map(\.event.title) == ["a"])
    #expect(throws: EventCodingError.self) { try store.events(of: UsedV3.Card.self) }
    let other = MemoryEventStore()
    try other.append([UsedV3.Card.made("a")], to: "s")
    #expect(throws: EventCodingError.self) { try other.events(of: UsedV1.Card.self) }
    let third = MemoryEventStore()
    try third.execute(1, on: UsedV1.Deck["1"])
    #expect(try third.state(of: UsedV2.Deck["1"]).count == 1)
  }

  @Test func `a member of a union is compared too`() throws {
    let store = MemoryEventStore()
    try store.append([UsedSales.Event.opened("a")], to: "s")
    let error = #expect(throws: EventCodingError.self) {
      try store.events(of: EventUnion2<UsedSupport.Event, UsedV1.Card>.self)
    }
    #expect(error?.message.contains("UsedSupport.Event") == true)
  }

  @Test func `two stores of one file are each checked by themselves`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "annals-names-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try SQLiteEventStore(path: folder.appending(path: "log").path, durability: .process)
    try store.execute(1, on: UsedSales.Account["1"])
    #expect(throws: EventCodingError.self) { try store.execute(1, on: UsedSupport.Account["1"]) }
    #expect(throws: EventCodingError.self) {
      try store.draft(named: "d", deciders: .of(UsedSupport.Account.self)).execute(
        1, on: UsedSupport.Account["1"])
    }
    store.close()
  }
}

private protocol UsedShop: Sendable {
  associatedtype ShopEvent: Annals.Event
  static func event(_ name: String) -> ShopEvent
}

private enum UsedSales: UsedShop {
  enum Event: Annals.Event { case opened(String) }

  static func event(_ name: String) -> Event { .opened(name) }

  struct Account: Decider {
    enum AccountEvent: Annals.Event {
      case sold(Int)

      static var typePrefix: String { "SalesUsed" }
    }

    func decide(_ amount: Int) -> [AccountEvent] { [.sold(amount)] }
    mutating func evolve(_ event: AccountEvent) {}
  }
}

private enum UsedSupport: UsedShop {
  enum Event: Annals.Event { case opened(String) }

  static func event(_ name: String) -> Event { .opened(name) }

  struct Account: Decider {
    enum AccountEvent: Annals.Event {
      case asked(Int)

      static var typePrefix: String { "SupportUsed" }
    }

    func decide(_ amount: Int) -> [AccountEvent] { [.asked(amount)] }
    mutating func evolve(_ event: AccountEvent) {}
  }
}

private struct UsedRow: Row {
  let id: String
}

private struct UsedList<S: UsedShop>: Projection {
  func project(_ event: S.ShopEvent, into rows: inout Rows<UsedRow>) { rows.insert(UsedRow(id: "\(event)")) }
}

private struct UsedClerk<S: UsedShop>: Decider {
  func decide(_ name: String) -> [S.ShopEvent] { [S.event(name)] }
  mutating func evolve(_ event: S.ShopEvent) {}
}

private enum UsedDrawer<Content: Sendable> {
  enum Event: Annals.Event { case opened(String) }
}

private struct UsedTill<Content: Sendable>: Decider {
  enum TillEvent: Annals.Event {
    case paid(Int)

    static var typePrefix: String { "UsedTill\(Content.self)" }
  }

  func decide(_ amount: Int) -> [TillEvent] { [.paid(amount)] }
  mutating func evolve(_ event: TillEvent) {}
}

private enum UsedV1 {
  enum Card: Event {
    case made(String)

    static var typePrefix: String { "Card" }
  }

  struct Deck: Decider {
    static var category: String { "Deck" }

    func decide(_ number: Int) -> [Card] { [.made("\(number)")] }
    mutating func evolve(_ event: Card) {}
  }
}

private enum UsedV2 {
  enum Card: Event {
    case made(String)

    static var typePrefix: String { "Card" }

    var title: String {
      switch self {
      case .made(let title): title
      }
    }
  }

  struct Deck: Decider {
    static var category: String { "Deck" }

    var count = 0

    func decide(_ number: Int) -> [Card] { [.made("\(number)")] }
    mutating func evolve(_ event: Card) { count += 1 }
  }
}

private enum UsedV3 {
  enum Card: Event { case made(String) }
}
