import Annals
import AnnalsLog
import AnnalsRemote
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// Concurrent commands on one stream of a remote store, which are committed as groups.
@Suite(.timeLimit(.minutes(60))) struct HotStreamTests {
  private let monitor: SpanMonitor
  private let server: MemoryRemoteServer
  private let remote: MemoryRemoteStore
  private let other: MemoryRemoteStore

  init() { self.init(StoreEnvironment(report: { _ in }, monitor: SpanMonitor())) }

  private init(_ environment: StoreEnvironment) {
    server = MemoryRemoteServer(environment: environment)
    remote = MemoryRemoteStore(server)
    other = MemoryRemoteStore(server)
    monitor = environment.monitor as? SpanMonitor ?? SpanMonitor()
  }

  /// A command on the purse `a`.
  private struct Coins {
    let amount: Int
    var id: String?
    var expected = ExpectedVersion.any

    static func add(_ amount: Int, id: String? = nil, expecting expected: ExpectedVersion = .any) -> Coins {
      Coins(amount: amount, id: id, expected: expected)
    }
  }

  /// Executes commands that all wait in one queue, in order, while the append of another command is on its way.
  ///
  /// - Parameters:
  ///   - commands: The commands.
  ///   - cancelled: The indices of commands to cancel while they wait.
  ///   - fault: The fault of the group's call.
  ///   - body: A function that runs on the way of every later call.
  /// - Returns: The results of the commands, in order.
  /// - Throws: The error of the other command.
  private func together(
    _ commands: [Coins], cancelling cancelled: [Int] = [], fault: StoreFault? = nil,
    onCalls body: MemoryRemoteStore.CallBody? = nil
  ) async throws -> [Result<Receipt, any Error>] {
    let (release, isReleased) = AsyncStream.makeStream(of: Void.self)
    let (appends, isAppending) = AsyncStream.makeStream(of: Void.self)
    remote.onCalls { call, leg in
      guard call == .append, leg == .response else { return }
      isAppending.yield()
      for await _ in release {}
    }
    let first = Task { [remote] in try await remote.execute(0, on: CoinPurse["a"]) }
    for await _ in appends { break }
    var tasks: [Task<Receipt, any Error>] = []
    for command in commands {
      tasks.append(
        Task { [remote] in
          try await remote.execute(
            command.amount, on: CoinPurse["a", expecting: command.expected], commandID: command.id)
        })
      let number = tasks.count + 1
      while remote.commands.lastNumber(.stream(CoinPurse.stream("a"))) < number { await Task.yield() }
    }
    for (index, task) in tasks.enumerated() where cancelled.contains(index) { task.cancel() }
    remote.fail(fault)
    _ = monitor.takeSpans()
    remote.onCalls(body)
    isReleased.finish()
    _ = try await first.value
    var results: [Result<Receipt, any Error>] = []
    for task in tasks { results.append(await task.result) }
    remote.onCalls(nil)
    return results
  }

  /// The results in one word each: the position of the events, or the error.
  private func words(_ results: [Result<Receipt, any Error>]) -> [String] {
    results.map { result in
      switch result {
      case .success(let receipt): receipt.isRepeated ? "\(receipt.position) repeated" : "\(receipt.position)"
      case .failure(is CoinPurse.Full): "full"
      case .failure(is CancellationError): "cancelled"
      case .failure(let error as EventStoreError): error.code.rawValue
      case .failure(let error): "\(error)"
      }
    }
  }

  private func amounts() throws -> [Int] {
    try server.events(of: CoinEvent.self).map { if case .added(let amount) = $0.event { amount } else { 0 } }
  }

  @Test func `commands that wait are decided one after another, and committed with one message`() async throws {
    let results = try await together((1...40).map { .add(0, id: "c\($0)") })
    #expect(words(results) == (2...41).map { "\($0)" })
    #expect(remote.takeCalls() == [.append])
    let stream = CoinPurse.stream("a")
    #expect(try results.map { try $0.get().versions } == (2...41).map { [stream: $0] })
    let events = try server.events(.all, after: 0, through: nil, limit: 99).dropFirst()
    #expect(events.map(\.transaction) == Array(2...41))
    #expect(events.map(\.metadata.causation) == (1...40).map { "c\($0)" })
    // Every command has its own span, and the state in memory is current.
    #expect(monitor.takeSpans().count { $0 == "annals.execute > annals.append" } == 41)
    #expect(monitor.sum(.appendedEvents) == 41 && monitor.sum(.conflicts) == 0)
    #expect(try await remote.execute(9, on: CoinPurse["a"]).position == 42)
    #expect(remote.takeCalls() == [.append])
  }

  @Test func `a command is decided on the events of the commands before it, and a refusal needs no read`()
    async throws
  {
    let results = try await together([.add(4), .add(4), .add(4), .add(1), .add(4)])
    #expect(words(results) == ["2", "3", "full", "4", "full"])
    #expect(remote.takeCalls() == [.append])
    #expect(try amounts() == [0, 4, 4, 1])
  }

  @Test func `commands that are refused at the front of the queue share one read`() async throws {
    try await other.execute(9, on: CoinPurse["a"])
    let results = try await together([.add(1), .add(2), .add(3), .add(0), .add(4)])
    #expect(words(results) == ["full", "full", "full", "3", "full"])
    #expect(remote.takeCalls() == [.read, .append])
  }

  @Test func `a refusal that another process has overtaken is decided on a later read`() async throws {
    for seat in 1...2 { try await remote.execute(.take(seat: seat, by: "ann"), on: FarHall["a"]) }
    let (release, isReleased) = AsyncStream.makeStream(of: Void.self)
    let (reads, hasRead) = AsyncStream.makeStream(of: Void.self)
    remote.onCalls { call, leg in
      guard call == .read, leg == .response else { return }
      hasRead.yield()
      for await _ in release {}
    }
    // The log was read for the first command, before the other process frees the seat.
    let first = Task { [remote] in try await remote.execute(.take(seat: 1, by: "bob"), on: FarHall["a"]) }
    for await _ in reads { break }
    try await other.execute(.free(seat: 1), on: FarHall["a"])
    let second = Task { [remote] in try await remote.execute(.take(seat: 1, by: "cid"), on: FarHall["a"]) }
    while remote.commands.lastNumber(.stream(FarHall.stream("a"))) < 2 { await Task.yield() }
    isReleased.finish()
    await #expect(throws: FarHall.Refused.self) { try await first.value }
    #expect(try await second.value.position == 4)
  }

  @Test(
    arguments: zip(
      [[5, 3, 1], [5, 0, 9], [0, 9, 0]], [["3", "full", "full"], ["3", "4", "full"], ["3", "full", "4"]]))
  func `commands are re-decided after another process's events, even if the stream has the expected version`(
    amounts: [Int], expected: [String]
  ) async throws {
    let isFirst = Once()
    // After this event, the second command finds the version that it expects, but not the events of the first command.
    let results = try await together(amounts.map { .add($0) }) { [other] call, leg in
      guard call == .append, leg == .request, isFirst.pass() else { return }
      try await other.execute(4, on: CoinPurse["a"])
    }
    #expect(words(results) == expected)
    #expect(remote.takeCalls() == [.append, .append])
  }

  @Test func `a command that another process overtakes in every attempt ends with an error`() async throws {
    let results = try await together((1...3).map { .add(1, id: "c\($0)") }) { [other] call, leg in
      if call == .append, leg == .request { try await other.execute(0, on: CoinPurse["a"]) }
    }
    #expect(words(results) == ["tooManyConflicts", "tooManyConflicts", "tooManyConflicts"])
    #expect(monitor.sum(.conflicts) == 3 * 64)
    #expect(try await remote.execute(9, on: CoinPurse["a"]).count == 1)
  }

  @Test func `ids that are repeated and reused within a group`() async throws {
    try await other.execute(1, on: CoinPurse["a"], commandID: "old")
    let results = try await together([
      .add(1, id: "old"), .add(2, id: "new"), .add(2, id: "new"), .add(3, id: "new"), .add(3, id: "old"), .add(4),
      .add(9, id: "old"), .add(9, id: "later"), .add(1, id: "last"),
    ])
    #expect(
      words(results) == [
        "1 repeated", "3", "3 repeated", "commandReused", "commandReused", "4", "commandReused", "full", "5",
      ])
    #expect(try amounts() == [1, 0, 2, 4, 1])
  }

  @Test func `a command expects a version after the events of the commands before it`() async throws {
    let results = try await together([
      .add(1, expecting: .exact(1)), .add(1, expecting: .exact(1)), .add(1, expecting: .exact(2)),
      .add(1, expecting: .doesNotExist), .add(1, expecting: .exists),
    ])
    #expect(words(results) == ["2", "versionConflict", "3", "versionConflict", "4"])
    #expect(remote.takeCalls() == [.append])
  }

  @Test(arguments: [[0], [1], [2], [0, 2], [0, 1, 2]])
  func `cancelled commands add no events, and don't affect the other commands`(cancelled: [Int]) async throws {
    let results = try await together([.add(1), .add(2), .add(3)], cancelling: cancelled)
    for (index, word) in words(results).enumerated() {
      #expect((word == "cancelled") == cancelled.contains(index), "\(index): \(word)")
    }
    #expect(try amounts().dropFirst() == [1, 2, 3].filter { !cancelled.contains($0 - 1) }[...])
  }

  @Test func `every command gets its receipt if all tasks are cancelled during the commit`() async throws {
    let tasks = Mutex<[Task<Receipt, any Error>]>([])
    for leg in MemoryRemoteStore.Leg.allCases {
      let (waits, isWaiting) = AsyncStream.makeStream(of: Void.self)
      let (release, isReleased) = AsyncStream.makeStream(of: Void.self)
      remote.onCalls { call, now in
        guard call == .append, now == leg else { return }
        isWaiting.yield()
        for await _ in release {}
        try Task.checkCancellation()
      }
      for number in 0...3 {
        let task = Task { [remote] in try await remote.execute(1, on: CoinPurse["\(leg)"]) }
        tasks.withLock { $0.append(task) }
        while remote.commands.lastNumber(.stream(CoinPurse.stream("\(leg)"))) <= number { await Task.yield() }
        if number == 0 { for await _ in waits { break } }
      }
      // The first command is committed alone, and the other commands as a group.
      let first = tasks.withLock { $0[0] }
      let grouped = Once()
      remote.onCalls { call, now in
        guard call == .append, now == leg, grouped.pass() else { return }
        for task in tasks.withLock({ $0 }) { task.cancel() }
        try Task.checkCancellation()
      }
      isReleased.finish()
      #expect(try await first.value.count == 1)
      for task in tasks.withLock({ $0 }).dropFirst() { #expect(try await task.value.count == 1) }
      tasks.withLock { $0 = [] }
    }
    remote.onCalls(nil)
  }

  @Test(arguments: StoreFault.Way.allCases)
  func `a fault of a group is an error of its appends, and the state in memory stays correct`(
    way: StoreFault.Way
  ) async throws {
    let results = try await together(
      [.add(4, id: "a"), .add(9, id: "b"), .add(5, id: "c")], fault: StoreFault(way: way))
    let calls = remote.takeCalls()
    if way == .answerLost {
      #expect(words(results) == ["unknownOutcome", "full", "unknownOutcome"])
      #expect(calls == [.append, .append, .read])
    } else {
      // The refusal was decided on events that don't exist, so the command is re-decided on the state in memory.
      let error = way == .busy ? "busy" : "unreachable"
      #expect(words(results) == [error, "2", error])
      #expect(calls == [.append, .append])
    }
    var again: [Result<Receipt, any Error>] = []
    for (amount, id) in [(4, "a"), (9, "b"), (5, "c")] {
      do { again.append(.success(try await remote.execute(amount, on: CoinPurse["a"], commandID: id))) } catch {
        again.append(.failure(error))
      }
    }
    #expect(
      words(again) == (way == .answerLost ? ["2 repeated", "full", "3 repeated"] : ["full", "2 repeated", "full"]))
  }

  @Test func `an error of a command's hook, or of its events, doesn't affect the other commands`() async throws {
    struct Stopped: Error {}
    let attempts = Mutex<[Int]>([])
    let environment = StoreEnvironment(hook: { step in
      guard case .willAppend(let attempt) = step else { return }
      let count = attempts.withLock { attempts in
        attempts.append(attempt)
        return attempts.count
      }
      if count == 3 { throw Stopped() }
    })
    let test = HotStreamTests(environment)
    let results = try await test.together([.add(1), .add(2), .add(3), .add(4)])
    #expect(results.map { (try? $0.get())?.position } == [2, nil, 3, 4])
    #expect(throws: Stopped.self) { try results[1].get() }
    #expect(attempts.withLock { $0 } == [1, 1, 1, 1, 1])
    #expect(try test.amounts() == [0, 1, 3, 4])
  }

  @Test func `a group contains at most 256 appends, and the commands keep their order`() async throws {
    let results = try await together(Array(repeating: .add(0), count: 600))
    #expect(words(results) == (2...601).map { "\($0)" })
    #expect(remote.takeCalls() == [.append, .append, .append])
  }

  @Test func `a group contains at most 4 MB of payload and one append`() async throws {
    struct Texts: Decider {
      func decide(_ text: String) -> [TextEvent] { [.written(text)] }
      mutating func evolve(_ event: TextEvent) {}
    }
    let (waits, isWaiting) = AsyncStream.makeStream(of: Void.self)
    let (release, isReleased) = AsyncStream.makeStream(of: Void.self)
    remote.onCalls { call, leg in
      guard call == .append, leg == .request else { return }
      isWaiting.yield()
      for await _ in release {}
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...10 {
        group.addTask { [remote] in
          try await remote.execute(String(repeating: "a", count: 1 << 20), on: Texts["a"])
        }
        if number == 1 { for await _ in waits { break } }
        while remote.commands.lastNumber(.stream(Texts.stream("a"))) < number { await Task.yield() }
      }
      isReleased.finish()
      try await group.waitForAll()
    }
    #expect(remote.takeCalls() == [.read, .append, .append, .append, .append])
  }

  @Test func `two deciders of one stream are decided on the same events, even if one's state in memory is older`()
    async throws
  {
    for hasState in [true, false] {
      let hall = hasState ? "a" : "b"
      try await remote.execute(.take(seat: 1, by: "ann"), on: FarHall[hall])
      if hasState { try await remote.execute(9, on: FarCount[hall]) }
      let (waits, isWaiting) = AsyncStream.makeStream(of: Void.self)
      let (release, isReleased) = AsyncStream.makeStream(of: Void.self)
      let isFirst = Once()
      remote.onCalls { call, leg in
        guard call == .append, leg == .request, isFirst.pass() else { return }
        isWaiting.yield()
        for await _ in release {}
      }
      let first = Task { [remote] in try await remote.execute(.free(seat: 1), on: FarHall[hall]) }
      for await _ in waits { break }
      var tasks: [Task<Receipt, any Error>] = []
      func add(_ body: @escaping @Sendable () async throws -> Receipt) async {
        tasks.append(Task { try await body() })
        let number = tasks.count + 1
        while remote.commands.lastNumber(.stream(FarHall.stream(hall))) < number { await Task.yield() }
      }
      _ = remote.takeCalls()
      await add { [remote] in try await remote.execute(.take(seat: 2, by: "bob"), on: FarHall[hall]) }
      // The stream has 3 events.
      await add { [remote] in try await remote.execute(3, on: FarCount[hall]) }
      await add { [remote] in try await remote.execute(.take(seat: 3, by: "bob"), on: FarHall[hall]) }
      await add { [remote] in try await remote.execute(4, on: FarCount[hall]) }
      await add { [remote] in try await remote.execute(5, on: FarCount[hall]) }
      isReleased.finish()
      _ = try await first.value
      var versions: [Int?] = []
      for task in tasks { versions.append((try? await task.value)?.versions[FarHall.stream(hall)]) }
      #expect(versions == [3, nil, 4, nil, 4], "\(hasState)")
      #expect(remote.takeCalls() == [.append, .read, .append])
      remote.onCalls(nil)
    }
  }

  @Test func `a state in memory isn't used if another decider has read newer events of the stream`() async throws {
    for isTransaction in [true, false] {
      let hall = "\(isTransaction)"
      try await remote.execute(.take(seat: 1, by: "ann"), on: FarHall[hall])
      // The state in memory of the first store doesn't contain this event.
      try await other.execute(.take(seat: 2, by: "ann"), on: FarHall[hall])
      if isTransaction {
        await #expect(throws: FarHall.Refused.self) {
          try await remote.transaction { transaction in
            try transaction.execute(9, on: FarCount[hall])
            try transaction.execute(.take(seat: 2, by: "bob"), on: FarHall[hall])
          }
        }
        continue
      }
      let (waits, isWaiting) = AsyncStream.makeStream(of: Void.self)
      let (release, isReleased) = AsyncStream.makeStream(of: Void.self)
      let isFirst = Once()
      remote.onCalls { call, leg in
        guard call == .read, leg == .response, isFirst.pass() else { return }
        isWaiting.yield()
        for await _ in release {}
      }
      let first = Task { [remote] in try await remote.execute(9, on: FarCount[hall]) }
      for await _ in waits { break }
      let second = Task { [remote] in try await remote.execute(.take(seat: 2, by: "bob"), on: FarHall[hall]) }
      while remote.commands.lastNumber(.stream(FarHall.stream(hall))) < 2 { await Task.yield() }
      isReleased.finish()
      #expect(try await first.value.count == 0)
      await #expect(throws: FarHall.Refused.self) { try await second.value }
      remote.onCalls(nil)
    }
  }

  @Test func `commands within a boundary, and commands of a store without groups, are committed one by one`()
    async throws
  {
    let stranger = StrangeStore(remote)
    let calls: [@Sendable () async throws -> Receipt] = [
      { [remote] in try await remote.execute(.free(seat: 1), on: .boundary(FarSeat.self)) },
      { try await stranger.execute(0, on: CoinPurse["b"]) },
    ]
    for call in calls {
      _ = try await call()
      _ = remote.takeCalls()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 1...20 { group.addTask { _ = try await call() } }
        try await group.waitForAll()
      }
      #expect(remote.takeCalls() == Array(repeating: .append, count: 20))
    }
  }
}

/// A remote store that implements only the public protocol.
private final class StrangeStore: RemoteEventStore {
  private let base: MemoryRemoteStore
  let commands = CommandMemory()
  var source: String { base.source }
  var environment: StoreEnvironment { base.environment }

  init(_ base: MemoryRemoteStore) { self.base = base }

  func commit(_ append: Append) async throws -> Receipt { try await base.commit(append) }
  func ask(_ questions: [LogQuery]) async throws -> LogResponse { try await base.ask(questions) }
}

private enum TextEvent: Event {
  case written(String)
}

/// A condition that is true once.
private final class Once: Sendable {
  private let isOpen = Mutex(true)
  func pass() -> Bool {
    isOpen.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
  }
}
