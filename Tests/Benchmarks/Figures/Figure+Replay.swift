import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation

extension Figure {
  /// The cost of events on the way into and out of their stored form, and of a rebuild from a log.
  static var replay: [Figure] { [encodeEvent, decodeEvent, decodeOwnEvent, replayJSON, replayOwnCodec] }

  private static var encodeEvent: Figure {
    Figure(
      "event-encode", rows: 8_000, "encoding an event through Codable",
      against: "Foundation's JSONEncoder with sorted keys", .speed(atLeast: 2.5)
    ) {
      let coder = try EventCoder<WareEvent>()
      let events = WareHistory(8_000).events
      let foundation = JSONEncoder()
      foundation.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return Contest {
        try nanoseconds(per: events.count) { for event in events { keep(try coder.encode(event).payload) } }
      } baseline: {
        try nanoseconds(per: events.count) { for event in events { keep(try foundation.encode(event).count) } }
      }
    }
  }

  static var decodeEvent: Figure {
    Figure(
      "event-decode", rows: 8_000, "decoding an event through Codable",
      against: "Foundation's JSONDecoder with synthesized coding", .speed(atLeast: 2)
    ) {
      var coder = try EventCoder<WareEvent>()
      let events = WareHistory(8_000).events
      let stored = try events.map { try coder.encode($0) }
      let data = try events.map { try JSONEncoder().encode($0) }
      let foundation = JSONDecoder()
      return Contest {
        try nanoseconds(per: stored.count) {
          for event in stored { keep(try coder.decode(type: event.type, payload: event.payload)) }
        }
      } baseline: {
        try nanoseconds(per: data.count) {
          for text in data { keep(try foundation.decode(WareEvent.self, from: text)) }
        }
      }
    }
  }

  private static var decodeOwnEvent: Figure {
    Figure(
      "event-decode-own", rows: 8_000, "decoding an event with the type's own coding",
      against: "decoding through Codable", .speed(atLeast: 1.5)
    ) {
      var (coder, codable) = (try EventCoder<OwnWareEvent>(), try EventCoder<WareEvent>())
      let stored = try WareHistory(8_000).events.map { try codable.encode($0) }
      return Contest {
        try nanoseconds(per: stored.count) {
          for event in stored { keep(try coder.decode(type: event.type, payload: event.payload)) }
        }
      } baseline: {
        try nanoseconds(per: stored.count) {
          for event in stored { keep(try codable.decode(type: event.type, payload: event.payload)) }
        }
      }
    }
  }

  private static var replayOwnCodec: Figure {
    Figure(
      "replay-own-codec", rows: 1_000_000,
      "the same with the type's own coding", against: "a bare scan of all columns",
      .speed(atLeast: 0.4)
    ) { try replay(OwnWareShelves()) }
  }

  private static var replayJSON: Figure {
    Figure(
      "replay-json", rows: 1_000_000,
      "an event through Codable into a sorted, sectioned list", against: "a bare scan of all columns",
      .speed(atLeast: 0.18)
    ) { try replay(WareShelves()) }
  }

  private static func replay<P: Projection>(
    _ projection: P, count: Int = 1_000_000
  ) throws -> Contest where P.Row == Ware {
    let log = try ScratchLog()
    try WareHistory(count).append(to: log.store)
    let scan = try BareScan(log.path)
    return Contest {
      let controller = FetchedResultsController(store: log.store, projection: projection, request: ListWorkload.request)
      let time = try nanoseconds(per: count) { try controller.performFetch() }
      keep(controller.results.count)
      return time
    } baseline: {
      try nanoseconds(per: count) { keep(try scan.run()) }
    }
  }
}
