import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation
import OwnStores

/// A store of this package, and what is inside it.
enum Stores: CaseIterable, Sendable {
  case own, forwardingMemory, forwardingSQLite, sealingMemory, sealingSQLite

  /// Calls a body with a function that makes empty stores, and removes their files afterwards.
  func withStores<T>(_ body: ((StoreEnvironment) throws -> any EventStore) throws -> T) throws -> T {
    try withFolder { folder in
      try body { environment in try make(environment, in: folder).outer }
    }
  }

  /// Calls a body with an empty store, and with the store inside it.
  func withStore<T>(_ body: (_ outer: any EventStore, _ inner: any EventStore) throws -> T) throws -> T {
    try withFolder { folder in
      let (outer, inner) = try make(StoreEnvironment(), in: folder)
      return try body(outer, inner)
    }
  }

  private func withFolder<T>(_ body: (URL) throws -> T) throws -> T {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("outside-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }

  private func make(
    _ environment: StoreEnvironment, in folder: URL
  ) throws -> (outer: any EventStore, inner: any EventStore) {
    func memory() -> any EventStore { MemoryEventStore(source: "memory", environment: environment) }
    func sqlite() throws -> any EventStore {
      try SQLiteEventStore(path: folder.appendingPathComponent(UUID().uuidString).path, environment: environment)
    }
    switch self {
    case .own:
      let store = OwnStore(environment: environment)
      return (store, store)
    case .forwardingMemory, .forwardingSQLite:
      let inner = self == .forwardingMemory ? memory() : try sqlite()
      return (ForwardingStore(inner), inner)
    case .sealingMemory, .sealingSQLite:
      let inner = self == .sealingMemory ? memory() : try sqlite()
      return (SealingStore(inner, key: 0x5A), inner)
    }
  }
}

/// A store that can only read and append.
final class BareStore: EventStore {
  private let inner: MemoryEventStore

  init(environment: StoreEnvironment = StoreEnvironment()) { inner = MemoryEventStore(environment: environment) }

  var source: String { inner.source }
  var environment: StoreEnvironment { inner.environment }
  var runtime: StoreRuntime { inner.runtime }

  func commit(_ append: Append) throws -> Receipt { try inner.commit(append) }
  func read<T>(_ body: (any EventLog) throws -> T) throws -> T { try inner.read(body) }
}
