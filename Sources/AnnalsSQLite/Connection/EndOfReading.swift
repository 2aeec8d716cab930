import AnnalsLog
import CAnnalsSQLite
import Synchronization

/// A flag that makes all reads of logs in this process throw, because the process is about to exit.
///
/// The reads' connections are then closed, and leave no files next to a log.
package enum EndOfReading {
  private static let isAsked = Atomic<Bool>(false)

  /// Sets the flag.
  ///
  /// A signal handler can call this method.
  package static func ask() { isAsked.store(true, ordering: .relaxed) }

  /// Throws if the flag is set, for reads without an SQL statement.
  static func check(_ path: String) throws {
    if isAsked.load(ordering: .relaxed) {
      throw EventStoreError(.io, "\(path): the log can't be read to its end, because this process is exiting")
    }
  }

  /// Makes a connection check the flag from time to time during its statements.
  static func watch(_ handle: OpaquePointer) {
    // SQLite executes 4,096 of its instructions for a few hundred events. A check costs less than one event.
    sqlite3_progress_handler(handle, 4_096, { _ in EndOfReading.isAsked.load(ordering: .relaxed) ? 1 : 0 }, nil)
  }
}
