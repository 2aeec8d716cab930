import Annals
import AnnalsLog
import AnnalsSQLite
import CAnnalsSQLite
import Foundation

extension Figure {
  /// What a command and a rebuild take on top of what is done by hand, in processor time.
  static var streams: [Figure] {
    [
      streamLoad, executeInstructions, executeWithID,
      rebuild("rebuild-core", LongWareShelves<LongWareEvent>(), atMost: 2.2),
      rebuild("rebuild-core-own", LongWareShelves<OwnLongWareEvent>(), atMost: 1.5),
    ]
  }

  private static var streamLoad: Figure {
    Figure(
      "stream-load", rows: 1_000, "an event of a stream applied to a decider's state",
      against: "hand-written code: C API, Foundation's decoder", of: .processor, .cost(atMost: 0.75)
    ) {
      let log = try ScratchLog()
      let coder = try EventCoder<BenchmarkEvent>()
      let events = try (0..<1_000).map { number in
        var event = try coder.encode(
          .repriced(price: Double(number), shelf: "shelf-17", title: "The Annals of Imperial Rome, with notes"))
        event.metadata = ["actor": "benchmark"]
        return event
      }
      let streams = 20
      for stream in 0..<streams { try log.store.append(Append(events, to: "Book-\(stream)")) }
      let byHand = try StreamByHand(log.path)
      return Contest {
        // A state that is kept would be answered without reading.
        let store = try SQLiteEventStore(path: log.path)
        defer { store.close() }
        return try processorNanoseconds(per: streams * events.count) {
          for stream in 0..<streams { keep(try store.state(of: BenchmarkBook["\(stream)"])) }
        }
      } baseline: {
        try processorNanoseconds(per: streams * events.count) {
          for stream in 0..<streams { keep(try byHand.load("Book-\(stream)")) }
        }
      }
    }
  }

  private static var executeInstructions: Figure {
    Figure(
      "execute-instructions", rows: 1_000,
      "a command on a short stream, in a separate transaction",
      against: "prepared inserts into the same tables, one per transaction", of: .processor,
      .cost(atMost: 2)
    ) {
      try commandsBesideLoop { try processorNanoseconds(per: $0, $1) }
    }
  }

  private static var executeWithID: Figure {
    Figure(
      "execute-id", rows: 1_000, "a command with an identifier",
      against: "the command without an identifier", of: .processor, .cost(atMost: 1.6)
    ) {
      let (named, plain) = (try ScratchLog(), try ScratchLog())
      try named.fill()
      try plain.fill()
      var (next, nextPlain) = (0, 0)
      func execute(_ number: Int, in log: ScratchLog, commandID: String?) throws {
        let id = "\(number &* 7_919 % ScratchLog.streams)"
        try log.store.execute(
          .reprice(to: Double(number)), on: BenchmarkBook[id], commandID: commandID)
      }
      return Contest {
        try processorNanoseconds(per: 1_000) {
          for _ in 0..<1_000 {
            next += 1
            try execute(next, in: named, commandID: "command-\(next)")
          }
        }
      } baseline: {
        try processorNanoseconds(per: 1_000) {
          for _ in 0..<1_000 {
            nextPlain += 1
            try execute(nextPlain, in: plain, commandID: nil)
          }
        }
      }
    }
  }

  private static func rebuild<P: Projection>(
    _ name: String, _ projection: P, atMost: Double
  ) -> Figure where P.Row == Ware {
    Figure(
      name, rows: 300_000, "an event of 116 bytes into a sorted, sectioned list",
      against: "hand-written code: C API, JSON reader, dictionary, one sort", of: .processor,
      .cost(atMost: atMost)
    ) {
      let count = 300_000
      let log = try ScratchLog()
      try LongWareEvent.append(count, to: log.store)
      let byHand = try WaresByHand(log.path)
      return Contest {
        let controller = FetchedResultsController(
          store: log.store, projection: projection, request: ListWorkload.request)
        let time = try processorNanoseconds(per: count) { try controller.performFetch() }
        keep(controller.results.count)
        return time
      } baseline: {
        try processorNanoseconds(per: count) { keep(try byHand.load().count) }
      }
    }
  }
}

/// An event that has all that a ware is.
protocol LongWare: Event {
  var ware: Ware { get }
}

/// Events of some 116 bytes.
enum LongWareEvent: LongWare {
  case stocked(id: String, maker: String, price: Double, shelf: Int, title: String)

  static var typePrefix: String { "Ware" }

  var ware: Ware {
    switch self {
    case .stocked(let id, _, let price, let shelf, let title): Ware(id: id, title: title, price: price, shelf: shelf)
    }
  }

  /// Appends events of a fifth as many wares, 1,000 in each transaction.
  static func append(_ count: Int, to store: SQLiteEventStore) throws {
    let coder = try EventCoder<LongWareEvent>()
    var chance = Chance(seed: 13)
    for start in stride(from: 0, to: count, by: 1_000) {
      let entries = try (start..<min(start + 1_000, count)).map { number in
        let ware = number % (count / 5)
        var event = try coder.encode(
          .stocked(
            id: ListWorkload.id(ware), maker: "Maker \(ware % 97)", price: chance.price(), shelf: ware % 100,
            title: "The rather long title of ware number \(ware)"))
        event.metadata = ["actor": "benchmark"]
        return Append.Entry(stream: StreamName("Ware-\(ware)"), event: event)
      }
      try store.append(Append(entries))
    }
  }
}

/// The same with a coding of its own.
enum OwnLongWareEvent: LongWare, CustomCodedEvent {
  case stocked(id: String, maker: String, price: Double, shelf: Int, title: String)

  static var typePrefix: String { "Ware" }

  var ware: Ware {
    switch self {
    case .stocked(let id, _, let price, let shelf, let title): Ware(id: id, title: title, price: price, shelf: shelf)
    }
  }

  func write(to payload: inout PayloadWriter) -> String {
    switch self {
    case .stocked(let id, let maker, let price, let shelf, let title):
      payload.writeObject {
        $0.write("id", id)
        $0.write("maker", maker)
        $0.write("price", price)
        $0.write("shelf", shelf)
        $0.write("title", title)
      }
      return "stocked"
    }
  }

  init?(case name: String, payload: PayloadValue) throws {
    guard name == "stocked" else { return nil }
    self = .stocked(
      id: try payload["id"].string(), maker: try payload["maker"].string(), price: try payload["price"].double(),
      shelf: try payload["shelf"].int(), title: try payload["title"].string())
  }
}

/// The wares of these events.
struct LongWareShelves<E: LongWare>: Projection {
  func project(_ event: E, into rows: inout Rows<Ware>) {
    let ware = event.ware
    rows[ware.id] = ware
  }
}
