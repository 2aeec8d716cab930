import Annals
import Dispatch

/// Looks at a log whenever it may have got new events of other connections, and announces them.
///
/// At rest it waits for the system's events of files. An event comes before its commit can be read, so after one it
/// asks SQLite every few milliseconds, until the commit is there or nothing more happens. `PRAGMA data_version` answers
/// a new number after a commit of another connection, in about three microseconds. Once a second it asks without an
/// event: that finds what the system did not say, and if it does not say it again, the watch asks every 50 milliseconds
/// from then on.
///
/// `@unchecked Sendable`: all of it is used on `queue`, except `init` and ``begin()``.
final class LogWatch: @unchecked Sendable {
  /// What a commit of events changes in a log, and no other commit.
  private struct Found: Equatable {
    let head: Position
    let revision: LogRevision
  }

  private let place: LogPlace
  private let pool: ConnectionPool
  private let signal: CommitSignal
  /// The last position that the watching store itself has committed, and announces itself.
  private let ownEnd: () -> Position
  private let queue: DispatchQueue
  private let timer: any DispatchSourceTimer
  private var connection: SQLiteConnection?
  private var isStill = false
  private var events: FileEvents?
  private var watched: FileSystem.Identity?
  /// What `PRAGMA data_version` said last.
  private var version: Int64?
  private var found: Found?
  private var isKept = true
  private var isEnded = false

  /// True while it waits for an event of the system.
  private var isResting = false
  /// True if others write, so that each event is a reason to look at once.
  private var isEager = false
  /// True until the first look at rest after the system was asked.
  private var isFresh = false
  /// True if something was found at rest that the system may yet say.
  private var isInDoubt = false
  /// False if the system does not say what happens to the files.
  private var isInformed = true
  /// How long until the next look, in microseconds.
  private var pause = LogWatch.shortPause
  /// How long nothing has happened, and how long to go on before it rests, in microseconds.
  private var (quiet, patience) = (0, 0)

  private static let shortPause = 1_000
  private static let longPause = 25_000
  /// How often it looks if the system says nothing of files.
  private static let uninformedPause = 50_000
  /// How long the system may take to say what was found at rest.
  private static let doubt = 250_000
  /// How often it looks at rest.
  private static let restingPause = 1_000_000
  /// How long a commit may take from its first write until it can be read.
  private static let commitTime = 2_000_000
  /// How long it looks on after a commit, for those that came with it.
  private static let afterCommit = 250_000

  init(
    _ place: LogPlace, _ pool: ConnectionPool, _ signal: CommitSignal, on queue: DispatchQueue,
    ownEnd: @escaping () -> Position
  ) {
    (self.place, self.pool, self.signal, self.queue, self.ownEnd) = (place, pool, signal, queue, ownEnd)
    timer = DispatchSource.makeTimerSource(queue: queue)
  }

  /// Begins to look; the first look is announced, because a commit may have come since the listener looked.
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

  /// Ends it, and closes what it has open.
  func end() {
    if isEnded { return }
    isEnded = true
    timer.cancel()
    // A timer that never began must not be released as it is.
    timer.activate()
    events = nil
    connection?.close()
    connection = nil
  }

  private func lookOnTime() {
    if isEnded { return }
    if isInDoubt {
      // The system has had its time to say so.
      (isInDoubt, isInformed, isResting) = (false, false, false)
      events = nil
    }
    let isNew = look()
    // A commit whose last write came before the system was asked says nothing about the system.
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

  /// Plans the next look.
  private func goOn() {
    if isEnded { return }
    if isInDoubt { return plan(Self.doubt) }
    if !isResting, quiet >= patience, isInformed { rest() }
    if isResting { return plan(Self.restingPause) }
    plan(pause)
    // The store's own commits are events too, and need no haste.
    if isEager { events?.listen() }
    quiet += pause
    pause = min(isInformed ? Self.longPause : Self.uninformedPause, pause + pause / 2)
  }

  private func plan(_ pause: Int) {
    timer.schedule(deadline: .now() + .microseconds(pause), leeway: .microseconds(pause / 8))
  }

  /// Waits for the system's next event, if it gives any.
  private func rest() {
    let identity = FileSystem.identity(place.commits)
    if events == nil || identity != watched {
      watched = identity
      events = FileEvents(place, on: queue) { [weak self] in self?.lookOnEvent() }
      isFresh = true
      // What was written before the system was asked is not said.
      look()
    }
    guard let events else { return isInformed = false }
    isResting = true
    events.listen()
  }

  /// Announces what is new; true if any connection has committed, also the store's own.
  @discardableResult
  private func look() -> Bool {
    var (isNew, isAnnounced) = (false, false)
    if place.isKept != isKept {
      // Those who wait then look for the file, and report that it is missing, or find it again.
      isKept.toggle()
      isAnnounced = true
    }
    if isStill, FileSystem.status(place.commits) != nil {
      // A file that could not change is written to now.
      connection?.close()
      connection = nil
      isInformed = true
    }
    if connection == nil {
      isStill = pool.isStill
      // If there are too few descriptors, it is tried again.
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
        // Those who read the log find out what is wrong with it.
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
