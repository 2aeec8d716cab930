import AnnalsTesting
import Testing

@testable import AnnalsSQLite

@Suite struct WatchScheduleTests {
  /// An input of a schedule.
  private enum Step: CaseIterable {
    case time, ownCommitAtTime, otherCommitAtTime, unreadableAtTime, event, ownCommitAtEvent, otherCommitAtEvent

    var isEvent: Bool { self == .event || self == .ownCommitAtEvent || self == .otherCommitAtEvent }
    var change: WatchSchedule.Change {
      switch self {
      case .time, .event, .unreadableAtTime: .none
      case .ownCommitAtTime, .ownCommitAtEvent: .own
      case .otherCommitAtTime, .otherCommitAtEvent: .other
      }
    }
  }

  private func take(_ step: Step, _ times: inout WatchSchedule, _ registration: WatchSchedule.Registration = .kept) {
    if step.isEvent { times.beginOnEvent() } else { times.beginOnTime() }
    times.end(step.change, isReadable: step != .unreadableAtTime)
    if times.isDone { times.rest(registration) }
  }

  /// Lets time pass until the schedule rests, and returns the time and the number of checks.
  private func rest(
    _ times: inout WatchSchedule, _ registration: WatchSchedule.Registration = .new(.none)
  ) -> (time: Int, checks: Int) {
    var (time, checks) = (0, 0)
    while true {
      if case .resting = times.phase { return (time, checks) }
      if checks > 1_000 { return (time, checks) }
      time += times.pause
      checks += 1
      take(.time, &times, registration)
    }
  }

  private func isResting(_ times: WatchSchedule) -> Bool {
    if case .resting = times.phase { true } else { false }
  }

  @Test func `an observer checks for a quarter of a second, and then rests`() {
    var times = WatchSchedule()
    let (time, checks) = rest(&times)
    #expect((250_000..<280_000).contains(time) && checks < 30)
    #expect(times.pause == WatchSchedule.shortestRest && times.isListening)
  }

  @Test func `checks at rest become rarer, and the system may delay them`() {
    var times = WatchSchedule()
    _ = rest(&times)
    var pauses: [Int] = []
    for _ in 0..<5 {
      pauses.append(times.pause / 1_000_000)
      take(.time, &times)
    }
    #expect(pauses == [1, 2, 4, 4, 4])
    // An event proves that the system reports changes.
    take(.event, &times)
    let (time, _) = rest(&times, .kept)
    #expect((2_000_000..<2_050_000).contains(time))
    pauses = []
    for _ in 0..<8 {
      pauses.append(times.pause / 1_000_000)
      #expect(times.leeway == times.pause / 4)
      take(.time, &times)
    }
    #expect(pauses == [8, 16, 32, 32, 32, 32, 32, 32])
  }

  @Test func `an hour without changes takes 120 checks`() {
    var times = WatchSchedule()
    take(.event, &times)
    _ = rest(&times)
    var (time, checks) = (0, 0)
    while time < 3_600_000_000 {
      time += times.pause
      checks += 1
      take(.time, &times)
    }
    #expect(checks < 120)
  }

  @Test func `a change without an event makes the observer check every 50 milliseconds`() {
    for missed in [Step.ownCommitAtTime, .otherCommitAtTime] {
      var times = WatchSchedule()
      _ = rest(&times)
      take(.time, &times)
      take(missed, &times)
      #expect(times.phase == .doubting && times.pause == 250_000 && times.isListening)
      take(.time, &times)
      #expect(!times.isInformed && !times.isListening)
      for _ in 0..<100 { take(.time, &times, .new(.none)) }
      #expect(times.pause == 50_000 && !isResting(times))
      times.trustEvents()
      take(.time, &times, .new(.none))
      #expect(isResting(times))
    }
  }

  @Test func `a store's own commit ends the checks after 25 milliseconds, unless a writer has the lock`() {
    var times = WatchSchedule()
    _ = rest(&times)
    times.beginOnEvent()
    times.end(.none, .taken, isReadable: true)
    #expect(!times.isDone && times.pause < 2_000)
    times.end(.own, .taken, isReadable: true)
    for _ in 0..<1_000 { times.end(.none, .taken, isReadable: true) }
    #expect(!times.isDone && times.pause == 25_000)
    times.end(.own, .free, isReadable: true)
    #expect(!times.isDone && times.pause == 25_000 && !times.isListening)
    times.end(.none, .free, isReadable: true)
    #expect(times.isDone)
    times.rest(.kept)
    #expect(times.isListening && times.isInformed)
  }

  @Test func `other connections' commits are found immediately, between own commits and however slow they are`() throws
  {
    let commits = zip(
      Generator<Bool>.bool, Generator<Int>.int(in: 0...3_000_000), Generator<Int>.int(in: 20...2_500_000),
      Generator<Int>.int(in: 0...3)
    ).map { WatchedLog.Commit(isOwn: $0, pause: $1, length: $2, writes: $3) }
    try check(.array(of: commits, count: 1...12), settings: CheckSettings(examples: 400)) { commits in
      let log = WatchedLog(commits)
      try ensure(log.delays.allSatisfy { $0 <= 26_000 }, "delays of \(log.delays) µs")
      try ensure(log.isInformed, "the events are no longer believed")
    }
  }

  @Test func `a command per second wakes an observer four times`() {
    let log = WatchedLog((0..<60).map { _ in .init(isOwn: true, pause: 1_000_000, length: 200, writes: 3) })
    #expect(log.wakes < 60 * 5, "\(log.wakes) wake-ups")
  }

  @Test func `an observer whose system reports events rests longer`() {
    var times = WatchSchedule()
    _ = rest(&times)
    take(.event, &times, .kept)
    _ = rest(&times, .kept)
    #expect(times.pause == WatchSchedule.provenRest)
    // The files of a new registration might be in a file system that doesn't report changes.
    take(.event, &times)
    _ = rest(&times)
    #expect(times.pause == WatchSchedule.shortestRest)
  }

  @Test func `a change whose event follows proves that the system reports changes`() {
    var times = WatchSchedule()
    _ = rest(&times)
    take(.time, &times)
    take(.otherCommitAtTime, &times)
    take(.event, &times)
    #expect(times.isInformed && times.pause < 2_000)
  }

  @Test func `the first check after a registration proves no failure of the system`() {
    var times = WatchSchedule()
    _ = rest(&times)
    take(.otherCommitAtTime, &times)
    #expect(isResting(times))
    take(.otherCommitAtTime, &times)
    #expect(times.phase == .doubting)
  }

  @Test func `a log that can't be read is checked every second`() {
    var times = WatchSchedule()
    take(.event, &times)
    _ = rest(&times)
    for _ in 0..<6 { take(.time, &times) }
    #expect(times.pause == WatchSchedule.longestRest)
    for _ in 0..<3 {
      take(.unreadableAtTime, &times)
      #expect(times.pause == WatchSchedule.shortestRest)
    }
  }

  @Test func `without file events the observer never rests`() {
    var times = WatchSchedule()
    let (_, checks) = rest(&times, .failed)
    #expect(checks > 1_000 && times.pause == 50_000 && !times.isInformed)
  }

  @Test func `events are awaited during checks only if other connections write`() {
    var times = WatchSchedule()
    take(.otherCommitAtEvent, &times)
    #expect(times.isListening)
    take(.ownCommitAtEvent, &times)
    #expect(!times.isListening)
    _ = rest(&times, .new(.other))
    #expect(times.isListening)
    take(.event, &times)
    #expect(times.isListening)
  }

  /// All sequences of seven inputs, after which the schedule must still find each change.
  @Test func `no sequence of events leaves a change unnoticed`() {
    var problems: Set<String> = []
    func visit(_ times: WatchSchedule, _ path: [Step]) {
      if times.pause <= 0 || times.pause > WatchSchedule.longestRest { problems.insert("\(path): \(times)") }
      if times.leeway * 4 > times.pause { problems.insert("\(path): a leeway of \(times.leeway)") }
      if case .checking(let pause, _, _) = times.phase {
        if pause > (times.isInformed ? 25_000 : 50_000) { problems.insert("\(path): a pause of \(pause)") }
      } else if !times.isListening || !times.isInformed {
        problems.insert("\(path): at rest without events")
      }
      if path.count == 7 {
        // Without events, a check finds the change, and the following checks are every 50 milliseconds.
        var later = times
        for _ in 0..<60 { take(.time, &later) }
        take(.otherCommitAtTime, &later)
        if isResting(later) || !isResting(times) && later.pause > 250_000 { problems.insert("\(path): \(later)") }
        return
      }
      for step in Step.allCases {
        var next = times
        take(step, &next)
        visit(next, path + [step])
      }
    }
    visit(WatchSchedule(), [])
    #expect(problems.isEmpty, "\(problems.sorted().prefix(3))")
  }
}

/// A log whose writers have the write lock one after the other, and an observer of it, without a clock.
private struct WatchedLog {
  struct Commit: Sendable {
    var isOwn: Bool
    /// The time since the commit before.
    var pause: Int
    /// The time that the writer has the lock.
    var length: Int
    /// The number of writes to the file beside the first one.
    var writes: Int
  }

  /// The times from the commits of other writers until the observer found them.
  private(set) var delays: [Int] = []
  private(set) var wakes = 0
  var isInformed: Bool { times.isInformed }

  private var times = WatchSchedule()
  private var (now, timer) = (0, 0)
  /// The times of commits that can be read, by the ends of their locks.
  private var rest: ArraySlice<(start: Int, end: Int, isOwn: Bool)> = []
  private var writes: ArraySlice<Int> = []
  private var isRegistered = false
  private var hasEvent = false

  init(_ commits: [Commit]) {
    // The first rest begins before the first commit.
    var (time, all) = (2_000_000, [(start: Int, end: Int, isOwn: Bool)]())
    for commit in commits {
      let start = time + commit.pause + 1
      time = start + commit.length
      all.append((start, time, commit.isOwn))
      writes += (0...commit.writes).map { start + 1 + $0 * (commit.length - 2) / (commit.writes + 1) }
    }
    rest = all[...]
    timer = times.pause
    while now < time + 40_000_000, !rest.isEmpty || now < time + 5_000_000 { step() }
  }

  private mutating func step() {
    let event = times.isListening && isRegistered ? (hasEvent ? now : writes.first) : nil
    if let event, event <= timer {
      pass(to: event)
      let isEager = times.isEager
      times.beginOnEvent()
      hasEvent = false
      if isEager { check() }
    } else {
      pass(to: timer)
      times.beginOnTime()
      check()
    }
    wakes += 1
    timer = now + times.pause
  }

  private mutating func pass(to time: Int) {
    now = time
    while let write = writes.first, write <= now {
      writes.removeFirst()
      hasEvent = hasEvent || isRegistered
    }
  }

  private mutating func check() {
    var lock = WatchSchedule.WriteLock.unknown
    if times.isChecking {
      hasEvent = false
      lock = rest.contains { $0.start <= now && now < $0.end } ? .taken : .free
    }
    times.end(look(), lock, isReadable: true)
    guard times.isDone else { return }
    times.rest(isRegistered ? .kept : .new(look()))
    isRegistered = true
  }

  private mutating func look() -> WatchSchedule.Change {
    var change = WatchSchedule.Change.none
    while let commit = rest.first, commit.end <= now {
      rest.removeFirst()
      if !commit.isOwn { delays.append(now - commit.end) }
      change = change == .other || !commit.isOwn ? .other : .own
    }
    return change
  }
}
