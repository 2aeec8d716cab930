import Annals
import AnnalsLog
import AnnalsTesting
import Disks
import Foundation
import Synchronization
import Testing

@testable import AnnalsSQLite

/// Removed streams: the bytes of the log's files, other openers of the log, and disks that fail.
@Suite struct StreamRemovalTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path("log") }
  private let spam = Comments.stream("17")

  init() throws { folder = try TemporaryFolder() }

  private func store() throws -> SQLiteEventStore { try SQLiteEventStore(path: path, durability: .process) }

  private func list(
    _ store: some EventStore, named name: String? = nil
  ) throws -> FetchedResultsController<Comment> {
    let list = FetchedResultsController(
      store: store, projection: CommentList(), request: ListRequest(sort: [.ascending(\.text)]), cacheName: name)
    try list.performFetch()
    return list
  }

  private func say(_ texts: [String], in stream: String, _ store: some EventStore, _ commandID: String? = nil) throws {
    let coder = try EventCoder<CommentEvent>()
    try store.append(
      Append(
        try texts.map { .init(stream: Comments.stream(stream), event: try coder.encode(.said($0))) },
        commandID: commandID))
  }

  private func removal(_ id: String = "17", expecting expected: ExpectedVersion = .any) -> Compaction {
    var removal = Compaction()
    removal.removeStream(Comments.stream(id), expecting: expected, allowing: ["CommentList"])
    removal.prove(CommentList())
    removal.prove(Comments.self)
    return removal
  }

  /// The files of the log that contain some bytes.
  private func files(with secret: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path("")).filter { name in
      try Data(contentsOf: URL(fileURLWithPath: folder.path(name))).range(of: Data(secret.utf8)) != nil
    }
  }

  @Test(arguments: [1, 500, 5_000, 70_000])
  func `none of the bytes of a removed stream's payloads is in any file of the log`(size: Int) throws {
    let secret = "SECRET-\(UUID().uuidString)"
    let long = String(repeating: secret, count: (size + secret.count - 1) / secret.count)
    let store = try store()
    for round in 0..<30 {
      try say(["\(long)-\(round)"], in: round % 2 == 0 ? "17" : "spare", store, "said-\(round)")
      // The odd texts are removed later, in a second removal.
      if round % 5 == 0 { try say(["fine \(round)"], in: "18", store) }
    }
    try list(store, named: "comments").saveCache()
    #expect(try store.execute("x \(secret)", on: KeptComments["17"]).count == 1)
    #expect(try store.state(of: KeptComments["17"]).texts.count == 16)
    let kept = try store.keepList(
      of: CommentList(), request: ListRequest(sort: [.ascending(\.text)]), cacheName: "inline")
    #expect(kept.results.rows.count == 37)
    #expect(try files(with: secret) != [])
    #expect(try store.compact(removal()).remnants == nil)
    #expect(kept.results.rows.count == 21)
    #expect(try store.compact(removal("spare")).remnants == nil)
    #expect(try files(with: secret) == [])
    #expect(try list(store).results.rows.map(\.text) == (0..<6).map { "fine \($0 * 5)" }.sorted())
    #expect(kept.results.rows.count == 6)
    let report = try store.verify()
    #expect(report.isSound(events: 6), "\(report.problems)")
    try say(["better"], in: "17", store, "said-0")
    store.close()
    #expect(try files(with: secret) == [])
    let reopened = try SQLiteEventStore(readingFrom: path)
    #expect(try reopened.version(of: spam) == 1 && reopened.verify().isSound(events: 7))
  }

  @Test func `another opener that knows a removed stream's version, state and list sees the new stream`() throws {
    let (mine, other) = (try store(), try store())
    for round in 0..<400 { try say(["text \(round)", "spam \(round)"], in: round % 2 == 0 ? "17" : "18", mine) }
    try list(mine, named: "comments").saveCache()
    let (live, shown) = (try list(other), try list(other, named: "comments"))
    #expect(shown.cacheReport.restored == 800)
    let mirrors = [MirrorDelegate(live.results), MirrorDelegate(shown.results)]
    live.delegate = mirrors[0]
    shown.delegate = mirrors[1]
    try other.execute("one", on: Comments["17"])
    try other.execute("one", on: KeptComments["18"])
    #expect(try other.state(of: Comments["17"]).texts.count == 401)
    try mine.compact(removal())
    for text in 0..<401 { try mine.execute("new \(text)", on: Comments["17"]) }
    // The new stream has the version that the other opener knows.
    #expect(try other.version(of: spam) == 401)
    #expect(try other.state(of: Comments["17"]).texts == (0..<401).map { "new \($0)" })
    try mine.compact(removal())
    let receipt = try other.execute("only", on: Comments["17", expecting: .doesNotExist])
    #expect(receipt.versions == [spam: 1])
    #expect(try mine.state(of: Comments["17"]).texts == ["only"])
    #expect(try mine.execute("next", on: Comments["17", expecting: .exact(1)]).versions == [spam: 2])
    let whole = try list(mine).results
    for (list, mirror) in zip([live, shown], mirrors) {
      list.refresh()
      #expect(list.results == whole && list.failure == nil)
      #expect(mirror.violations == [])
    }
    let report = try other.verify()
    #expect(report.isSound, "\(report.problems)")
  }

  @Test func `an append between the dry run and the removal is refused or removed too`() throws {
    let store = try store()
    try say(["a", "b"], in: "17", store)
    let planned = try store.rehearse(removal())
    #expect(planned.counts == [2, 0, 0])
    try say(["c"], in: "17", store)
    let error = #expect(throws: EventStoreError.self) { try store.compact(removal(expecting: .exact(2))) }
    #expect(error?.code == .versionConflict && error?.version == 3)
    #expect(try store.version(of: spam) == 3)
    #expect(try store.compact(removal()).counts == [3, 0, 0])
  }

  @Test func `appends and removals at the same time remove whole streams`() throws {
    let store = try store()
    let problems = Mutex<[String]>([])
    let appended = Mutex(0)
    let removed = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 3) { lane in
      do {
        let mine = lane == 0 ? store : try self.store()
        for round in 0..<40 {
          if lane == 0 {
            do {
              let receipt = try mine.compact(removal())
              removed.withLock { $0 += receipt.cut }
            } catch let error as CompactionError where error.code == .noStream {}
          } else {
            try say(["\(lane)-\(round)", "more"], in: "17", mine)
            appended.withLock { $0 += 2 }
          }
        }
      } catch {
        problems.withLock { $0.append("\(error)") }
      }
    }
    #expect(problems.withLock { $0 } == [])
    let versions = try store.events(.stream(spam), after: 0, through: nil, limit: 1_000).map(\.version)
    #expect(versions == versions.indices.map { $0 + 1 })
    #expect(try store.version(of: spam) == versions.count)
    #expect(removed.withLock { $0 } + versions.count == appended.withLock { $0 })
    let report = try store.verify()
    #expect(report.isSound, "\(report.problems)")
  }

  @Test func `a large stream is removed, and the log shrinks`() throws {
    let store = try store()
    for round in 0..<50 {
      try say((0..<1_000).map { "spam \(round) \($0)" }, in: "17", store, "spam-\(round)")
      try say(["fine \(round)"], in: "18", store)
    }
    let planned = try store.rehearse(removal())
    #expect(planned.references.count == 50_000)
    let receipt = try store.compact(removal(expecting: .exact(50_000)))
    #expect(receipt.counts == [50_000, 0, 50] && receipt.horizon == 50_049)
    #expect(receipt.bytesAfter ?? .max < (receipt.bytesBefore ?? 0) / 2)
    #expect(try store.receipt(ofCommand: "spam-49") == nil)
    let report = try store.verify()
    #expect(report.isSound(events: 50), "\(report.problems)")
  }

  /// A call of the disk that fails leaves the stream whole or removes the whole stream.
  @Test func `if any call of the disk fails, a removal is done completely or not at all`() throws {
    let beginning = try store()
    for round in 0..<20 { try say(["spam \(round)"], in: round % 2 == 0 ? "17" : "18", beginning, "said-\(round)") }
    try list(beginning, named: "comments").saveCache()
    beginning.close()
    let log = try Data(contentsOf: URL(fileURLWithPath: path))
    let disk = FaultyDisk()

    func check(_ store: SQLiteEventStore, _ plan: FaultyDisk.Plan?) throws -> Bool {
      let left = try store.events(.all, after: 0, through: nil, limit: 100)
      let isRemoved = left.count == 10
      #expect(isRemoved || left.count == 20, "\(plan as Any): \(left.count) events")
      #expect(try store.version(of: spam) == (isRemoved ? 0 : 10), "\(plan as Any)")
      for round in stride(from: 0, to: 20, by: 2) {
        #expect(try (store.receipt(ofCommand: "said-\(round)") == nil) == isRemoved, "\(plan as Any)")
      }
      #expect(try list(store, named: "comments").results.rows.count == left.count, "\(plan as Any)")
      let report = try store.verify()
      #expect(report.isSound, "\(plan as Any): \(report.problems)")
      return isRemoved
    }

    /// Removes the stream on a disk, and returns whether the call succeeded.
    func attempt(_ plan: FaultyDisk.Plan?) throws -> (calls: [FileCall], isRemoved: Bool) {
      let place = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try WatchedFiles.watch(place, by: disk)
      defer {
        WatchedFiles.forget(place)
        try? FileManager.default.removeItem(at: place)
      }
      let path = place.appending(path: "log").path
      try log.write(to: URL(fileURLWithPath: path))
      let store = try SQLiteEventStore(
        path: path, durability: .power, patience: .milliseconds(2), observesExternalWriters: false)
      disk.begin(plan)
      let receipt = try? store.compact(removal())
      let calls = disk.calls
      // Another process that opens the files now finds the log before or after the removal.
      let copy = try TemporaryFolder()
      for end in ["", "-wal"] {
        let bytes = try? Data(contentsOf: URL(fileURLWithPath: path + end))
        try bytes?.write(to: URL(fileURLWithPath: copy.path("log" + end)))
      }
      disk.mend()
      let found = try SQLiteEventStore(
        path: copy.path("log"), durability: .process, observesExternalWriters: false)
      let isRemoved = try check(found, plan)
      found.close()
      if receipt != nil { #expect(isRemoved, "\(plan as Any)") }
      let done = try check(store, plan)
      if !done { try store.compact(removal()) }
      #expect(try check(store, plan))
      try say(["new"], in: "17", store, "said-0")
      #expect(try store.version(of: spam) == 1)
      store.close()
      return (calls, done)
    }
    let calls = try attempt(nil).calls
    let plans = FaultyDisk.Plan.all(for: calls)
    var outcomes: Set<Bool> = []
    for (number, plan) in plans.enumerated() where number % max(1, plans.count / 60) == 0 {
      outcomes.insert(try attempt(plan).isRemoved)
    }
    #expect(outcomes == [true, false])
  }

  @Test func `a backup still contains the stream, and the stream's events can't return from it`() throws {
    let store = try store()
    try say(["a"], in: "17", store)
    try say(["b"], in: "18", store)
    try store.backUp(to: folder.path("copy"))
    try store.compact(removal())
    let copy = try SQLiteEventStore(path: folder.path("copy"), durability: .process)
    #expect(try copy.version(of: spam) == 1 && copy.verify().isSound(events: 2))
    let old = try #require(try copy.events(.stream(spam), after: 0, through: nil, limit: 1).first)
    let copied = NewEvent(type: old.type, schema: old.schema, payload: old.payload, id: old.id)
    let error = #expect(throws: EventStoreError.self) { try store.append(Append([copied], to: spam)) }
    #expect(error?.code == .duplicateEvent && error?.position == 1)
    #expect(try store.version(of: spam) == 0)
  }

  #if os(macOS) || os(Linux)
    @Test func `a process that is killed while it removes streams leaves each stream whole or removed`() throws {
      _ = try store()
      var states: Set<Int> = []
      for _ in 0..<25 {
        let child = try ChildProcess("removals", path, "2", "1000000")
        _ = child.firstWords()
        usleep(UInt32.random(in: 0...60_000))
        child.kill()
        let (_, talk, _) = child.finish()
        #expect(talk == "")
        let store = try store()
        let report = try store.verify()
        #expect(report.isSound, "\(report.problems)")
        let events = try store.events(.all, after: 0, through: nil, limit: 10_000)
        for (stream, found) in Dictionary(grouping: events, by: \.stream) {
          #expect(try found.map(\.version) == [1, 2, 3] && store.version(of: stream) == 3)
        }
        states.insert(try store.statistics().compacted.count)
      }
      #expect(states.count > 1)
    }
  #endif
}

private enum CommentEvent: Event {
  case said(String)
}

private struct Comment: Row {
  let id: String
  let text: String
}

private struct CommentList: Projection {
  func project(_ recorded: Recorded<CommentEvent>, into rows: inout Rows<Comment>) {
    guard case .said(let text) = recorded.event else { return }
    rows.insert(Comment(id: "\(recorded.position)", text: text))
  }
}

private struct Comments: Decider, Equatable {
  static var category: String { "Comments" }
  var texts: [String] = []

  func decide(_ command: String) -> [CommentEvent] { [.said(command)] }

  mutating func evolve(_ event: CommentEvent) {
    if case .said(let text) = event { texts.append(text) }
  }
}

/// The same with a state that is saved.
private struct KeptComments: SnapshotDecider, Equatable {
  static var category: String { Comments.category }
  static var snapshotInterval: Int { 5 }
  var texts: [String] = []

  func decide(_ command: String) -> [CommentEvent] { [.said(command)] }

  mutating func evolve(_ event: CommentEvent) {
    if case .said(let text) = event { texts.append(text) }
  }
}
