import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Dispatch
import Foundation
import Synchronization
import Testing

/// Controllers and followers hear what other stores and processes append, without being asked to.
@Suite(.timeLimit(.minutes(60)), .serialized) struct OtherWriterTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path("log") }

  init() throws { folder = try TemporaryFolder() }

  private func open(hears: Bool = true) throws -> SQLiteEventStore {
    try SQLiteEventStore(path: path, durability: .process, observesExternalWriters: hears)
  }

  #if os(macOS) || os(Linux)
    /// Lets a child process append with pauses for a while, and returns the time of each acknowledged position.
    private func childTimes(pause: Int, for duration: Duration) async throws -> [Int: UInt64] {
      let path = path
      let lines = try await onOwnThread {
        let child = try ChildProcess("shelve", path, "1", "\(pause)")
        _ = child.firstWords()
        usleep(UInt32(duration / .microseconds(1)))
        child.kill()
        return child.finish().lines
      }
      var times: [Int: UInt64] = [:]
      for line in lines {
        let words = line.split(separator: " ")
        guard words.count == 3, let position = Int(words[1]), let time = UInt64(words[2]) else { continue }
        times[position] = time
      }
      return times
    }
  #endif

  /// By how many nanoseconds a sleep on the main actor ends too late, on average, until the task is cancelled.
  @MainActor private static func lateness() async throws -> Double {
    var late: [Double] = []
    while !Task.isCancelled {
      let start = ContinuousClock.now
      // A sleep that is cancelled says nothing.
      guard (try? await Task.sleep(for: .milliseconds(5))) != nil else { break }
      late.append(max(0, (ContinuousClock.now - start - .milliseconds(5)) / .nanoseconds(1)))
    }
    return late.isEmpty ? 0 : late.reduce(0, +) / Double(late.count)
  }

  #if os(macOS) || os(Linux)
    @MainActor
    @Test func `a delegate is notified of another process's commit within a tenth of a second`() async throws {
      let store = try open()
      let controller = FetchedResultsController(
        store: store, projection: HeardVolumes(), request: HeardVolumes.request)
      let delegate = HeardDelegate()
      controller.delegate = delegate
      try controller.performFetch()
      var (median, limit) = (Double.infinity, 100_000_000.0)
      // The machine may be busy with other tests, so one quiet moment counts. On a busy machine, a sleeping task wakes
      // late, and so do the process that writes and the observer in this process.
      for _ in 0..<12 where median >= limit {
        let sleeper = Task { try await Self.lateness() }
        let times = try await childTimes(pause: 40_000, for: .milliseconds(700))
        sleeper.cancel()
        limit = 100_000_000 + 4 * (try await sleeper.value)
        let head = try store.head()
        for _ in 0..<1_000 where controller.position < head { try await Task.sleep(for: .milliseconds(5)) }
        // A batch is late by the time of its oldest commit.
        let sorted = times.map { position, time in
          delegate.heard.first { $0.position >= position }.map { Double($0.time) - Double(time) } ?? .infinity
        }.sorted()
        #expect(sorted.count > 5)
        if !sorted.isEmpty { median = min(median, sorted[sorted.count / 2]) }
        if ProcessInfo.processInfo.environment["ANNALS_PRINT_DELAYS"] != nil { print(sorted.map { Int($0 / 1_000) }) }
      }
      #expect(median < limit, "\(median) ns, of \(limit)")
      #expect(try controller.results == foldedVolumes(store))
    }
  #endif

  @Test func `a controller that rests hears of the first commit after it`() async throws {
    let (store, other) = (try open(), try open(hears: false))
    let (screen, writer) = (HeardScreen(store), HeardScreen(other))
    try await screen.show()
    // Other tests can keep the processor busy, so one quiet round counts. A sleep that ends late shows how busy it is.
    var (median, limit) = (Duration.seconds(9), Duration.milliseconds(250))
    for round in 0..<8 where median >= limit {
      var times: [Duration] = []
      let sleeper = Task { try await Self.lateness() }
      for number in 0..<7 {
        try await Task.sleep(for: .milliseconds(700))
        let start = ContinuousClock.now
        let count = round * 7 + number + 1
        try await writer.append([.put(HeardVolume(id: "a\(count)", shelf: 1, place: count))])
        #expect(try await screen.wait(for: Position(count)))
        times.append(ContinuousClock.now - start)
      }
      median = times.sorted()[3]
      sleeper.cancel()
      limit = .milliseconds(250) + .nanoseconds(Int64(4 * (try await sleeper.value)))
    }
    // Without the system's event the median would be half a second, because the store polls once a second.
    #expect(median < limit)
    withExtendedLifetime(store) {}
  }

  #if os(macOS) || os(Linux)
    @Test func `controllers of several stores and processes end equal to the fold of the log, also after kills`()
      async throws
    {
      let stores = try (0..<3).map { _ in try open() }
      let screens = stores.flatMap { [HeardScreen($0), HeardScreen($0)] }
      for screen in screens { try await screen.show() }
      for _ in 0..<4 {
        let path = path
        let killing = Task {
          try await onOwnThread {
            let children = try (0..<3).map { try ChildProcess("shelve", path, "2", "\($0 * 1_000)") }
            for (number, child) in children.enumerated() {
              // One child commits in every round, also on a slow machine. The other children are killed at any time.
              if number == 0 { #expect(child.wait(for: "ack ")) }
              usleep(UInt32.random(in: 0...60_000))
              child.kill()
              #expect(child.finish().talk == "")
            }
          }
        }
        for (number, screen) in screens.enumerated() {
          try await screen.append([.put(HeardVolume(id: "own\(number)", shelf: 9, place: number)), .removed(id: "v1")])
          try await Task.sleep(for: .milliseconds(Int.random(in: 1...20)))
        }
        try await killing.value
        // One screen goes and comes back.
        await screens[3].hide()
        try await screens[3].show()
      }
      let head = try stores[0].head()
      #expect(head > 50)
      let folded = try foldedVolumes(stores[0])
      for screen in screens {
        #expect(try await screen.wait(for: head))
        #expect(await screen.results == folded)
        #expect(await !screen.hasGap)
        #expect(await screen.failures == [])
      }
    }
  #endif

  @Test func `stores and controllers of a random history all end at the fold of the log`() async throws {
    enum Step: Sendable { case append(Int, Int), hide(Int), show(Int), pause(Int) }
    let store = Generator<Int>.int(in: 0...2)
    let steps = Generator<Step>.oneOf(
      zip(store, .int(in: 0...9)).map { Step.append($0, $1) }, store.map { Step.hide($0) }, store.map { Step.show($0) },
      Generator<Int>.int(in: 0...8).map { Step.pause($0) })
    try await check(.array(of: steps, count: 1...25), settings: CheckSettings(examples: 25)) { steps in
      let folder = try TemporaryFolder()
      let stores = try (0..<3).map { _ in try SQLiteEventStore(path: folder.path("log"), durability: .process) }
      let screens = stores.map { HeardScreen($0) }
      for screen in screens { try await screen.show() }
      for step in steps {
        switch step {
        case .append(let store, let id):
          try await screens[store].append([
            .put(HeardVolume(id: "v\(id)", shelf: store, place: id)), .removed(id: "v3"),
          ])
        case .hide(let screen): await screens[screen].hide()
        case .show(let screen): try await screens[screen].show()
        case .pause(let time): try await Task.sleep(for: .milliseconds(time * time))
        }
      }
      let head = try stores[0].head()
      let folded = try foldedVolumes(stores[1])
      for screen in screens where await screen.results != nil {
        try ensure(await screen.wait(for: head), "a controller did not hear of position \(head)")
        try ensureEqual(await screen.results, folded)
        try ensure(await !screen.hasGap, "a batch did not begin where the one before ended")
      }
    }
  }

  @MainActor
  @Test func `a store is let go of, though a job that was to deliver has not run`() throws {
    weak var kept: SQLiteEventStore?
    do {
      let store = try open()
      kept = store
      let controller = FetchedResultsController(
        store: store, projection: HeardVolumes(), request: HeardVolumes.request)
      try controller.performFetch()
      let other = try open(hears: false)
      let heard = DispatchSemaphore(value: 0)
      let token = store.runtime.watch { _ in heard.signal() }
      try other.append(Append([NewEvent(type: "E", payload: nil)], to: "s"))
      // The main queue has no turn before this test ends, so that the job waits.
      #expect(heard.wait(timeout: .now() + 200) == .success)
      token.cancel()
      withExtendedLifetime(controller) {}
    }
    #expect(kept == nil)
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
  }

  @Test func `what a store commits itself is not announced a second time`() async throws {
    let store = try open()
    let screen = HeardScreen(store)
    let announced = Mutex(0)
    let token = store.runtime.watch { _ in announced.withLock { $0 += 1 } }
    try await screen.show()
    // The first look at the log is announced, however late it is on a full machine.
    while announced.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(5)) }
    announced.withLock { $0 = 0 }
    for number in 0..<20 {
      try await screen.append([.put(HeardVolume(id: "v\(number)", shelf: 1, place: number))])
      try await Task.sleep(for: .milliseconds(5))
    }
    try await Task.sleep(for: .milliseconds(100))
    #expect(announced.withLock { $0 } == 20)
    token.cancel()
  }

  @Test func `what others save beside the events wakes no one`() async throws {
    let (store, other) = (try open(), try open())
    let screen = HeardScreen(store)
    let announced = Mutex(0)
    let token = store.runtime.watch { _ in announced.withLock { $0 += 1 } }
    try await screen.show()
    while announced.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(5)) }
    announced.withLock { $0 = 0 }
    let checkpoints = try #require(other.checkpoints)
    for number in 1...20 {
      _ = try checkpoints.setCheckpoint(named: "c\(number)", to: 0, from: nil)
      try await Task.sleep(for: .milliseconds(5))
    }
    try await Task.sleep(for: .milliseconds(100))
    #expect(announced.withLock { $0 } == 0)
    try await other.append(Append([NewEvent(type: "E", payload: nil)], to: "s"))
    #expect(try await screen.wait(for: 1))
    // The screen may be shown before the last of those who watch has heard.
    for _ in 0..<1_000 where announced.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(5)) }
    try await Task.sleep(for: .milliseconds(100))
    #expect(announced.withLock { $0 } == 1)
    token.cancel()
  }

  @Test func `a store that does not hear others shows them at the next own commit or refresh`() async throws {
    let (store, other) = (try open(hears: false), try open(hears: false))
    #expect(store.externalWriters == nil)
    #expect(try SQLiteEventStore(readingFrom: path, observesExternalWriters: false).externalWriters == nil)
    let (screen, writer) = (HeardScreen(store), HeardScreen(other))
    try await screen.show()
    try await writer.append([.put(HeardVolume(id: "a", shelf: 1, place: 1))])
    #expect(try await !screen.wait(for: 1, seconds: 2))
    await screen.refresh()
    #expect(await screen.results?.rows.count == 1)
    try await writer.append([.put(HeardVolume(id: "b", shelf: 1, place: 1))])
    try await screen.append([.put(HeardVolume(id: "c", shelf: 1, place: 1))])
    #expect(await screen.results?.rows.count == 3)
  }

  @Test func `a reader in a folder that it may not write to hears of a writer`() async throws {
    let writer = HeardScreen(try open(hears: false))
    try await writer.append([.put(HeardVolume(id: "a", shelf: 1, place: 1))])
    let screen = HeardScreen(try SQLiteEventStore(readingFrom: path))
    try await screen.show()
    try await Task.sleep(for: .milliseconds(400))
    try await writer.append([.put(HeardVolume(id: "b", shelf: 1, place: 1))])
    #expect(try await screen.wait(for: 2))
  }

  @Test func `a log that is moved away fails once, and its list goes on when it is back`() async throws {
    let (store, other) = (try open(), try open())
    let screen = HeardScreen(store)
    try await screen.show()
    try await Task.sleep(for: .milliseconds(400))
    try FileManager.default.moveItem(atPath: path, toPath: path + "2")
    for _ in 0..<500 where await screen.failures.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    try await Task.sleep(for: .milliseconds(1_500))
    #expect(await screen.failures.count == 1)
    #expect(await screen.failures.first?.contains("was removed") == true)
    try FileManager.default.moveItem(atPath: path + "2", toPath: path)
    for _ in 0..<500 where await screen.hasFailure { try await Task.sleep(for: .milliseconds(5)) }
    #expect(await !screen.hasFailure)
    try await other.append(Append([NewEvent(type: "E", payload: nil)], to: "s"))
    #expect(try await screen.wait(for: 1))
  }

  #if os(macOS) || os(Linux)
    @Test func `ten lists of an idle log use almost no processor time`() async throws {
      try open().close()
      let path = path
      let (lines, talk, status) = try await onOwnThread { try ChildProcess("idle", path, "10", "3000").finish() }
      #expect(talk == "" && status == 0)
      let words = try #require(lines.first { $0.hasPrefix("idle ") }).split(separator: " ").compactMap { Int($0) }
      // Of three seconds, in a build without optimisation.
      #expect(words[0] < 15_000, "\(words) µs and wakes")
      #expect(words[1] < 60, "\(words) µs and wakes")
      if ProcessInfo.processInfo.environment["ANNALS_PRINT_DELAYS"] != nil { print(words) }
    }

    @Test func `another process's commits are heard between own commits, and after the last of them`() async throws {
      let path = path
      for _ in 0..<4 {
        let store = try open()
        let screen = HeardScreen(store)
        try await screen.show()
        try await onOwnThread {
          let coder = try EventCoder<HeardEvent>()
          let own = Append([try coder.encode(.put(HeardVolume(id: "own", shelf: 1, place: 0)))], to: "volumes")
          try store.append(own)
          let child = try ChildProcess("shelve", path, "1", "2000")
          _ = child.firstWords()
          let first = try store.head().rawValue
          while try store.head().rawValue < first + 90 { try store.append(own) }
          let last = try store.head().rawValue
          while try store.head().rawValue < last + 30 { usleep(1_000) }
          child.kill()
          _ = child.finish()
        }
        #expect(try await screen.wait(for: store.head(), seconds: 600))
      }
    }

    @Test func `a store's own commits don't wake the observer of other processes`() async throws {
      let path = path
      // On a slow or busy machine, a writer has the lock for longer, and the observer looks more often. So one quick
      // run with few wake-ups counts, and runs that take twice their time don't.
      var quick: [Int] = []
      for _ in 0..<5 where quick.allSatisfy({ $0 >= 600 }) {
        let start = ContinuousClock.now
        let (lines, talk, status) = try await onOwnThread { try ChildProcess("wakes", path, "1", "100").finish() }
        let time = ContinuousClock.now - start
        #expect(talk == "" && status == 0)
        let wakes = try #require(lines.first { $0.hasPrefix("wakes ") }.flatMap { Int($0.dropFirst(6)) })
        if time < .seconds(5) { quick.append(wakes) }
      }
      // The committing thread is woken a hundred times. Each commit woke the observer's threads three times. Without a
      // look at the write lock, it was six times.
      #expect(quick.isEmpty || quick.contains { $0 < 600 }, "\(quick)")
      if ProcessInfo.processInfo.environment["ANNALS_PRINT_DELAYS"] != nil { print(quick) }
    }
  #endif

  #if !canImport(os)
    @Test func `a list that stops says so on standard error, in one line`() async throws {
      let path = path
      let (lines, talk, status) = try await onOwnThread { try ChildProcess("stop", path, "1", "1").finish() }
      #expect(lines.allSatisfy(\.isEmpty) && status == 0)
      let said = talk.split(separator: "\n")
      #expect(said.count == 1, "\(talk)")
      #expect(
        said[0].hasPrefix("Annals: the list of the projection Volumes stopped before event 1 (VolumeLost) in the log "))
      #expect(!talk.contains("SECRET"))
    }
  #endif

  #if os(Linux)
    /// How often this process has the file of the log's commits open.
    private var openFiles: Int {
      let folder = "/proc/self/fd"
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return names.count {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path + "-wal"
      }
    }

    @Test func `nothing is watched before a controller has fetched and after the last has gone`() async throws {
      let store = try open()
      let (first, second) = (HeardScreen(store), HeardScreen(store))
      func isOpen(_ count: Int) async throws -> Bool {
        for _ in 0..<400 {
          if openFiles == count { return true }
          try await Task.sleep(for: .milliseconds(5))
        }
        return false
      }
      // The connections that wait for the next reader are there from now on.
      try await first.show()
      await first.hide()
      try await Task.sleep(for: .milliseconds(300))
      let before = openFiles
      try await first.show()
      try await second.show()
      #expect(try await isOpen(before + 1), "\(before) \(openFiles)")
      await first.hide()
      try await Task.sleep(for: .milliseconds(300))
      #expect(openFiles == before + 1)
      await second.hide()
      #expect(try await isOpen(before), "\(before) \(openFiles)")
    }
  #endif
}

/// Runs a body that waits on a thread that no task needs.
private func onOwnThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
  }
}
