import Annals
import AnnalsLog

extension Figure {
  /// Lists that share the rows of one projection.
  static var shared: [Figure] {
    [
      listsShare(100_000),
      Figure(
        "lists-equal", rows: 10_000, "one event, delivered to 100 lists with equal requests", against: "to one list",
        of: .processor, .cost(atMost: 2)
      ) {
        let (many, one) = (try EqualLists(rows: 10_000, lists: 100), try EqualLists(rows: 10_000, lists: 1))
        return Contest {
          try many.change()
        } baseline: {
          try one.change()
        }
      },
      Figure(
        "lists-equal-open", rows: 10_000, "opening 100 lists with equal requests", against: "opening one list",
        of: .processor, .cost(atMost: 2)
      ) {
        let log = try SharedLists(rows: 10_000)
        return Contest {
          try processorNanoseconds { keep(try log.openEqual(100).count) }
        } baseline: {
          try processorNanoseconds { keep(try log.openEqual(1).count) }
        }
      },
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

  /// Makes lists whose requests are equal, with a separate request for every list.
  func openEqual(_ count: Int) throws -> [FetchedResultsController<Ware>] {
    try (0..<count).map { _ in
      let list = FetchedResultsController(
        store: store, projection: WareShelves(),
        request: ListRequest(sort: [.ascending(\.price), .ascending(\.title)], section: .by(\.shelf)))
      try list.performFetch()
      return list
    }
  }

  /// Changes one row, and returns the processor time until all lists were delivered.
  func changeOne() throws -> Double {
    let event = WareEvent.repriced(id: ListWorkload.id(chance.next(upTo: rows)), to: chance.price())
    return try processorNanoseconds { try put([event]) }
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

/// Lists whose requests are equal, with an observer for every list.
final class EqualLists {
  private let log: SharedLists
  private let lists: [FetchedResultsController<Ware>]
  private let observations: [ChangeObservation]

  init(rows: Int, lists count: Int) throws {
    log = try SharedLists(rows: rows)
    lists = try log.openEqual(count)
    observations = lists.map { $0.observe { keep($0.rows.count) } }
  }

  /// The time of a change, from the commit until the last list was delivered.
  func change() throws -> Double { try average(200, log.changeOne) }
}
