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
    #expect(pauses == [1, 2, 4, 8, 16, 32, 32, 32])
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
