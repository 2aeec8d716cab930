import Annals
import AnnalsSQLite
import Foundation

/// A small log with everything that an event can have, at times that never change: event N is at 10:0N on 2026-03-01.
enum ShopLog {
  /// Writes the log.
  static func write(to path: String) throws {
    // Commands have a time of their own.
    let store = try SQLiteEventStore(
      path: path, environment: StoreEnvironment(now: { Date(timeIntervalSince1970: 1_772_359_200) }))
    try append(
      store, command: "open-shop",
      [
        event(1, "RecordInserted", record("b1", #"{"title":"Annals","price":50,"shelf":"odd"}"#), actor: "ann"),
        event(2, "RecordInserted", record("b2", #"{"title":"Büche","price":20,"shelf":"even"}"#), actor: "ann"),
      ])
    try append(
      store,
      [
        event(
          3, "RecordInserted",
          record("b3", #"{"title":"War and Peace","price":60,"shelf":"odd","tags":["a","b"],"at":{"city":"Bern"}}"#),
          actor: "bob", more: ["correlationid": "c-1"])
      ])
    try append(
      store, command: "reprice-b3",
      [event(4, "RecordUpdated", record("b3", #"{"price":40}"#), actor: "ann", more: ["reason": "sale"])])
    try append(
      store,
      [
        event(
          5, "RecordUpdated", record("b1", #"{"shelf":"even"}"#),
          more: ["causationid": "e4", "correlationid": "reprice-b3"]),
        event(
          6, "Noted", #"{"book":"b1","stars":5}"#, schema: 2, tags: ["book:b1", "note"], more: ["causationid": "e4"]),
      ])
    try append(store, [event(7, "RecordDeleted", #"{"collection":"book","id":"b2"}"#, actor: "eve")])
    try append(store, [event(8, "RecordInserted", record("a.b", #"{"x":1,"x.y":2,"shelf":null}"#))])
    try append(store, [event(9, "RecordUpdated", record("a.b", #"{"x":{"y":3},"x.y":null}"#), actor: "bob")])
    store.close()
  }

  private static func record(_ id: String, _ fields: String) -> String {
    #"{"collection":"book","id":"\#(id)","fields":\#(fields)}"#
  }

  private static func event(
    _ number: Int, _ type: String, _ payload: String, schema: Int = 1, tags: Set<EventTag> = [], actor: String? = nil,
    more: Metadata = [:]
  ) -> NewEvent {
    var metadata = more
    metadata.author = actor
    // 2026-03-01T10:00:00Z
    let time = Date(timeIntervalSince1970: 1_772_359_200 + 60 * Double(number))
    return NewEvent(
      type: type, schema: schema, payload: payload, tags: tags, metadata: metadata,
      id: EventID(source: "shop", id: "e\(number)"), time: time)
  }

  private static func append(_ store: SQLiteEventStore, command: String? = nil, _ events: [NewEvent]) throws {
    let entries = events.map { event in
      var event = event
      if let command {
        // As an executed command has it.
        (event.metadata.causation, event.metadata.correlation) = (command, command)
      }
      return Append.Entry(stream: event.type == "Noted" ? "notes" : "book", event: event)
    }
    try store.append(Append(entries, commandID: command))
  }
}
