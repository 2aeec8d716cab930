/// The times at which a ``LogWatch`` checks its log, in microseconds.
///
/// A file event arrives before its commit can be read. So after an event, checks follow each other every few
/// milliseconds until no writer has the write lock, or, if the observer doesn't know the lock's state, until no more
/// changes follow. Then the observer rests: it waits for the next file event, and checks rarely, to find changes that
/// the system did not report.
///
/// The checks at rest become rarer, up to ``longestRest``, because each of them wakes the processor. After the system
/// has reported an event, they are rarer from the beginning. If a check at rest finds a change, and the system still
/// reports no event, the schedule no longer relies on file events.
///
/// The schedule contains no clock, so that tests can try all sequences of events.
struct WatchSchedule: Equatable {
  enum Phase: Equatable {
    /// A commit might become readable soon.
    ///
    /// `quiet` is the time without changes, and the observer rests when it reaches `patience`.
    case checking(pause: Int, quiet: Int, patience: Int)
    /// The observer waits for a file event.
    ///
    /// `isFresh` is true until the first check after the registration for file events. A change that this check finds
    /// proves no failure of the system, because the commit's last write might be older than the registration.
    case resting(pause: Int, isFresh: Bool)
    /// A check at rest found a change that the system might still report.
    case doubting
  }

  /// The result of a check.
  enum Change: Equatable {
    case none
    /// The store's own commit. It isn't urgent, because the store has announced it.
    case own
    case other
  }

  /// The state of the write lock immediately before a check.
  enum WriteLock: Equatable {
    case unknown
    /// A writer has the lock, so a commit might follow whose file events have already arrived.
    case taken
    /// No writer has the lock, so the check finds all commits whose file events have already arrived.
    case free
  }

  private(set) var phase = Phase.checking(pause: beginning, quiet: 0, patience: afterCommit)
  /// False if the system does not report changes of the files.
  private(set) var isInformed = true
  /// True if other connections write, so that every file event must cause an immediate check.
  private(set) var isEager = false
  /// True after the first file event.
  private var isProven = false

  /// The time until the first check.
  private static let beginning = 25_000
  private static let shortPause = 1_000
  private static let longPause = 25_000
  /// The interval between checks if the system reports no file events.
  private static let uninformedPause = 50_000
  /// The maximum time that the system may take to report a change that a check at rest found.
  private static let doubt = 250_000
  /// The first interval between checks at rest.
  static let shortestRest = 1_000_000
  /// The first interval between checks at rest after the system has reported an event.
  ///
  /// With an interval of one second, an app had twice the wake-ups in the seconds after a command.
  static let provenRest = 8_000_000
  /// The longest interval between checks at rest until the system has reported an event.
  static let longestUnprovenRest = 4_000_000
  /// The longest interval between checks at rest.
  static let longestRest = 32_000_000
  /// The maximum time from a commit's first write until the commit can be read.
  private static let commitTime = 2_000_000
  /// The time for which checks continue after a commit, because further commits might follow.
  private static let afterCommit = 250_000

  /// The time until the next check.
  var pause: Int {
    switch phase {
    case .checking(let pause, _, _), .resting(let pause, _): pause
    case .doubting: Self.doubt
    }
  }

  /// The time by which the system may delay the next check, so that it can wake the processor for several timers.
  ///
  /// A check at rest is never urgent. Other checks are urgent, because a screen shows new events only after the check.
  var leeway: Int {
    if case .resting = phase { return pause / 4 }
    return pause / 8
  }

  /// True while the observer waits for a file event, even if it also checks the log during that time.
  var isListening: Bool {
    if case .checking = phase { return isEager && isInformed }
    return true
  }

  /// True if the observer doesn't rest, so that the state of the write lock matters.
  var isChecking: Bool {
    if case .checking = phase { true } else { false }
  }

  /// True if the observer must register for file events, and then call ``rest(_:)``.
  var isDone: Bool {
    guard case .checking(_, let quiet, let patience) = phase else { return false }
    return isInformed && quiet >= patience
  }

  /// Begins a check because its time is reached.
  mutating func beginOnTime() {
    guard phase == .doubting else { return }
    // The system didn't report the change in time.
    isInformed = false
    phase = .checking(pause: Self.shortPause, quiet: 0, patience: Self.afterCommit)
  }

  /// Begins a check because of a file event.
  mutating func beginOnEvent() {
    isProven = true
    phase = .checking(pause: Self.shortPause, quiet: 0, patience: Self.commitTime)
  }

  /// Ends a check.
  ///
  /// - Parameters:
  ///   - change: The result of the check.
  ///   - lock: The state of the write lock before the check.
  ///   - isReadable: False if the log is missing or couldn't be read. In that case, its recovery causes no file event.
  mutating func end(_ change: Change, _ lock: WriteLock = .unknown, isReadable: Bool) {
    if change != .none { isEager = change == .other }
    switch phase {
    case .checking(let pause, let quiet, let patience):
      let next = min(isInformed ? Self.longPause : Self.uninformedPause, pause + pause / 2)
      phase =
        switch (change, lock) {
        case (.other, _): .checking(pause: Self.shortPause, quiet: 0, patience: Self.afterCommit)
        case (_, .taken): .checking(pause: next, quiet: 0, patience: Self.afterCommit)
        case (.none, .free): .checking(pause: next, quiet: patience, patience: patience)
        // The event is explained. Without a pause, each of the store's commits in a row would cause an event.
        case (.own, .free): .checking(pause: Self.longPause, quiet: 0, patience: Self.longPause)
        case (.none, .unknown): .checking(pause: next, quiet: quiet + pause, patience: patience)
        // Another commit might follow, because the system reports several writes as one event.
        case (.own, .unknown): .checking(pause: next, quiet: 0, patience: patience)
        }
    case .resting(_, isFresh: false) where change != .none:
      phase = .doubting
    case .resting(let pause, _):
      let longest = isProven ? Self.longestRest : Self.longestUnprovenRest
      let next = isReadable ? min(longest, pause * 2) : Self.shortestRest
      phase = .resting(pause: next, isFresh: false)
    case .doubting:
      break
    }
  }

  /// Begins to rest, unless the system provides no file events.
  ///
  /// - Parameter registration: The result of the registration for file events.
  mutating func rest(_ registration: Registration) {
    switch registration {
    case .failed:
      isInformed = false
    case .new(let change):
      if change != .none { isEager = change == .other }
      phase = .resting(pause: Self.shortestRest, isFresh: true)
    case .kept:
      phase = .resting(pause: isProven ? Self.provenRest : Self.shortestRest, isFresh: false)
    }
  }

  /// The result of a registration for file events.
  enum Registration: Equatable {
    case failed
    /// The observer registered, and then checked the log, because the system does not report earlier writes.
    case new(Change)
    /// The observer was registered before.
    case kept
  }

  /// Relies on file events, because the log's files have changed.
  mutating func trustEvents() { isInformed = true }
}
