import Annals
import CAnnalsSQLite
import Synchronization

/// Ends what this process reads of logs, because the process is about to end.
///
/// Reading then throws, so that connections are closed and leave no files beside a log.
package enum EndOfReading {
  private static let isAsked = Atomic<Bool>(false)

  /// Asks every connection that only reads to end what it reads; a signal's handler may call it.
  package static func ask() { isAsked.store(true, ordering: .relaxed) }

  /// Throws if this process is asked to end, for what reads by no statement.
  static func check(_ path: String) throws {
    if isAsked.load(ordering: .relaxed) {
      throw EventStoreError(.io, "\(path): can't be read to its end, because this process is exiting")
    }
  }

  /// Lets a connection look now and then whether it is asked to end.
  static func watch(_ handle: OpaquePointer) {
    // Some hundred events; a look costs less than one of them.
    sqlite3_progress_handler(handle, 4_096, { _ in EndOfReading.isAsked.load(ordering: .relaxed) ? 1 : 0 }, nil)
  }
}
