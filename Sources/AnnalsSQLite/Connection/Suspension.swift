import AnnalsLog
import Synchronization

/// A switch that keeps a store's connections from taking a write lock, while the system might suspend the process.
final class Suspension: Sendable {
  private let flag = Atomic(false)

  var isOn: Bool { flag.load(ordering: .sequentiallyConsistent) }

  /// Sets the switch, and returns the old value.
  func set(_ isOn: Bool) -> Bool { flag.exchange(isOn, ordering: .sequentiallyConsistent) }

  /// Throws if the store is suspended.
  func check(_ path: String) throws {
    if isOn { throw Self.error(path) }
  }

  static func error(_ path: String) -> EventStoreError {
    EventStoreError(
      .suspended,
      "\(path): the store is suspended, so it accepts no writes, and the call had no effect; call resume() and retry")
  }
}
