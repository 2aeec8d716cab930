import Annals
import AnnalsSQLite
import Foundation

enum PartyEvent: Event {
  case invited(id: String, name: Personal<String>)
  case answered(id: String, isComing: Bool)
  case seated(id: String, table: Int)

  static let schema = 2
  static let formerNames = ["PartyAsked": "PartyInvited"]
  static let upcasters: [Upcaster] = [
    .split("PartyReplied", from: 1, to: 2, into: ["PartyAnswered", "PartySeated"]) { payload in
      let old = try payload.decoded(as: Replied.self)
      return [
        Upcaster.Output("PartyAnswered", ["id": .string(old.id), "isComing": true]),
        Upcaster.Output("PartySeated", ["id": .string(old.id), "table": .number(JSONNumber(old.table))]),
      ]
    }
  ]

  /// The payload of PartyReplied, as it was stored.
  struct Replied: Codable {
    var id: String
    var table: Int
  }
}

struct Guest: Row {
  let id: String
  var name: Personal<String>
  var isComing = false
  var table: Int?
}

struct Guests: Projection {
  func project(_ event: PartyEvent, into rows: inout Rows<Guest>) {
    switch event {
    case .invited(let id, let name): rows.insert(Guest(id: id, name: name))
    case .answered(let id, let isComing): rows[id]?.isComing = isComing
    case .seated(let id, let table): rows[id]?.table = table
    }
  }
}

/// The program of `Docs/Guides/11-EventsOverTheYears.md`.
enum EventsOverTheYears {
  @MainActor static func run(path: String) throws {
    let store = try SQLiteEventStore(path: path)
    try store.append(
      Append(
        [
          NewEvent(type: "PartyAsked", payload: #"{"id":"1","name":{"$personal":"guest-1","value":"Ann"}}"#),
          NewEvent(type: "PartyReplied", payload: #"{"id":"1","table":4}"#),
        ], to: "party"))

    for event in try store.events(of: PartyEvent.self) {
      switch event.event {
      case .invited(_, let name): print(event.position, "invited", name.value ?? "a former guest")
      case .answered(_, let isComing): print(event.position, "answered", isComing)
      case .seated(_, let table): print(event.position, "seated at", table)
      }
    }

    for table in 5...9 { try store.append([PartyEvent.seated(id: "1", table: table)], to: "party") }
    var compaction = Compaction()
    compaction.rewrite(PartyEvent.self) { stream, events in
      var seated: Set<String> = []
      return events.reversed().filter { past in
        guard case .seated(let id, _) = past.event else { return true }
        return seated.insert(id).inserted
      }.reversed()
    }
    compaction.prove(Guests())
    let before = try store.events(of: PartyEvent.self).count
    try store.compact(compaction)
    print(before, "events, and then", try store.events(of: PartyEvent.self).count)

    try store.erase(subject: "guest-1")
    for guest in try store.list(of: Guests()).rows {
      print(guest.name.value ?? "a former guest", "at table", guest.table ?? 0)
    }
  }
}
