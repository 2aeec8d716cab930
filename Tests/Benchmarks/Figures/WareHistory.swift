import Annals
import AnnalsLog
import AnnalsSQLite

/// The events of wares.
enum WareEvent: Event {
  case added(id: String, title: String, price: Double, shelf: Int)
  case repriced(id: String, to: Double)
  case renamed(id: String, title: String)
  case removed(id: String)
}

/// Wares on their shelves.
struct WareShelves: Projection {
  func project(_ event: WareEvent, into rows: inout Rows<Ware>) {
    switch event {
    case .added(let id, let title, let price, let shelf):
      rows.insert(Ware(id: id, title: title, price: price, shelf: shelf))
    case .repriced(let id, let price): rows.update(id) { $0.price = price }
    case .renamed(let id, let title): rows.update(id) { $0.title = title }
    case .removed(let id): rows[id] = nil
    }
  }
}

/// A long history that ends with one ware for five events.
///
/// One event in four adds a ware, two change a price. Most of the others change titles, and a few remove a ware.
struct WareHistory {
  let events: [WareEvent]
  private let streams: [Int]

  init(_ count: Int) {
    var chance = Chance(seed: 3)
    var alive: [Int] = []
    var (events, streams): ([WareEvent], [Int]) = ([], [])
    events.reserveCapacity(count)
    streams.reserveCapacity(count)
    var next = 0
    for _ in 0..<count {
      let dice = chance.next(upTo: 100)
      if alive.isEmpty || dice < 25 {
        events.append(
          .added(
            id: ListWorkload.id(next), title: "The title of ware number \(next)", price: chance.price(),
            shelf: chance.next(upTo: 100)))
        streams.append(next)
        alive.append(next)
        next += 1
        continue
      }
      let place = chance.next(upTo: alive.count)
      let ware = alive[place]
      streams.append(ware)
      switch dice {
      case ..<80: events.append(.repriced(id: ListWorkload.id(ware), to: chance.price()))
      case ..<95: events.append(.renamed(id: ListWorkload.id(ware), title: "The new title of ware number \(ware)"))
      default:
        events.append(.removed(id: ListWorkload.id(ware)))
        alive[place] = alive[alive.count - 1]
        alive.removeLast()
      }
    }
    (self.events, self.streams) = (events, streams)
  }

  /// Appends all events, 1,000 in each transaction.
  func append(to store: SQLiteEventStore) throws {
    let coder = try EventCoder<WareEvent>()
    var start = 0
    while start < events.count {
      let end = min(start + 1_000, events.count)
      let entries = try (start..<end).map { index in
        var event = try coder.encode(events[index])
        event.metadata = ["actor": "benchmark"]
        return Append.Entry(stream: StreamName("Ware-\(streams[index])"), event: event)
      }
      try store.append(Append(entries))
      start = end
    }
  }
}

/// The same events with their own coding.
enum OwnWareEvent: CustomCodedEvent {
  case added(id: String, title: String, price: Double, shelf: Int)
  case repriced(id: String, to: Double)
  case renamed(id: String, title: String)
  case removed(id: String)

  static var typePrefix: String { "Ware" }

  func write(to payload: inout PayloadWriter) -> String {
    switch self {
    case .added(let id, let title, let price, let shelf):
      payload.writeObject {
        $0.write("id", id)
        $0.write("price", price)
        $0.write("shelf", shelf)
        $0.write("title", title)
      }
      return "added"
    case .repriced(let id, let price):
      payload.writeObject {
        $0.write("id", id)
        $0.write("to", price)
      }
      return "repriced"
    case .renamed(let id, let title):
      payload.writeObject {
        $0.write("id", id)
        $0.write("title", title)
      }
      return "renamed"
    case .removed(let id):
      payload.writeObject { $0.write("id", id) }
      return "removed"
    }
  }

  init?(case name: String, payload: PayloadValue) throws {
    switch name {
    case "added":
      self = .added(
        id: try payload["id"].string(), title: try payload["title"].string(), price: try payload["price"].double(),
        shelf: try payload["shelf"].int())
    case "repriced": self = .repriced(id: try payload["id"].string(), to: try payload["to"].double())
    case "renamed": self = .renamed(id: try payload["id"].string(), title: try payload["title"].string())
    case "removed": self = .removed(id: try payload["id"].string())
    default: return nil
    }
  }
}

/// The same shelves, from events with their own coding.
struct OwnWareShelves: Projection {
  func project(_ event: OwnWareEvent, into rows: inout Rows<Ware>) {
    switch event {
    case .added(let id, let title, let price, let shelf):
      rows.insert(Ware(id: id, title: title, price: price, shelf: shelf))
    case .repriced(let id, let price): rows.update(id) { $0.price = price }
    case .renamed(let id, let title): rows.update(id) { $0.title = title }
    case .removed(let id): rows[id] = nil
    }
  }
}
