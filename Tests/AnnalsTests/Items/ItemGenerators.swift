import Annals
import AnnalsTesting

/// Few ids, groups and names, so that they repeat often.
private let ids = Generator<Int>.int(in: 0...11).map { "\($0)" }
private let groups = Generator<String?>.element(of: ["a", "b", "c", "", nil])
private let names = Generator<String>.element(of: ["p", "q", "r"])
private let titles = Generator<String>.element(of: ["x", "y", "Title"])
private let items = zip(ids, groups, .int(in: 0...5), names).map { id, group, rank, name in
  Item(id: id, group: group, rank: rank, name: name)
}

extension Generator where Value == ItemEvent {
  /// Events of a domain of twelve items.
  static var itemEvent: Generator {
    frequency(
      (5, items.map { .put($0) }), (1, ids.map { .removed(id: $0) }),
      (1, zip(groups, titles).map { .renamed(group: $0, title: $1) }),
      (1, zip(groups, .int(in: 0...3)).map { .numbered(group: $0, number: Double($1)) }))
  }
}

extension Generator where Value == [ItemEvent] {
  /// The events of a transaction, at least one.
  static var itemTransaction: Generator { array(of: .itemEvent, count: 1...9) }
}

/// A change of rows, as a projection makes them.
enum ItemEdit {
  case event(ItemEvent)
  case rank(id: String, Int)
  case group(id: String, String?)
  case name(id: String, String)

  func apply(to rows: inout Rows<Item>) throws {
    switch self {
    case .event(let event): try Items().project(event, into: &rows)
    case .rank(let id, let rank): rows[id]?.rank = rank
    case .group(let id, let group): rows[id]?.group = group
    case .name(let id, let name): rows[id]?.name = name
    }
  }
}

extension Generator where Value == [ItemEdit] {
  /// The edits of a batch: mostly a few, sometimes none, sometimes many.
  static var itemBatch: Generator {
    let edit = Generator<ItemEdit>.frequency(
      (7, Generator<ItemEvent>.itemEvent.map { .event($0) }), (1, zip(ids, .int(in: 0...5)).map { .rank(id: $0, $1) }),
      (1, zip(ids, groups).map { .group(id: $0, $1) }), (1, zip(ids, names).map { .name(id: $0, $1) }))
    return .frequency((20, array(of: edit, count: 0...3)), (1, array(of: edit, count: 0...30)))
  }
}
