import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation
import Synchronization

/// Appends while the same process erases, compacts, saves lists and copies the log.
enum HavocWork {
  private enum StockEvent: Event {
    case came(Item)
    case went(id: Int)
  }

  private struct Item: Row {
    let id: Int
    let owner: Personal<String>
  }

  private struct Stock: Projection {
    static var unknownEvents: UnknownEventPolicy { .skip }
    // The works put an item several times, and remove items that aren't there.
    static let toleratedEvents: Set = ["StockCame", "StockWent"]

    func project(_ event: StockEvent, into rows: inout Rows<Item>) {
      switch event {
      case .came(let item): rows.insert(item)
      case .went(let id): rows[id] = nil
      }
    }
  }

  private static var compaction: Compaction {
    var compaction = Compaction()
    compaction.rewrite(StockEvent.self) { _, events in
      var last: [Int: Compaction.Candidate<StockEvent>] = [:]
      for event in events {
        switch event.event {
        case .came(let item): last[item.id] = event
        case .went(let id): last[id] = nil
        }
      }
      return last.values.sorted { $0.recorded.position < $1.recorded.position }
    }
    compaction.prove(Stock(), request: ListRequest(sort: [.ascending(\.id)]))
    return compaction
  }

  /// Works until the process is killed.
  ///
  /// It prints every acknowledged append, with the number of its events and its last position.
  static func run(_ path: String, threads: Int, seed: Int) throws {
    let store = try SQLiteEventStore(path: path, durability: .process)
    StoreChild.say("open")
    try StoreChild.working(threads + 1) { lane in
      if lane == threads { return try disturb(store, path, seed) }
      for number in 0... {
        let (name, size) = (UUID().uuidString, Int.random(in: 1...3))
        let padding = String(repeating: "x", count: Int.random(in: 0...15) == 0 ? Int.random(in: 0...30_000) : 20)
        let events = (1...size).map { part in
          NewEvent(
            type: "Part", payload: #"{"append":"\#(name)","part":\#(part),"of":\#(size),"text":"\#(padding)"}"#,
            tags: ["part:\(part)"])
        }
        let entries = events.map { Append.Entry(stream: StreamName("parts-\(number % 3)"), event: $0) }
        let receipt = try store.append(Append(entries, commandID: number % 2 == 0 ? name : nil))
        StoreChild.say("ack \(name) \(size) \(receipt.position)")
      }
    }
  }

  private static func disturb(_ store: SQLiteEventStore, _ path: String, _ seed: Int) throws {
    let coder = try EventCoder<StockEvent>()
    let list = FetchedResultsController(
      store: store, projection: Stock(), request: ListRequest(sort: [.ascending(\.id)]), cacheName: "stock-\(seed)")
    for round in 0... {
      let events = try (0..<4).map { number in
        let id = Int.random(in: 0..<30)
        return try coder.encode(
          number == 3 ? .went(id: id) : .came(Item(id: id, owner: Personal("SECRET", of: "owner-\(id % 3)"))))
      }
      try store.append(Append(events, to: "stock"))
      if round % 4 == 1 { _ = try store.commitErasure(of: "owner-\(round % 3)", waiting: .zero) }
      if round % 6 == 3 { try store.compact(compaction) }
      if round % 5 == 2 {
        try list.performFetch()
        try list.saveCache()
      }
      if round % 9 == 5 {
        let copy = "\(path)-copy-\(seed)"
        try? FileManager.default.removeItem(atPath: copy)
        try store.backUp(to: copy)
      }
      // Another connection that opens and closes the log, of this process.
      let other = try SQLiteEventStore(path: path, durability: .process)
      _ = try other.checkpoints?.setCheckpoint(
        named: "follower-\(seed)", to: try other.head(),
        from: try other.checkpoints?.checkpoint(named: "follower-\(seed)"))
      other.close()
    }
  }
}
