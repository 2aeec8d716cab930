import AnnalsLog
import Dispatch

/// An observer that announces new events of other connections, and checks the log only when it might have changed.
///
/// At rest, the observer waits for the operating system's file events. A file event arrives before its commit can be
/// read, so the observer then queries SQLite every few milliseconds until the commit is visible, or until no more
/// changes follow. The query is `PRAGMA data_version`, which returns a new number after another connection's commit and
/// takes about three microseconds. Once a second, the observer also queries without a file event, to find changes that
/// the system did not report. If the system still reports no event after such a change, the observer no longer relies
/// on file events and queries every 50 milliseconds.
///
/// `@unchecked Sendable`: all members except `init` and ``begin()`` are used only on `queue`.
final class LogWatch: @unchecked Sendable {
  /// The values that change with every commit of events, but with no other commit.
  private struct Found: Equatable {
    let head: Position
    let revision: LogRevision
  }

  private let place: LogLocation
  private let pool: ConnectionPool
  private let runtime: StoreRuntime
  /// A closure that returns the last position that the observer's own store has committed and announced.
  private let ownEnd: () -> Position
  private let queue: DispatchQueue
  private let timer: any DispatchSourceTimer
  private var connection: SQLiteConnection?
  private var isStill = false
  private var events: FileEvents?
  private var watched: FileSystem.Identity?
  /// The last result of `PRAGMA data_version`.
  private var version: Int64?
  private var found: Found?
  private var isKept = true
  private var isEnded = false

  /// True while the observer waits for a file event.
  private var isResting = false
  /// True if other connections write, so that every file event causes an immediate check.
  private var isEager = false
  /// True until the first check at rest after the observer registered for file events.
  private var isFresh = false
  /// True if a check at rest found a change that the system might still report.
  private var isInDoubt = false
  /// False if the system does not report changes of the files.
  private var isInformed = true
  /// The time until the next check, in microseconds.
  private var pause = LogWatch.shortPause
  /// The time that has passed without changes, and the time without changes after which the observer rests, in
  /// microseconds.
  private var (quiet, patience) = (0, 0)

  private static let shortPause = 1_000
  private static let longPause = 25_000
  /// The interval between checks if the system reports no file events, in microseconds.
  private static let uninformedPause = 50_000
  /// The maximum time that the system may take to report a change that a check at rest found, in microseconds.
  private static let doubt = 250_000
  /// The interval between checks at rest, in microseconds.
  private static let restingPause = 1_000_000
  /// The maximum time from a commit's first write until the commit can be read, in microseconds.
  private static let commitTime = 2_000_000
  /// The time for which checks continue after a commit, because further commits might follow, in microseconds.
  private static let afterCommit = 250_000

  init(
    _ place: LogLocation, _ pool: ConnectionPool, _ runtime: StoreRuntime, on queue: DispatchQueue,
    ownEnd: @escaping () -> Position
  ) {
    self.place = place
    self.pool = pool
    self.runtime = runtime
    self.queue = queue
    self.ownEnd = ownEnd
    timer = DispatchSource.makeTimerSource(queue: queue)
  }

  /// Starts the checks, and announces the first one because commits might have followed the listener's last read.
  func begin() {
    queue.async { [self] in
      // It was ended before it began.
      if isEnded { return }
      timer.setEventHandler { [weak self] in self?.lookOnTime() }
      timer.activate()
      patience = Self.afterCommit
      look()
      schedule()
    }
  }

  /// Stops the checks, and closes the observer's files.
  func end() {
    if isEnded { return }
    isEnded = true
    timer.cancel()
    // A timer that was never activated must not be released.
    timer.activate()
    events = nil
    connection?.close()
    connection = nil
  }

  private func lookOnTime() {
    if isEnded { return }
    if isInDoubt {
      // The time for a report by the system is over.
      isInDoubt = false
      isInformed = false
      isResting = false
      events = nil
    }
    let isNew = look()
    // A commit whose last write was before the registration proves no failure of the system.
    if isNew, isResting, !isFresh { isInDoubt = true }
    if isResting { isFresh = false }
    schedule()
  }

  private func lookOnEvent() {
    if isEnded { return }
    isResting = false
    isInDoubt = false
    pause = Self.shortPause
    quiet = 0
    patience = Self.commitTime
    look()
    schedule()
  }

  /// Schedules the next check.
  private func schedule() {
    if isEnded { return }
    if isInDoubt { return plan(Self.doubt) }
    if !isResting, quiet >= patience, isInformed { rest() }
    if isResting { return plan(Self.restingPause) }
    plan(pause)
    // The store's own commits cause events too, but they aren't urgent.
    if isEager { events?.listen() }
    quiet += pause
    pause = min(isInformed ? Self.longPause : Self.uninformedPause, pause + pause / 2)
  }

  private func plan(_ pause: Int) {
    timer.schedule(deadline: .now() + .microseconds(pause), leeway: .microseconds(pause / 8))
  }

  /// Starts to rest: waits for the next file event, if the system provides file events.
  private func rest() {
    let identity = FileSystem.identity(place.commits)
    if events == nil || identity != watched {
      watched = identity
      events = FileEvents(place, on: queue) { [weak self] in self?.lookOnEvent() }
      isFresh = true
      // The system does not report writes before the registration.
      look()
    }
    guard let events else { return isInformed = false }
    isResting = true
    events.listen()
  }

  /// Checks the log and announces changes.
  ///
  /// Returns true if any connection has committed, including the store's own connection.
  @discardableResult
  private func look() -> Bool {
    var (isNew, isAnnounced) = (false, false)
    if place.isKept != isKept {
      // The listeners then look for the file, and report that it is missing or find its replacement.
      isKept.toggle()
      isAnnounced = true
    }
    if isStill, FileSystem.status(place.commits) != nil {
      // A file that could not change is now being written.
      connection?.close()
      connection = nil
      isInformed = true
    }
    if connection == nil {
      isStill = pool.isStill
      // With too few descriptors, the next check retries.
      connection = try? pool.extra()
      version = nil
    }
    if let connection, let now = try? connection.int("PRAGMA data_version"), now != version {
      isNew = true
      version = now
      if let head = try? EventReader(connection).head(), let revision = try? CompactionTables(connection).revision {
        let found = Found(head: head, revision: revision)
        let isOwn = found.revision == self.found?.revision && found.head <= ownEnd()
        if found != self.found, !isOwn { isAnnounced = true }
        self.found = found
      } else {
        // Readers of the log find out about its damage.
        isAnnounced = true
        found = nil
      }
    }
    if isNew || isAnnounced {
      quiet = 0
      patience = Self.afterCommit
      isEager = isAnnounced
      if isAnnounced { pause = Self.shortPause }
    }
    if isAnnounced { runtime.announceOthers() }
    return isNew || isAnnounced
  }
}
