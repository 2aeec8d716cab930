import Annals
import AnnalsTesting
import Foundation
import Testing

private enum ShelfEvent: Event, Equatable {
  case put(id: Int, shelf: Int)
  case repriced(id: Int, price: Int)
  case removed(id: Int)
  case named(shelf: Int, name: String)
  case noted
}

private struct Shelf: Row {
  var id: Int
  var name: String
}

private struct Thing: Row, Equatable {
  var id: Int
  var shelf: Int
  var shelfName = ""
  var price = 0
}

private struct Things: Projection {
  static let relations: [Relation<Thing>] = [
    .to(Shelf.self, by: \.shelf) { thing, shelf in thing.shelfName = shelf?.name ?? "" }
  ]
  static let toleratedEvents: Set<String> = ["ShelfPut", "ShelfRepriced", "ShelfRemoved"]

  func project(_ event: ShelfEvent, into rows: inout Rows<Thing>) {
    switch event {
    case .put(let id, let shelf): rows.insert(Thing(id: id, shelf: shelf))
    case .repriced(let id, let price): rows[id]?.price = price
    case .removed(let id): rows[id] = nil
    case .named(let shelf, let name): rows.relate(Shelf(id: shelf, name: name))
    case .noted: break
    }
  }
}

/// The last event of each row, from the events alone.
private struct LastEvents {
  private var shelves: [Int: Int] = [:]
  private var names: [Int: String] = [:]
  private(set) var last: [Int: Position] = [:]

  mutating func apply(_ event: ShelfEvent, at position: Position) {
    switch event {
    case .put(let id, let shelf): (shelves[id], last[id]) = (shelf, position)
    case .repriced(let id, _): if last[id] != nil { last[id] = position }
    case .removed(let id): (shelves[id], last[id]) = (nil, nil)
    case .named(let shelf, let name):
      if names[shelf, default: ""] == name { return }
      names[shelf] = name
      for (id, other) in shelves where other == shelf { last[id] = position }
    case .noted: break
    }
  }
}

@Suite struct LastEventTests {
  private let request = ListRequest<Thing>(
    sort: [.ascending(\.price)], section: .by(\.shelf))

  private static var event: Generator<ShelfEvent> {
    let (id, shelf) = (Generator<Int>.int(in: 0...7), Generator<Int>.int(in: 0...2))
    return .frequency(
      (4, zip(id, shelf).map { .put(id: $0, shelf: $1) }),
      (3, zip(id, Generator<Int>.int(in: 0...3)).map { .repriced(id: $0, price: $1) }),
      (2, id.map { .removed(id: $0) }),
      (2, zip(shelf, Generator<String>.element(of: ["a", "b"])).map { .named(shelf: $0, name: $1) }),
      (1, .constant(.noted)))
  }

  private func ensure(_ list: Results<Thing>, has model: LastEvents) throws {
    try ensureEqual(
      Dictionary(uniqueKeysWithValues: list.rows.map { ($0.id, list.lastEvent(forID: $0.id)) }),
      model.last.mapValues { $0 })
    for (index, section) in list.enumerated() {
      try ensureEqual(section.lastEvent, section.compactMap { model.last[$0.id] }.max())
      for row in section.indices {
        try ensureEqual(list.lastEvent(at: RowPath(section: index, row: row)), model.last[section[row].id])
      }
    }
    for position in 0...list.position.rawValue {
      let expected = model.last.filter { $0.value.rawValue > position }.keys.sorted()
      try ensureEqual(list.rows(setAfter: Position(position)).map(\.id).sorted(), expected)
    }
  }

  @Test func `each row has the position of the last event that set it, in lists and in changes`() throws {
    try check(.array(of: Self.event, count: 0...40), settings: CheckSettings(examples: 150)) { events in
      let store = MemoryEventStore()
      var model = LastEvents()
      var shown = try store.list(of: Things(), request)
      for (index, event) in events.enumerated() {
        let position = Position(index + 1)
        try store.append([event], to: "s")
        model.apply(event, at: position)
        let past = index / 2
        let list = try store.list(of: Things(), request)
        try ensure(list, has: model)
        let changes = Changes(from: shown, to: list)
        for change in changes.rows {
          if case .delete = change {
            try ensureEqual(changes.lastEvent(of: change), nil)
          } else {
            try ensureEqual(changes.lastEvent(of: change), model.last[change.row.id])
          }
        }
        shown = list
        var before = LastEvents()
        for (number, event) in events.prefix(past).enumerated() { before.apply(event, at: Position(number + 1)) }
        try ensure(try store.list(of: Things(), request, at: Position(past)), has: before)
      }
    }
  }

  /// Many events at once are folded into a table.
  @Test func `after thousands of events in one fold, each row has the position of its last event`() throws {
    try check(.array(of: Self.event, count: 900...1_000), settings: CheckSettings(examples: 5)) { events in
      let store = MemoryEventStore()
      var model = LastEvents()
      try store.append(events, to: "s")
      for (index, event) in events.enumerated() { model.apply(event, at: Position(index + 1)) }
      try ensure(try store.list(of: Things(), request), has: model)
    }
  }

  @Test func `an event of the log has its author, and a branch's rows are those after its fork`() throws {
    let store = MemoryEventStore()
    try store.append([ShelfEvent.put(id: 1, shelf: 0)], to: "s", metadata: ["actor": "Ann"])
    try store.append([ShelfEvent.put(id: 2, shelf: 0)], to: "s", metadata: ["actor": "Bob"])
    let branch = try store.branch()
    try branch.append([ShelfEvent.repriced(id: 1, price: 5)], to: "s")
    let list = try branch.list(of: Things(), request)
    #expect(list.rows(setAfter: branch.fork).map(\.id) == [1])
    #expect(try #require(list.lastEvent(forID: 1)) > branch.fork)
    let position = try #require(list.lastEvent(forID: 2))
    #expect(try store.event(at: position)?.metadata.author == "Bob")
    #expect(try store.event(at: 0) == nil && store.event(at: 3) == nil && branch.event(at: 3) != nil)
    #expect(list.lastEvent(forID: 9) == nil && list.lastEvent(at: RowPath(section: 7, row: 0)) == nil)
  }

  @Test func `rows that no event set have no position`() {
    var rows = Rows<Thing>()
    rows.insert(Thing(id: 1, shelf: 0))
    let list = Results(request, of: rows, at: 5)
    #expect(list.lastEvent(forID: 1) == nil && list[0].lastEvent == nil && list.rows(setAfter: 0).isEmpty)
  }
}
