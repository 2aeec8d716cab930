import Annals
import Foundation

extension Figure {
  /// The processor time of changes that many rows take part in, until the delegate has been notified.
  ///
  /// Both sides do the whole work: they change the stored data, and find out what changed in the list.
  static var wide: [Figure] { wide(rows: 100_000) }

  /// The same for a list of another length.
  static func wide(rows: Int) -> [Figure] {
    let sizes = (0...6).map { Self.power($0) }.filter { $0 <= rows }
    return sizes.map { bulkChange($0, of: rows) } + [
      filterChange(rows), sortChange(rows), relationChange(rows), sectionMove(rows),
    ]
  }

  private static func power(_ exponent: Int) -> Int { (0..<exponent).reduce(1) { power, _ in power * 10 } }

  private static func bulkChange(_ size: Int, of rows: Int) -> Figure {
    Figure(
      "bulk-change-\(size)", rows: rows, "a commit that changes \(size) rows, until the delegate was notified",
      against: "updating the rows in SQLite, fetching the list through an index, comparing by id", of: .processor,
      .cost(atMost: 1)
    ) {
      let wares = ListWorkload.wares(rows, shelves: 100)
      let (list, table) = (try WideList(wares), try IndexedTable(wares))
      var (chance, other) = (Chance(seed: 11), Chance(seed: 11))
      return Contest {
        try list.reprice(size, of: rows, &chance)
      } baseline: {
        let prices = ListWorkload.repriced(size, of: rows, &other)
        return try processorNanoseconds {
          try table.reprice(prices)
          table.refetch()
        }
      }
    }
  }

  /// To a tenth of the sections, and back to all.
  private static func filterChange(_ rows: Int) -> Figure {
    Figure(
      "filter-change", rows: rows, "a filter that 10% of the rows pass, until the delegate was notified",
      against: "fetching these rows from SQLite through an index, comparing by id", of: .processor,
      .cost(atMost: 1.5)
    ) {
      let wares = ListWorkload.wares(rows, shelves: 100)
      let (list, table) = (try WideList(wares), try IndexedTable(wares))
      return Contest {
        _ = try list.controller.update { $0.filter = nil }
        letOldListsGo()
        return try list.update { $0.filter = .where { $0.shelf % 10 == 3 } }
      } baseline: {
        table.refetch()
        return try processorNanoseconds {
          try table.refetch(
            "SELECT id, title, price, shelf FROM ware WHERE shelf % 10 = 3 ORDER BY shelf, price, title, id")
        }
      }
    }
  }

  private static func sortChange(_ rows: Int) -> Figure {
    Figure(
      "sort-change", rows: rows, "another sort order, until the delegate was notified",
      against: "fetching the list from SQLite through an index in this order, comparing by id", of: .processor,
      .cost(atMost: 1.5)
    ) {
      let wares = ListWorkload.wares(rows, shelves: 100)
      let (list, table) = (try WideList(wares), try IndexedTable(wares))
      return Contest {
        _ = try list.controller.update { $0.sort = ListWorkload.request.sort }
        letOldListsGo()
        return try list.update { $0.sort = [.ascending(\.title), .ascending(\.price)] }
      } baseline: {
        table.refetch()
        return try processorNanoseconds {
          try table.refetch("SELECT id, title, price, shelf FROM ware ORDER BY shelf, title, price, id")
        }
      }
    }
  }

  /// Waits until the rows of former lists are freed, which another thread does: people don't change two requests in
  /// 50 ms.
  private static func letOldListsGo() { Thread.sleep(forTimeInterval: 0.05) }

  private static func relationChange(_ rows: Int) -> Figure {
    Figure(
      "relation-change", rows: rows, "an event that 10% of the rows depend on, until the delegate was notified",
      against: "naming the brand in SQLite, fetching the list, joined with the names, comparing by id",
      of: .processor, .cost(atMost: 0.7)
    ) {
      let wares = ListWorkload.wares(rows, shelves: 100)
      let list = try WideList(
        BrandShelves(),
        ListRequest(sort: [.ascending(\.price), .ascending(\.title)], section: .by(\.shelf)),
        (0..<10).map { .named(brand: $0, name: "Brand \($0)") }
          + wares.enumerated().map {
            .added(id: $1.id, title: $1.title, price: $1.price, shelf: $1.shelf, brand: $0 / 100 % 10)
          })
      let table = try IndexedTable(wares)
      var (number, other) = (0, 0)
      return Contest {
        number += 1
        return try list.change([.named(brand: number % 10, name: "Brand, renamed \(number)")])
      } baseline: {
        other += 1
        return try processorNanoseconds {
          try table.name(other % 10, "Brand, renamed \(other)")
          try table.refetch(
            "SELECT ware.id, title || name, price, shelf FROM ware CROSS JOIN brand ON brand.id = ware.brand "
              + "ORDER BY shelf, price, title, ware.id")
        }
      }
    }
  }

  private static func sectionMove(_ rows: Int) -> Figure {
    Figure(
      "section-move", rows: rows,
      "an event that moves 10% of the rows to another section",
      against: "moving the rows in SQLite, fetching the list through an index, comparing by id", of: .processor,
      .cost(atMost: 1)
    ) {
      let wares = ListWorkload.wares(rows, shelves: 10)
      let list = try WideList(
        MovedShelves(), ListWorkload.request,
        wares.map { .added(id: $0.id, title: $0.title, price: $0.price, shelf: $0.shelf) })
      let table = try IndexedTable(wares)
      var (place, other) = (3, 3)
      return Contest {
        defer { place = 13 - place }
        return try list.change([.shelfMoved(from: place, to: 13 - place)])
      } baseline: {
        defer { other = 13 - other }
        return try processorNanoseconds {
          try table.move(from: other, to: 13 - other)
          table.refetch()
        }
      }
    }
  }
}
