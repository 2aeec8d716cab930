import Annals
import AnnalsLog
import Testing

@Suite struct SaveScheduleTests {
  private let start = ContinuousClock.now

  @Test func `A save is due after the given number of events since the last save or the opened list`() {
    var schedule = SaveSchedule()
    #expect(!schedule.isDue(at: 511, after: 512) && schedule.isDue(at: 512, after: 512))
    schedule.begin(at: 600)
    #expect(!schedule.isDue(at: 1_111, after: 512) && schedule.isDue(at: 1_112, after: 512))
    // The list can return to an earlier position, for example after a rebase.
    #expect(!schedule.isDue(at: 500, after: 512))
    schedule.restart()
    #expect(schedule.isDue(at: 512, after: 512))
  }

  @Test func `The pause between attempts to release rows doubles up to five seconds`() {
    var schedule = SaveSchedule()
    var pauses: [Duration] = []
    for attempt in 0..<30 { pauses.append(schedule.beginRelease(at: Position(attempt), start)) }
    let expected = (0..<8).map { Duration.milliseconds(20 << $0) } + Array(repeating: .seconds(5), count: 22)
    #expect(pauses == expected)
    #expect(!schedule.isDue(at: 40, after: 12) && schedule.isDue(at: 41, after: 12))
  }

  @Test func `An attempt waits for the pause of the attempt before it`() {
    var schedule = SaveSchedule()
    #expect(schedule.mayRelease(at: start))
    let pause = schedule.beginRelease(at: 1, start)
    #expect(!schedule.mayRelease(at: start + pause - .nanoseconds(1)) && schedule.mayRelease(at: start + pause))
    let next = schedule.beginRelease(at: 2, start + pause)
    #expect(next == pause * 2 && !schedule.mayRelease(at: start + pause * 2))
  }

  @Test func `Rows are released after a rest of five seconds, unless the rest is ended`() {
    var schedule = SaveSchedule()
    #expect(schedule.beginRest(at: start) == .seconds(5))
    #expect(schedule.beginRest(at: start + .seconds(4)) == nil)
    #expect(!schedule.mayRelease(at: start + .milliseconds(4_999)) && schedule.mayRelease(at: start + .seconds(5)))
    schedule.endRest()
    #expect(schedule.mayRelease(at: start))
    #expect(schedule.beginRest(at: start) == .seconds(5))
    schedule.released()
    #expect(schedule.mayRelease(at: start) && schedule.beginRest(at: start) != nil)
  }

  @Test func `After rows were released, the next pause is the first pause`() {
    var schedule = SaveSchedule()
    let first = schedule.beginRelease(at: 1, start)
    _ = schedule.beginRelease(at: 2, start)
    schedule.released()
    #expect(schedule.beginRelease(at: 3, start) == first)
  }
}
