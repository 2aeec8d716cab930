import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Positions by time, in logs whose times go forward and back.
@Suite struct PositionAtTimeTests {
  private static func date(_ seconds: Int) -> Date { Date(timeIntervalSince1970: Double(seconds)) }

  private static func append(_ times: [Int], to store: some EventStore) throws {
    try store.append(Append(times.map { NewEvent(type: "T", payload: "1", time: date($0)) }, to: "s"))
  }

  /// The end of the last transaction such that no event up to it has a later time, by the plainest way.
  private static func position(at time: Int, in log: [[Int]]) -> Int {
    log.prefix { $0.allSatisfy { $0 <= time } }.reduce(0) { $0 + $1.count }
  }

  @Test func `a position at a time is that of a model, however times go, in every store`() throws {
    let transaction = Generator.array(of: .int(in: 0...12), count: 1...4)
    let growing = zip(Generator.array(of: .int(in: 0...1), count: 0...30), .int(in: 1...3)).map { steps, size in
      // Mostly in order, as clocks go.
      var (time, log) = (0, [[Int]]())
      for step in steps {
        time += step
        log.append(Array(repeating: time, count: size))
      }
      return log
    }
    let logs = Generator<[[Int]]>.oneOf(Generator.array(of: transaction, count: 0...20), growing)
    let steps = zip(logs, Generator.array(of: .int(in: -1...13), count: 1...4))
    try check(Generator.array(of: steps, count: 1...3), settings: CheckSettings(examples: 60)) { rounds in
      try EveryStore.each { store in
        var all: [[Int]] = []
        // The log goes on between the questions.
        for (log, times) in rounds {
          for transaction in log { try Self.append(transaction, to: store) }
          all += log
          for time in times {
            let expected = Position(Self.position(at: time, in: all))
            try ensureEqual(try store.position(at: Self.date(time)), expected)
            try ensureEqual(try store.read { try $0.position(at: Self.date(time)) }, expected)
          }
        }
        try ensureEqual(try store.position(at: .distantFuture), store.head())
        try ensureEqual(try store.position(at: .distantPast), 0)
      }
    }
  }

  @Test func `a log of several stretches is right at each of its times`() throws {
    // Three stretches, each event a second after the one before, but for one that is far ahead and some that go back.
    var times = Array(1...1_600)
    (times[700], times[1_100]) = (1_200, 3)
    try EveryStore.each { store in
      for start in stride(from: 0, to: times.count, by: 100) {
        try Self.append(Array(times[start..<start + 100]), to: store)
      }
      let log = stride(from: 0, to: times.count, by: 100).map { Array(times[$0..<$0 + 100]) }
      for time in stride(from: 0, through: 1_700, by: 50) {
        #expect(try store.position(at: Self.date(time)).rawValue == Self.position(at: time, in: log), "\(time)")
      }
      for time in [100, 99, 700, 1_200, 1_199, 1_600].shuffled() {
        #expect(try store.position(at: Self.date(time)).rawValue == Self.position(at: time, in: log), "\(time)")
      }
    }
  }

  @Test func `the second question reads few events, and the first one those up to the answer`() throws {
    let marks = TimeMarks()
    let count = 20_000
    var scanned = 0
    func position(at time: Int64, head: Int = count, revision: LogRevision = .original) throws -> Int {
      scanned = 0
      return try marks.position(
        at: time, now: .max, head: Position(head), revision: revision
      ) { after, through, limit in
        let last = min(after + limit, through)
        scanned += max(0, last - after)
        return after < last
          ? (after + 1...last).map { EventStamp(position: $0, transaction: $0, time: Int64($0)) } : []
      }.rawValue
    }
    #expect(try position(at: 9_000) == 9_000 && (9_000...9_600).contains(scanned))
    #expect(try position(at: 8_000) == 8_000 && scanned <= 1_025)
    #expect(try position(at: 19_999) == 19_999 && scanned <= 12_000)
    for time in [1, 511, 512, 513, 10_000, 19_000, 19_999, 20_000, 30_000] as [Int64] {
      #expect(try position(at: time) == min(Int(time), count) && scanned <= 1_025, "\(time)")
    }
    // What comes is looked at, and no more; a moment of the past is right too.
    #expect(try position(at: 20_100, head: 20_200) == 20_100 && scanned <= 1_025)
    #expect(try position(at: 50, head: 60) == 50 && position(at: 70, head: 60) == 60)
    // Another history is looked at from its beginning.
    #expect(try position(at: 9_000, revision: LogRevision(erasures: 1)) == 9_000 && scanned >= 9_000)
  }

  @Test func `another log in the place of one is not taken for it`() throws {
    let marks = TimeMarks()
    func position(at time: Int64, shift: Int64) throws -> Int {
      try marks.position(at: time, now: .max, head: 2_000, revision: .original) { after, through, limit in
        (after + 1..<max(after + 1, min(after + limit, through) + 1)).map {
          EventStamp(position: $0, transaction: $0, time: Int64($0) + shift)
        }
      }.rawValue
    }
    #expect(try position(at: 3_000, shift: 0) == 2_000)
    // What was seen of the first log says that nothing up to 512 is later than 700.
    #expect(try position(at: 700, shift: 600) == 100 && position(at: 1_500, shift: 600) == 900)
    #expect(try position(at: 1_500, shift: 0) == 1_500)
  }

  /// The end of the last transaction that is known at a time for a reader with a clock, by the plainest way.
  private static func position(at time: Int, now: Int, in log: [[Int]]) -> Int {
    let head = log.reduce(0) { $0 + $1.count }
    if time >= now { return head }
    let times = log.flatMap { $0 }
    // An event that is later than the clock has the time of the next event that isn't later.
    let used = times.indices.map { index in times[index...].first { $0 <= now } ?? now }
    var end = 0
    for transaction in log {
      guard used[end..<end + transaction.count].allSatisfy({ $0 <= time }) else { break }
      end += transaction.count
    }
    return end
  }

  /// A clock that a test sets.
  private final class Clock: Sendable {
    let time = Mutex(0)
    var environment: StoreEnvironment { StoreEnvironment(now: { PositionAtTimeTests.date(self.time.withLock { $0 }) }) }
  }

  /// Runs a test with stores that have a clock: of every kind, and one whose logs offer only events to read.
  private static func eachWithClock(_ body: (any EventStore, Clock) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let clock = Clock()
    let path = folder.appending(path: "log").path
    let file = try SQLiteEventStore(path: path, durability: .process, environment: clock.environment)
    defer { file.close() }
    let memory = MemoryEventStore(environment: clock.environment)
    for store in [memory, file, FaultyStore(MemoryEventStore(environment: clock.environment))] as [any EventStore] {
      try body(store, clock)
    }
  }

  @Test func `a position at a time is that of a model for any clock, where clocks jump by years`() throws {
    // Mostly in order, with jumps ahead and back, by some days of 100.
    let step = Generator.element(of: [0, 1, 1, 1, 1, 1, 2, 40, -40, 100, -100])
    let logs = Generator.array(of: zip(step, .int(in: 1...3), .element(of: [0, 0, 0, 70])), count: 0...25)
      .map { steps in
        var time = 50
        return steps.map { step, size, last in
          // A jump is over with the next event.
          defer { time += abs(step) > 2 ? 1 : step }
          return (0..<size).map { max(0, time + step + ($0 == size - 1 ? last : 0)) }
        }
      }
    let asked = Generator.array(of: zip(.int(in: -1...220), .int(in: 0...220)), count: 1...6)
    try check(Generator.array(of: zip(logs, asked), count: 1...3), settings: CheckSettings(examples: 120)) { rounds in
      try Self.eachWithClock { store, clock in
        var all: [[Int]] = []
        for (log, questions) in rounds {
          for transaction in log { try Self.append(transaction, to: store) }
          all += log
          for (time, now) in questions {
            clock.time.withLock { $0 = now }
            let expected = Position(Self.position(at: time, now: now, in: all))
            let words = "\(type(of: store)): \(time), the clock is at \(now)"
            try ensure(try store.position(at: Self.date(time)) == expected, words)
            try ensureEqual(try store.read { try $0.position(at: Self.date(time)) }, expected)
          }
          let now = clock.time.withLock { $0 }
          try ensureEqual(try store.position(at: Self.date(now)), store.head())
          try ensureEqual(try store.position(at: Self.date(now + 1)), store.head())
        }
      }
    }
  }

  @Test func `the times that are known grow with time, and with a wrong time to come as without it`() throws {
    try Self.eachWithClock { store, clock in
      // A wrong clock once, over several stretches of the remembered times.
      var log = (1...1_700).map { [$0] }
      (log[40], log[600], log[601], log[1_699]) = ([90_000], [50_000], [60_000], [70_000])
      for transaction in log { try Self.append(transaction, to: store) }
      for now in [1_800, 1_650, 55_000, 1_800, 65_000, 100_000, 1_699] {
        clock.time.withLock { $0 = now }
        var last: Position = 0
        for time in [0, 1, 39, 40, 41, 42, 599, 600, 601, 603, 1_100, 1_649, 1_699, 1_700, 54_000, 90_000, 99_999] {
          let found = try store.position(at: Self.date(time))
          #expect(found.rawValue == Self.position(at: time, now: now, in: log), "\(time), the clock is at \(now)")
          #expect(found >= last)
          last = found
        }
      }
    }
  }

  @Test func `a clock that was years behind once hides nothing`() throws {
    try Self.eachWithClock { store, clock in
      clock.time.withLock { $0 = 10_000 }
      for time in [5_000, 5_001, 3, 5_002, 5_003] { try Self.append([time], to: store) }
      for (time, position) in [(2, 0), (4_999, 0), (5_000, 1), (5_001, 3), (5_002, 4), (9_999, 5)] {
        #expect(try store.position(at: Self.date(time)).rawValue == position, "\(time)")
      }
    }
  }

  @Test func `a branch and a list go by the clock of their store`() throws {
    try Self.eachWithClock { store, clock in
      clock.time.withLock { $0 = 100 }
      for (number, time) in [10, 20, 5_000, 30, 40].enumerated() {
        var append = Append()
        try append.add(ItemEvent.put(Item("\(number)", nil, number)), to: "items", time: Self.date(time))
        try store.append(append)
      }
      let list = try controller(store)
      #expect(try list.seek(to: Self.date(25)) == 2 && list.seek(to: Self.date(30)) == 4)
      #expect(try list.seek(to: Self.date(100)) == 5 && list.fetchedObjects.count == 5)
      let branch = try store.branch(at: 4)
      #expect(try branch.position(at: Self.date(25)) == 2 && branch.position(at: Self.date(100)) == 4)
      #expect(try branch.position(at: Self.date(99)) == 4)
    }
  }

  @Test func `marks of the past stay when a time to come is over, and others are made where it was`() throws {
    let marks = TimeMarks()
    var scanned = 0
    func position(at time: Int64, now: Int64) throws -> Int {
      scanned = 0
      return try marks.position(at: time, now: now, head: 20_000, revision: .original) { after, through, limit in
        let last = min(after + limit, through)
        scanned += max(0, last - after)
        return after < last
          ? (after + 1...last).map {
            EventStamp(position: $0, transaction: $0, time: $0 == 15_000 ? 1_000_000 : Int64($0))
          } : []
      }.rawValue
    }
    #expect(try position(at: 19_999, now: 500_000) == 19_999 && scanned >= 19_999)
    #expect(try position(at: 18_000, now: 600_000) == 18_000 && scanned <= 1_025)
    // The wrong time is one of the past now.
    #expect(try position(at: 19_000, now: 2_000_000) == 14_999 && scanned <= 6_000)
    #expect(try position(at: 13_000, now: 2_000_000) == 13_000 && scanned <= 1_025)
    #expect(try position(at: 18_000, now: 500_000) == 18_000 && scanned <= 6_000)
  }

  @Test func `a list goes to what was known at a time`() throws {
    try EveryStore.each { store in
      for (number, time) in [10, 20, 15, 30].enumerated() {
        var append = Append()
        try append.add(ItemEvent.put(Item("\(number)", nil, number)), to: "items", time: Self.date(time))
        try store.append(append)
      }
      let list = try controller(store)
      let delegate = MirrorDelegate(list.results)
      list.delegate = delegate
      #expect(try list.seek(to: Self.date(20)) == 3 && list.fetchedObjects.map(\.id) == ["0", "1", "2"])
      #expect(try list.seek(to: Self.date(19)) == 1 && list.fetchedObjects.map(\.id) == ["0"])
      #expect(try list.seek(to: Self.date(9)) == 0 && list.fetchedObjects.isEmpty && list.isSeeking)
      #expect(try list.seek(to: .distantFuture) == 4 && list.isSeeking)
      #expect(delegate.violations == [] && delegate.table.shows(list.results))
      try list.seek(to: 2)
      #expect(list.fetchedObjects.map(\.id) == ["0", "1"])
      try list.returnToLive()
      #expect(!list.isSeeking)
    }
  }

  @Test func `the past before a compaction's horizon is refused, as by position`() throws {
    let store = MemoryEventStore()
    for number in 1...6 {
      var append = Append()
      try append.add(ItemEvent.put(Item("a", nil, number)), to: "items", time: Self.date(number))
      try store.append(append)
    }
    let list = try controller(store)
    #expect(try list.seek(to: Self.date(3)) == 3)
    try list.returnToLive()
    var compaction = Compaction()
    compaction.rewrite(ItemEvent.self) { _, events in Array(events.suffix(1)) }
    compaction.prove(Items())
    try store.compact(compaction)
    #expect(throws: SeekError.self) { try list.seek(to: Self.date(5)) }
    #expect(!list.isSeeking)
    #expect(try list.seek(to: Self.date(6)) == 6 && store.position(at: Self.date(7)) == 6)
  }
}
