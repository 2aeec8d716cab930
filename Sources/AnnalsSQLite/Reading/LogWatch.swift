import AnnalsLog
import Dispatch
import Synchronization

/// An observer that announces new events of other connections, and checks the log only when it might have changed.
///
/// A check is the query `PRAGMA data_version`, which returns a new number after another connection's commit and takes
/// about three microseconds. ``WatchSchedule`` decides when the observer checks, and when it only waits for the
/// operating system's file events.
///
/// `@unchecked Sendable`: all members except `init`, ``begin()`` and ``endIfNew()`` are used only on `queue`.
final class LogWatch: @unchecked Sendable {
  /// The log's content, as far as the observer needs it.
  private enum Content: Equatable {
    case unknown
    /// The log is damaged, or the device is locked.
    case unreadable
    /// These values change with every commit of events, but with no other commit.
    case readable(head: Position, revision: LogRevision)
  }

  private let place: LogLocation
  private let pool: ConnectionPool
  private let runtime: StoreRuntime
  /// A closure that returns the last position that the observer's own store has committed and announced, or `nil` for a
  /// store that only reads.
  private let ownEnd: (() -> OwnEnd)?
  private let queue: DispatchQueue
  private let timer: any DispatchSourceTimer
  private var connection: SQLiteConnection?
  private var isStill = false
  private var events: FileEvents?
  private var watched: FileSystem.Identity?
  /// The last result of `PRAGMA data_version`.
  private var version: Int64?
  private var content = Content.unknown
  private var isKept = true
  private var isEnded = false
  /// True until the first check.
  private let isNew = Atomic(true)
  private var times = WatchSchedule()

  init(
    _ place: LogLocation, _ pool: ConnectionPool, _ runtime: StoreRuntime, on queue: DispatchQueue,
    ownEnd: (() -> OwnEnd)?
  ) {
    self.place = place
    self.pool = pool
    self.runtime = runtime
    self.queue = queue
    self.ownEnd = ownEnd
    timer = DispatchSource.makeTimerSource(queue: queue)
  }

  /// Starts the checks, and announces the first one because commits might have followed the listener's last read.
  ///
  /// The first check is a little later, because a program's first screen has its listener before it is shown, and the
  /// check opens a connection.
  func begin() {
    timer.setEventHandler { [weak self] in self?.lookOnTime() }
    timer.schedule(deadline: .now() + .microseconds(times.pause), leeway: .microseconds(times.leeway))
    timer.activate()
  }

  /// Ends an observer that has no files open because it has not begun its first check.
  ///
  /// The call wakes no other thread, so it is cheap to show a list for a moment.
  ///
  /// - Returns: False if the first check has begun, so that the call had no effect.
  func endIfNew() -> Bool {
    guard isNew.exchange(false, ordering: .sequentiallyConsistent) else { return false }
    timer.cancel()
    return true
  }

  /// Stops the checks, and closes the observer's files.
  func end() {
    if isEnded { return }
    isEnded = true
    timer.cancel()
    events = nil
    connection?.close()
    connection = nil
  }

  private func lookOnTime() {
    if isEnded { return }
    let isFirst = content == .unknown
    // The observer might have ended before this call.
    if isFirst, isNew.exchange(false, ordering: .sequentiallyConsistent) == false { return end() }
    times.beginOnTime()
    if !times.isInformed { events = nil }
    check(isFirst: isFirst)
  }

  private func lookOnEvent() {
    if isEnded { return }
    let isEager = times.isEager
    times.beginOnEvent()
    // The event arrives before its commit can be read, and is most likely the store's own. If other connections write,
    // a delayed check would be delayed again by each event.
    if isEager { check() } else { schedule() }
  }

  /// Checks the log, and schedules the next check.
  private func check(isFirst: Bool = false) {
    let lock = times.isChecking ? writeLock() : .unknown
    let change = look()
    // The first check finds no commit, but the log's content.
    times.end(isFirst ? .none : change, lock, isReadable: isReadable)
    schedule()
  }

  /// Discards file events, and then returns the state of the write lock.
  ///
  /// A writer has the lock from before its first write until its commit can be read. So if the lock is free, the next
  /// check finds all commits whose file events were discarded, and later commits cause new events. If the lock is
  /// taken, checks follow until it is free. So no commit is missed, although its events can't be distinguished from the
  /// events of the store's own commits.
  ///
  /// A store that only reads doesn't take the lock, because it must not make another program's write fail.
  private func writeLock() -> WatchSchedule.WriteLock {
    guard ownEnd != nil, version != nil, !isStill, let connection else { return .unknown }
    events?.forget()
    guard let isFree = connection.isWriteLockFree else { return .unknown }
    return isFree ? .free : .taken
  }

  /// Schedules the next check.
  private func schedule() {
    if isEnded { return }
    if times.isDone { times.rest(register()) }
    timer.schedule(deadline: .now() + .microseconds(times.pause), leeway: .microseconds(times.leeway))
    if times.isListening { events?.listen() }
  }

  /// Registers for file events, unless the observer is registered for this file.
  private func register() -> WatchSchedule.Registration {
    let identity = FileSystem.identity(place.commits)
    if events != nil, identity == watched { return .kept }
    watched = identity
    events = FileEvents(place, on: queue) { [weak self] in self?.lookOnEvent() }
    return events == nil ? .failed : .new(look())
  }

  private var isReadable: Bool { isKept && content != .unreadable }

  /// Checks the log and announces changes.
  @discardableResult
  private func look() -> WatchSchedule.Change {
    var change = WatchSchedule.Change.none
    if place.isKept != isKept {
      // The listeners then look for the file, and report that it is missing or find its replacement.
      isKept.toggle()
      change = .other
    }
    if isStill, FileSystem.status(place.commits) != nil {
      // The connection reads the log as a file that doesn't change, but another process now writes it.
      connection?.close()
      connection = nil
      times.trustEvents()
    }
    if connection == nil {
      isStill = pool.isStill
      // If the process has too few file descriptors, the next check retries.
      connection = try? pool.extra()
      version = nil
    }
    guard let connection, let now = try? connection.int("PRAGMA data_version") else {
      // When a locked device is unlocked, the log becomes readable without a commit. So the number is discarded, and a
      // later check reads the log.
      content = .unreadable
      version = nil
      return announced(change)
    }
    if now == version { return announced(change) }
    let before = content
    if let head = try? EventReader(connection).head(), let revision = try? CompactionTables(connection).revision {
      content = .readable(head: head, revision: revision)
      version = now
      if change == .none { change = .own }
      if content != before, !isOwn(before) { change = .other }
    } else {
      // Readers of the log find out about its damage.
      content = .unreadable
      version = nil
      if before != .unreadable { change = .other }
    }
    return announced(change)
  }

  /// Announces a change that the store didn't make itself.
  private func announced(_ change: WatchSchedule.Change) -> WatchSchedule.Change {
    if change == .other { runtime.announceOthers() }
    return change
  }

  /// True if the store itself made and announced all changes since an earlier check.
  private func isOwn(_ before: Content) -> Bool {
    guard case .readable(let head, let revision) = content, case .readable(_, revision) = before else { return false }
    return (ownEnd?() ?? OwnEnd()).isEnd(head, revision)
  }
}
