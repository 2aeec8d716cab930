import Annals
import Foundation

/// A ware as a list shows it that takes its brand's name over.
struct BrandedWare: Row {
  var id: String
  var title: String
  var price: Double
  var shelf: Int
  var brand: Int
  var brandName = ""
}

/// A brand of wares.
struct Brand: Row {
  var id: Int
  var name: String
}

/// The events of branded wares.
enum BrandEvent: Event {
  case added(id: String, title: String, price: Double, shelf: Int, brand: Int)
  case named(brand: Int, name: String)
}

/// Branded wares on their shelves, each with the name that its brand has now.
struct BrandShelves: Projection {
  static let relations: [Relation<BrandedWare>] = [
    .to(Brand.self, by: \.brand) { ware, brand in ware.brandName = brand?.name ?? "unknown" }
  ]

  func project(_ event: BrandEvent, into rows: inout Rows<BrandedWare>) {
    switch event {
    case .added(let id, let title, let price, let shelf, let brand):
      rows.insert(BrandedWare(id: id, title: title, price: price, shelf: shelf, brand: brand))
    case .named(let brand, let name): rows.relate(Brand(id: brand, name: name))
    }
  }
}

/// The events of wares whose shelves are emptied at once.
enum MovedEvent: Event {
  case added(id: String, title: String, price: Double, shelf: Int)
  case shelfMoved(from: Int, to: Int)
}

/// Wares that an event on their shelf moves to another.
struct MovedShelves: Projection {
  static let relations: [Relation<Ware>] = [.index(\.shelf)]

  func project(_ event: MovedEvent, into rows: inout Rows<Ware>) {
    switch event {
    case .added(let id, let title, let price, let shelf):
      rows.insert(Ware(id: id, title: title, price: price, shelf: shelf))
    case .shelfMoved(let from, let to):
      for ware in rows.all(where: \.shelf, is: from) { rows.update(ware.id) { $0.shelf = to } }
    }
  }
}

/// Counts what it hears, as a table view's delegate would.
final class CountingDelegate<Row: Annals.Row>: FetchedResultsControllerDelegate {
  private(set) var count = 0

  func controller(
    _ controller: FetchedResultsController<Row>, didChange section: ResultsSection<Row>, atSectionIndex: Int,
    for type: FetchedResultsChangeType, newSectionIndex: Int?
  ) { count += 1 }

  func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Row, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) { count += 1 }
}

/// A store in memory, a controller and its delegate: what a user of the library has.
final class WideList<P: Projection> {
  let store = MemoryEventStore()
  let controller: FetchedResultsController<P.Row>
  private let delegate = CountingDelegate<P.Row>()

  init(_ projection: P, _ request: ListRequest<P.Row>, _ events: [P.Event]) throws {
    controller = FetchedResultsController(store: store, projection: projection, request: request)
    try store.append(events, to: "Wares")
    try controller.performFetch()
    controller.delegate = delegate
  }

  /// Commits events, and returns the processor time until the delegate has been notified.
  func change(_ events: [P.Event]) throws -> Double {
    try told {
      controller.suspendDelivery()
      try store.append(events, to: "Wares")
      controller.resumeDelivery()
    }
  }

  /// Changes the request, and returns the processor time until the delegate has been notified.
  func update(_ change: (inout ListRequest<P.Row>) -> Void) throws -> Double {
    try told { try controller.update(change) }
  }

  private func told(_ work: () throws -> Void) throws -> Double {
    let before = delegate.count
    let time = try processorNanoseconds(work)
    guard delegate.count > before else { throw WideFailure(message: "the delegate heard of nothing") }
    return time
  }
}

struct WideFailure: Error { let message: String }

extension WideList where P == WareShelves {
  /// Wares on 100 shelves.
  convenience init(_ wares: [Ware]) throws {
    try self.init(
      WareShelves(), ListWorkload.request,
      wares.map { .added(id: $0.id, title: $0.title, price: $0.price, shelf: $0.shelf) })
  }

  /// Commits other prices of some wares, and returns the processor time until the delegate has been notified.
  func reprice(_ count: Int, of wares: Int, _ chance: inout Chance) throws -> Double {
    try change(ListWorkload.repriced(count, of: wares, &chance).map { .repriced(id: $0.id, to: $0.price) })
  }
}

extension ListWorkload {
  /// So many wares, each once, with prices that lead them to other places.
  static func repriced(_ count: Int, of wares: Int, _ chance: inout Chance) -> [(id: String, price: Double)] {
    // The step has no divisor in common with a number of wares that is a power of ten.
    let start = chance.next(upTo: wares)
    return (0..<count).map { (id((start + $0 * 7_919) % wares), chance.price()) }
  }
}
