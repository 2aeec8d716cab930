import Annals
import CAnnalsSQLite
import Synchronization

/// A flag that ends all reading of logs in this process, because the process is about to end.
///
/// Reads then throw, so that connections are closed and leave no files next to a log.
package enum EndOfReading {
  private static let isAsked = Atomic<Bool>(false)

  /// Requests the end of all reads.
  ///
  /// A signal handler can call it.
  package static func ask() { isAsked.store(true, ordering: .relaxed) }

  /// Throws if the end was requested, for reads without a statement.
  static func check(_ path: String) throws {
    if isAsked.load(ordering: .relaxed) {
      throw EventStoreError(.io, "\(path): is not read to its end, because this process is about to end")
    }
  }

  /// Makes a connection check the flag now and then.
  static func watch(_ handle: OpaquePointer) {
    // A few hundred events. A check costs less than one event.
    sqlite3_progress_handler(handle, 4_096, { _ in EndOfReading.isAsked.load(ordering: .relaxed) ? 1 : 0 }, nil)
  }
}
