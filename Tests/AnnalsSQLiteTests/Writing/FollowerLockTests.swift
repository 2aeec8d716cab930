import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Synchronization
import Testing

@testable import AnnalsSQLite

/// Followers of a log in a file, which several stores and processes run.
@Suite final class FollowerLockTests: Sendable {
  private enum MailEvent: Event {
    static let typePrefix = "Mail"
    case wanted(Int)
  }

  private let folder: TemporaryFolder
  private var path: String { folder.path("log") }
  private let handled = Mutex<[Position]>([])

  init() throws { folder = try TemporaryFolder() }

  private func follower(
    in store: SQLiteEventStore, during: @escaping @Sendable (Position) async throws -> Void = { _ in }
  ) throws -> EventFollower<MailEvent> {
    try EventFollower("mailer", of: MailEvent.self, in: store, startingAt: .beginning) { [self] recorded, _ in
      handled.withLock { $0.append(recorded.position) }
      try await during(recorded.position)
    }
  }

  /// Runs a follower, and returns when its code handles the second event, which waits for a signal.
  private func running(
    in store: SQLiteEventStore, stoppedBy signal: AsyncStream<Void>
  ) async throws -> (EventFollower<MailEvent>, Task<Void, any Error>) {
    let begun = AsyncStream.makeStream(of: Void.self)
    let mailer = try follower(in: store) { position in
      guard position == 2 else { return }
      begun.continuation.yield()
      for await _ in signal { break }
    }
    let running = Task { try await mailer.run() }
    for await _ in begun.stream { break }
    return (mailer, running)
  }

  private func want(_ numbers: Range<Int>, in store: SQLiteEventStore) throws {
    for number in numbers { try store.append([MailEvent.wanted(number)], to: "mails") }
  }

  @Test func `several stores on one file run a follower, and each event is handled once`() async throws {
    let stores = try (0..<3).map { _ in try SQLiteEventStore(path: path, durability: .process) }
    let tasks = try stores.map { store in
      let mailer = try follower(in: store) { _ in await Task.yield() }
      return Task { try await mailer.run() }
    }
    for number in 0..<30 { try want(number..<number + 1, in: stores[number % 3]) }
    while handled.withLock({ $0.count < 30 }) { await Task.yield() }
    for task in tasks { task.cancel() }
    for task in tasks { try await task.value }
    #expect(handled.withLock { $0 } == (1...30).map { Position($0) })
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("")).filter { $0.contains("follower") } == [])
  }

  @Test func `a follower's name can have any characters and any length`() throws {
    let store = try SQLiteEventStore(path: path)
    let checkpoints = try #require(store.checkpoints)
    for name in ["", "../mailer", "a/b", "\u{0}", "é", String(repeating: "mailer", count: 1_000)] {
      let claim = try checkpoints.claim(follower: name)
      #expect(throws: EventStoreError.self) { try checkpoints.claim(follower: name) }
      claim.release()
    }
  }

  @Test func `a claim on a file that its last holder just removed excludes nobody, so it is taken anew`() throws {
    let store = try SQLiteEventStore(path: path)
    let checkpoints = try #require(store.checkpoints)
    let running = Mutex(0)
    let overlaps = Mutex(0)
    onThreads(4) { _ in
      var count = 0
      while count < 500 {
        guard let claim = try? checkpoints.claim(follower: "mailer") else { continue }
        count += 1
        let others = running.withLock { running in
          running += 1
          return running - 1
        }
        FileSystem.yield()
        if others > 0 { overlaps.withLock { $0 += 1 } }
        running.withLock { $0 -= 1 }
        claim.release()
      }
    }
    #expect(overlaps.withLock { $0 } == 0)
  }

  @Test func `a reader and a closed store claim no follower`() throws {
    let store = try SQLiteEventStore(path: path)
    let checkpoints = try #require(store.checkpoints)
    let claim = try checkpoints.claim(follower: "mailer")
    let reader = try #require(SQLiteEventStore(readingFrom: path).checkpoints)
    #expect(throws: EventStoreError(.readOnly, "")) {
      do { _ = try reader.claim(follower: "mailer") } catch let error as EventStoreError {
        throw EventStoreError(error.code, "")
      }
    }
    store.close()
    #expect(!claim.isHeld)
    let error = #expect(throws: EventStoreError.self) { try checkpoints.claim(follower: "mailer") }
    #expect(error?.code == .closed)
  }

  @Test func `a lock file that a killed process left is used by the next runner`() throws {
    let store = try SQLiteEventStore(path: path)
    let checkpoints = try #require(store.checkpoints)
    let claim = try checkpoints.claim(follower: "mailer")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("")).filter {
      $0.contains("-follower-")
    }
    #expect(names.count == 1)
    let file = folder.path(names[0])
    #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("\(getpid()) ("))
    #expect(FileSystem.status(file)?.mode == FileSystem.status(path)?.mode)
    claim.release()
    #expect(FileSystem.status(file) == nil)
    try "4000000 (gone) with a longer note than the next one has".write(toFile: file, atomically: true, encoding: .utf8)
    let next = try checkpoints.claim(follower: "mailer")
    #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("\(getpid()) ("))
    #expect(try !String(contentsOfFile: file, encoding: .utf8).contains("gone"))
    next.release()
  }

  @Test func `a suspended store has no claim, and claims the follower when it is resumed`() async throws {
    let (store, other) = (try SQLiteEventStore(path: path), try SQLiteEventStore(path: path))
    try want(0..<3, in: store)
    let resumed = AsyncStream.makeStream(of: Void.self)
    let (mailer, running) = try await running(in: store, stoppedBy: resumed.stream)
    let checkpoints = try #require(other.checkpoints)
    #expect(throws: EventStoreError.self) { try checkpoints.claim(follower: "mailer") }
    store.suspend()
    let claim = try checkpoints.claim(follower: "mailer")
    store.resume()
    claim.release()
    resumed.continuation.yield()
    while handled.withLock({ $0.count < 3 }) { await Task.yield() }
    running.cancel()
    try await running.value
    #expect(handled.withLock { $0 } == [1, 2, 3])
    #expect(try mailer.position == 3)
  }

  @Test func `an event that another store handles during a suspension is reported`() async throws {
    let reports = Mutex<[String]>([])
    let store = try SQLiteEventStore(
      path: path,
      environment: StoreEnvironment(report: { report in reports.withLock { $0.append("\(report.error)") } }))
    let other = try SQLiteEventStore(path: path)
    try want(0..<3, in: store)
    let resumed = AsyncStream.makeStream(of: Void.self)
    let (_, running) = try await running(in: store, stoppedBy: resumed.stream)
    store.suspend()
    let others = Mutex<[Position]>([])
    let second = try EventFollower("mailer", of: MailEvent.self, in: other, startingAt: .beginning) { recorded, _ in
      others.withLock { $0.append(recorded.position) }
    }
    #expect(try await second.catchUp() == 3)
    #expect(others.withLock { $0 } == [2, 3])
    store.resume()
    resumed.continuation.yield()
    while reports.withLock({ $0.isEmpty }) { await Task.yield() }
    running.cancel()
    try await running.value
    #expect(handled.withLock { $0 } == [1, 2])
    #expect(reports.withLock { $0.count == 1 && $0[0].contains("up to position 2") && $0[0].contains("found 3") })
  }

  @Test func `events that another store handles between two events of a suspended store are not handled twice`() throws
  {
    let (store, other) = (try SQLiteEventStore(path: path), try SQLiteEventStore(path: path))
    try store.append((1...600).map { MailEvent.wanted($0) }, to: "mails")
    let counts = Mutex([0, 0])
    let (mailer, second) = (
      try EventFollower("mailer", of: MailEvent.self, in: store, startingAt: .beginning) { _, _ in
        counts.withLock { $0[0] += 1 }
      },
      try EventFollower("mailer", of: MailEvent.self, in: other, startingAt: .beginning) { _, _ in
        counts.withLock { $0[1] += 1 }
      }
    )
    var isFirst = true
    let end = try mailer.catchUp { _ in
      guard isFirst else { return }
      isFirst = false
      store.suspend()
      let reached = try second.catchUp()
      #expect(reached == 600)
      store.resume()
    }
    #expect(end == 600)
    #expect(counts.withLock { $0[0] > 0 && $0[1] > 0 && $0[0] + $0[1] == 600 })
  }

  #if os(macOS) || os(Linux)
    @Test func `another process takes over a killed process's follower, and an error names that process`() async throws
    {
      let store = try SQLiteEventStore(path: path)
      try want(0..<3, in: store)
      let child = try ChildProcess("mail", path, "1", "2")
      // The child handles the second event for ever.
      #expect(child.wait(for: "2\n"))
      let checkpoints = try #require(store.checkpoints)
      let error = #expect(throws: EventStoreError.self) { try checkpoints.claim(follower: "mailer") }
      #expect(error?.code == .followerBusy)
      #expect(error?.message.contains("already running in process ") == true)
      #expect(error?.message.contains("(StoreChild)") == true)
      child.kill()
      _ = child.finish()
      #expect(try await follower(in: store).catchUp() == 3)
      // The position of the second event wasn't saved.
      #expect(handled.withLock { $0 } == [2, 3])
    }

    @Test func `three processes share a follower's events`() async throws {
      let store = try SQLiteEventStore(path: path, durability: .process)
      let children = try (0..<2).map { _ in try ChildProcess("mail", path, "1", "0") }
      let mailer = try follower(in: store)
      let running = Task { try await mailer.run() }
      for number in 0..<200 {
        try want(number..<number + 1, in: store)
        await Task.yield()
      }
      while try mailer.position < 200 { await Task.yield() }
      // The claim can't be taken before the last turn's position is saved.
      while (try? #require(store.checkpoints).claim(follower: "mailer").release()) == nil { await Task.yield() }
      running.cancel()
      try await running.value
      for child in children { child.kill() }
      let others = children.flatMap { $0.finish().lines.compactMap { Int($0) } }
      #expect((handled.withLock { $0.map(\.rawValue) } + others).sorted() == Array(1...200))
    }
  #endif
}
