import Annals
import Foundation
import Synchronization

/// Checks whether other connections have committed, as long as there are listeners, and announces it.
///
/// SQLite notifies no one of a commit. But `PRAGMA data_version` returns a new number after one, in about three
/// microseconds. So a thread asks for it, every millisecond while much happens and twenty times a second while nothing
/// does. A new number is only a reason to look: one too many does no harm.
final class OtherProcesses: OtherWriters {
  private struct State {
    var listeners = 0
    var round = 0
    /// How many threads run: one, or two for a moment.
    var threads = 0
    var isClosed = false
  }

  private let place: LogPlace
  private let pool: ConnectionPool
  private let signal: CommitSignal
  private let state = Mutex(State())

  init(_ place: LogPlace, pool: ConnectionPool, signal: CommitSignal) {
    self.place = place
    self.pool = pool
    self.signal = signal
  }

  /// Begins to announce, for as long as a returned token is held.
  func announce() -> CommitSignal.Token {
    let round = state.withLock { state in
      state.listeners += 1
      guard state.listeners == 1, !state.isClosed else { return nil as Int? }
      state.round += 1
      state.threads += 1
      return state.round
    }
    if let round {
      Thread.detachNewThread { [weak self] in
        Thread.current.name = self?.threadName
        Self.run(round) { self }
      }
    }
    return CommitSignal.Token { [weak self] in self?.state.withLock { $0.listeners -= 1 } }
  }

  /// Ends the announcements, and waits until none of their threads has the log open.
  func close() {
    state.withLock { $0.isClosed = true }
    // The last owner of the store may release it when it is notified of a commit: then the thread closes its own store.
    if Thread.current.name == threadName { return }
    while state.withLock({ $0.threads > 0 }) { FileSystem.sleep(microseconds: 500) }
  }

  /// The name that this store's thread has, and no other.
  private var threadName: String { "annals.others.\(ObjectIdentifier(self))" }

  private func isWanted(_ round: Int) -> Bool {
    state.withLock { $0.listeners > 0 && $0.round == round && !$0.isClosed }
  }

  /// Runs on a thread of its own, and holds the store's parts only while it asks.
  private static func run(_ round: Int, _ find: () -> OtherProcesses?) {
    defer { find()?.state.withLock { $0.threads -= 1 } }
    var connection: SQLiteConnection?
    defer { connection?.close() }
    var seen: Int64?
    var pause: UInt32 = 1_000
    var sinceCheck: UInt32 = 0
    while true {
      guard let me = find(), me.isWanted(round) else { return }
      var isNew = false
      // A connection that could not be opened is tried again; there may have been too few descriptors. Otherwise every
      // later commit would be missed.
      if connection == nil { connection = try? me.pool.extra() }
      if let version = try? connection?.int("PRAGMA data_version"), version != seen {
        // The first time too: there may be a commit since the listeners looked.
        isNew = true
        seen = version
      }
      sinceCheck += pause
      if sinceCheck >= 100_000 {
        // A waiting reader then looks for the file, and reports that it is missing.
        if !me.place.isKept { isNew = true }
        sinceCheck = 0
      }
      if isNew {
        me.signal.announce(from: nil)
        pause = 1_000
      } else {
        pause = min(50_000, pause + pause / 8)
      }
      // In parts, so that a thread that closes the log does not wait long.
      var rest = pause
      while rest > 0, me.isWanted(round) {
        let part = min(rest, 5_000)
        FileSystem.sleep(microseconds: part)
        rest -= part
      }
    }
  }
}
