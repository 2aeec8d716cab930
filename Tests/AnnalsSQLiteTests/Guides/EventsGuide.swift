import Annals
import AnnalsSQLite
import Foundation

/// The code of `Docs/EventsInAndOut.md`; EventsGuideTests compares the two.
enum EventsGuide {
  enum CardEvent: Event, Equatable {
    case added(Card)
    case renamed(id: String, to: String)
    case closed(id: String)

    static let formerNames = ["CardTitled": "CardRenamed"]
  }

  struct Card: Row {
    let id: String
    var title: String
    var made: Date
  }

  struct Cards: Projection {
    func project(_ event: CardEvent, into rows: inout Rows<Card>) {
      switch event {
      case .added(let card): rows.insert(card)
      case .renamed(let id, let title): rows[id]?.title = title
      case .closed(let id): rows[id] = nil
      }
    }
  }

  struct Entry: Row {
    let id: Position
    var author: String
    var time: Date
  }

  struct History: Projection {
    func project(_ recorded: Recorded<CardEvent>, into rows: inout Rows<Entry>) {
      rows.insert(Entry(id: recorded.position, author: recorded.author ?? "unknown", time: recorded.time))
    }
  }

  static func appendTwo(_ card: Card, to store: some EventStore) throws {
    try store.append([CardEvent.added(card), .renamed(id: card.id, to: "Buy milk")], to: "Board-7")
  }

  static func migrate(_ cards: [Card], to store: some EventStore) throws {
    var append = Append(commandID: "cards of the old app")
    for card in cards {
      try append.add(
        CardEvent.added(card), to: "Board-\(card.id.prefix(1))", id: EventID(source: "old-app", id: card.id),
        time: card.made, metadata: ["actor": "import"])
    }
    try store.append(append)
  }

  static func migrate(_ cards: [Card], inStepsOf size: Int, to store: some EventStore) throws -> Int {
    var count = 0
    for start in stride(from: 0, to: cards.count, by: size) {
      var append = Append(commandID: "cards from \(start)")
      for card in cards[start...].prefix(size) {
        try append.add(CardEvent.added(card), to: "Board-7", time: card.made)
      }
      let receipt = try store.append(append)
      if !receipt.isRepeated { count += receipt.count }
    }
    return count
  }

  static func read(_ store: some EventStore) throws -> [[Recorded<CardEvent>]] {
    let all = try store.events(of: CardEvent.self)
    let ofOneBoard = try store.events(of: CardEvent.self, .stream("Board-7"), after: 120)
    let lastTen = try store.events(of: CardEvent.self, .case(CardEvent.renamed), order: .reverse, limit: 10)
    return [all, ofOneBoard, lastTen]
  }

  static func count(_ store: some EventStore) throws -> [String: Int] {
    var titles: [String: Int] = [:]
    try store.forEachEvent(of: CardEvent.self, .case(CardEvent.renamed)) { recorded in
      if case .renamed(_, let title) = recorded.event { titles[title, default: 0] += 1 }
    }
    return titles
  }

  static func follow(_ store: some EventStore, from start: Position) async throws {
    var checkpoint = start
    for try await batch in try store.subscription(of: CardEvent.self, after: checkpoint) {
      for recorded in batch.events { print(recorded.position, recorded.event) }
      checkpoint = batch.position
    }
  }

  static var joined: EventQuery {
    let query: EventQuery = .case(CardEvent.added) || .case(CardEvent.renamed) && .tagged("board:7")
    return query
  }

  static var category: EventQuery {
    let query: EventQuery = .category("Card") && .case(CardEvent.renamed)
    return query
  }

  static func lists(_ store: some EventStore, _ lastMonday: Date) throws -> [Results<Card>] {
    let board = try store.list(of: Cards(), ListRequest(sort: [.ascending(\.title)]))
    let then = try store.list(of: Cards(), at: store.position(at: lastMonday))
    return [board, then]
  }

  static func seek(_ controller: FetchedResultsController<Card>, to lastMonday: Date) throws {
    try controller.seek(to: lastMonday)
  }
}
