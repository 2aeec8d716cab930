import Annals
import AnnalsSQLite
import Foundation

/// Stores of every kind, each empty: in memory, in a file, and one that has nothing but what a store must have.
final class EveryStore {
  let stores: [any EventStore]
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    stores = [
      MemoryEventStore(), CountingStore(),
      try SQLiteEventStore(path: folder.appending(path: "log").path, durability: .process),
    ]
  }

  deinit {
    for store in stores { (store as? SQLiteEventStore)?.close() }
    try? FileManager.default.removeItem(at: folder)
  }

  /// Runs a test with each of them.
  static func each(_ body: (any EventStore) throws -> Void) throws {
    let every = try EveryStore()
    for store in every.stores { try body(store) }
  }
}
