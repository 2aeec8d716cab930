import Annals
import AnnalsLog

extension Figure {
  /// Lists that share the rows of one projection.
  static var shared: [Figure] {
    [
      listsShare(100_000),
      Figure(
        "lists-share-memory", rows: 100_000, "memory of twenty lists of one projection", against: "one list",
        of: .memory, .cost(atMost: 1.3)
      ) {
        Contest {
          try bytes("lists", "20")
        } baseline: {
          try bytes("lists", "1")
        }
      },
    ]
  }

  /// The same with another number of rows.
  static func listsShare(_ rows: Int) -> Figure {
    Figure(
      "lists-share", rows: rows,
      "twenty lists of one projection, fetched, and 1,000 events delivered",
      against: "one list", .cost(atMost: 1.5)
    ) {
      let log = try SharedLists(rows: rows)
      return Contest {
        try nanoseconds(per: 1) { try log.run(lists: 20) }
      } baseline: {
        try nanoseconds(per: 1) { try log.run(lists: 1) }
      }
    }
  }
}

/// A log of wares, and lists of it.
final class SharedLists {
  private let store = MemoryEventStore()
  private let rows: Int
  private var chance = Chance(seed: 13)

  init(rows: Int) throws {
    self.rows = rows
    let wares = ListWorkload.wares(rows, shelves: 100)
    for start in stride(from: 0, to: rows, by: 1_000) {
      try put(
        wares[start..<min(start + 1_000, rows)].map {
          .added(id: $0.id, title: $0.title, price: $0.price, shelf: $0.shelf)
        })
    }
  }

  private func put(_ events: [WareEvent]) throws {
    let coder = try EventCoder<WareEvent>()
    try store.append(Append(events.map { try coder.encode($0) }, to: "wares"))
  }

  /// The request of one of twenty lists.
  private func request(_ number: Int) -> ListRequest<Ware> {
    let sort: [[SortKey<Ware>]] = [
      [.ascending(\.price)], [.descending(\.price)], [.ascending(\.title)],
      [.descending(\.title), .ascending(\.price)],
    ]
    return ListRequest(
      filter: .where { $0.shelf % 20 == number }, sort: sort[number % sort.count], section: .by(\.shelf))
  }

  /// Makes some of the lists.
  func open(_ count: Int) throws -> [FetchedResultsController<Ware>] {
    try (0..<count).map { number in
      let list = FetchedResultsController(store: store, projection: WareShelves(), request: request(number))
      try list.performFetch()
      return list
    }
  }

  /// Makes some of the lists and changes rows, one event after the other, while an observer hears of the changes.
  func run(lists count: Int) throws {
    let lists = try open(count)
    let observations = lists.map { $0.observe { keep($0.rows.count) } }
    for _ in 0..<1_000 {
      try put([.repriced(id: ListWorkload.id(chance.next(upTo: rows)), to: chance.price())])
    }
    keep(lists.map { $0.results.rows.count })
    keep(observations.count)
  }
}
