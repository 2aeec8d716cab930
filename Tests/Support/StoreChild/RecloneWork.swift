import AnnalsLog
import AnnalsRemote
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization

/// A replica whose remote log is replaced with another log over and over.
enum RecloneWork {
  /// The number of events of each remote log.
  static let count = 400

  /// Replaces the copy with every new log, and prints a line for each.
  ///
  /// All events of a log have the same type, which differs from the types of all other logs.
  static func run(_ path: String, times: Int) throws {
    let failure = Mutex<String?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task {
      do { try await replace(path, times: times) } catch { failure.withLock { $0 = "\(error)" } }
      done.signal()
    }
    done.wait()
    if let failure = failure.withLock({ $0 }) { throw StoreChild.Problem(failure) }
  }

  private static func replace(_ path: String, times: Int) async throws {
    let remote = MemoryRemoteStore()
    let empty = remote.server.backup()
    let replica = Replica(of: remote, in: try SQLiteEventStore(path: path, durability: .process))
    for _ in 0..<times {
      remote.server.restore(empty)
      let type = "type \(UUID())"
      _ = try remote.server.commit(Append((0..<count).map { _ in NewEvent(type: type, payload: nil) }, to: "s"))
      try await replica.reclone()
      StoreChild.say("replaced")
    }
  }
}
