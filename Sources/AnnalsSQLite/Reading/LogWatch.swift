import Annals
import Dispatch

/// An observer that polls a log when it might have new events of other connections, and announces them.
///
/// At rest it waits for file events of the system. An event arrives before its commit can be read. So the watch then
/// queries SQLite every few milliseconds, until the commit is visible or no more changes follow.
/// `PRAGMA data_version` returns a new number after a commit of another connection, in about three microseconds. Once
/// a second the watch queries without an event, to find changes that the system did not report. If it still doesn't
/// report them, the watch queries every 50 milliseconds from then onwards.
///
/// `@unchecked Sendable`: all of it is used on `queue`, except `init` and ``begin()``.
final class LogWatch: @unchecked Sendable {
  /// The data that change with every commit of events, but with no other commit.
  private struct Found: Equatable {
    let head: Position
    let revision: LogRevision
  }

  private let place: LogPlace
  private let pool: ConnectionPool
  private let signal: CommitSignal
  /// A closure that returns the last position that the watching store itself has committed and announced.
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

  /// True while it waits for an event of the system.
  private var isResting = false
  /// True if other connections write, so that every event is a reason to check immediately.
  private var isEager = false
  /// True until the first check at rest after registering for events.
  private var isFresh = false
  /// True if a change was found at rest that the system might still report.
  private var isInDoubt = false
  /// False if the system does not report changes of the files.
  private var isInformed = true
  /// The time until the next check, in microseconds.
  private var pause = LogWatch.shortPause
  /// The time without changes, and the time to wait for them before it rests, in microseconds.
  private var (quiet, patience) = (0, 0)

  private static let shortPause = 1_000
  private static let longPause = 25_000
  /// The interval of checks if the system reports no file events.
  private static let uninformedPause = 50_000
  /// The time that the system may take to report a change that was found at rest.
  private static let doubt = 250_000
  /// The interval of checks at rest.
  private static let restingPause = 1_000_000
  /// The longest time from a commit's first write until it can be read.
  private static let commitTime = 2_000_000
  /// The time to continue with checks after a commit, because further commits may follow.
  private static let afterCommit = 250_000

  init(
    _ place: LogPlace, _ pool: ConnectionPool, _ signal: CommitSignal, on queue: DispatchQueue,
    ownEnd: @escaping () -> Position
  ) {
    (self.place, self.pool, self.signal, self.queue, self.ownEnd) = (place, pool, signal, queue, ownEnd)
    timer = DispatchSource.makeTimerSource(queue: queue)
  }

  /// Starts to check, and announces the first check because of commits since the listener's last read.
  func begin() {
    queue.async { [self] in
      // It was ended before it began.
      if isEnded { return }
      timer.setEventHandler { [weak self] in self?.lookOnTime() }
      timer.activate()
      patience = Self.afterCommit
      look()
      goOn()
    }
  }

  /// Ends the watch, and closes its files.
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
      (isInDoubt, isInformed, isResting) = (false, false, false)
      events = nil
    }
    let isNew = look()
    // A commit whose last write was before the registration proves no failure of the system.
    if isNew, isResting, !isFresh { isInDoubt = true }
    if isResting { isFresh = false }
    goOn()
  }

  private func lookOnEvent() {
    if isEnded { return }
    (isResting, isInDoubt) = (false, false)
    (pause, quiet, patience) = (Self.shortPause, 0, Self.commitTime)
    look()
    goOn()
  }

  /// Schedules the next check.
  private func goOn() {
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

  /// Waits for the system's next event, if it provides any.
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

  /// Announces changes, and returns true if any connection has committed, including the store's own.
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
        (isAnnounced, found) = (true, nil)
      }
    }
    if isNew || isAnnounced {
      (quiet, patience) = (0, Self.afterCommit)
      isEager = isAnnounced
      if isAnnounced { pause = Self.shortPause }
    }
    if isAnnounced { signal.announceOthers() }
    return isNew || isAnnounced
  }
}
