import Annals
import AnnalsLog
import Synchronization
import Testing

/// Deciders over a boundary of tags and types.
@Suite struct BoundaryTests {
  @Test func `a decider reads what lies inside the command's boundary, in whatever stream`() throws {
    let store = MemoryEventStore()
    try store.execute(.define(course: "c1", room: 2), on: .boundary(Enrolment.self))
    try store.execute(.define(course: "c2", room: 1), on: .boundary(Enrolment.self))
    try store.execute(.enrol(student: "s1", course: "c1"), on: .boundary(Enrolment.self))
    // The same event, appended to another stream.
    try store.append(
      Append(
        [
          NewEvent(
            type: "EnrolmentEnrolled", payload: #"{"student":"s2","course":"c1"}"#, tags: ["student:s2", "course:c1"])
        ], to: "elsewhere"))
    #expect(throws: Enrolment.Refusal.full) {
      try store.execute(.enrol(student: "s3", course: "c1"), on: .boundary(Enrolment.self))
    }
    #expect(throws: Enrolment.Refusal.enrolled) {
      try store.execute(.enrol(student: "s2", course: "c1"), on: .boundary(Enrolment.self))
    }
    let receipt = try store.execute(.enrol(student: "s3", course: "c2"), on: .boundary(Enrolment.self))
    #expect(receipt.position == 5)
    let last = store.events(.all, after: 4, through: nil, limit: 1)[0]
    #expect(last.stream == "Enrolment" && last.tags == ["student:s3", "course:c2"])
  }

  #if !os(iOS) && !os(tvOS) && !os(watchOS) && !os(visionOS)
    @Test func `the state of a boundary without a command ends the program with an explanation`() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = try MemoryEventStore().state(of: .boundary(Enrolment.self))
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("a boundary has no state without a command"), "\(text)")
    }
  #endif

  @Test func `a boundary decider also decides on its streams`() throws {
    let store = MemoryEventStore()
    try store.execute(.define(course: "c1", room: 1), on: Enrolment["a"])
    // The boundary contains the event, because it has the course's tag. The other stream doesn't.
    #expect(throws: Never.self) {
      try store.execute(.enrol(student: "s1", course: "c1"), on: .boundary(Enrolment.self))
    }
    #expect(store.version(of: "Enrolment-a") == 1)
    #expect(store.version(of: "Enrolment") == 1)
  }

  @Test func `an append inside the boundary leads to a new decision, and one outside does not`() throws {
    for (other, attempts) in [("c1", 2), ("c2", 1)] {
      let box = Mutex<MemoryEventStore?>(nil)
      let tries = Mutex(0)
      let hook: @Sendable (CommandStep) throws -> Void = { moment in
        guard case .willAppend(let attempt) = moment, let store = box.withLock({ $0 }) else { return }
        tries.withLock { $0 = attempt }
        guard attempt == 1 else { return }
        try store.append(
          Append(
            [
              NewEvent(
                type: "EnrolmentEnrolled", payload: #"{"student":"s9","course":"\#(other)"}"#,
                tags: ["student:s9", EventTag("course:\(other)")])
            ], to: "elsewhere"))
      }
      let store = MemoryEventStore(environment: StoreEnvironment(hook: hook))
      try store.execute(.define(course: "c1", room: 1), on: .boundary(Enrolment.self))
      try store.execute(.define(course: "c2", room: 1), on: .boundary(Enrolment.self))
      box.withLock { $0 = store }
      defer { box.withLock { $0 = nil } }
      let result = Result { try store.execute(.enrol(student: "s1", course: "c1"), on: .boundary(Enrolment.self)) }
      #expect(tries.withLock { $0 } == 1)
      switch result {
      case .success: #expect(other == "c2")
      case .failure(let error): #expect(other == "c1" && error as? Enrolment.Refusal == .full)
      }
      _ = attempts
    }
  }

  @Test func `the last place is taken once, by however many at a time`() async throws {
    let store = MemoryEventStore()
    try await store.execute(.define(course: "c", room: 5), on: .boundary(Enrolment.self))
    let taken = await withTaskGroup(of: Int.self) { group in
      for lane in 0..<8 {
        group.addTask {
          (0..<10).filter {
            (try? store.execute(.enrol(student: "s\(lane)-\($0)", course: "c"), on: .boundary(Enrolment.self))) != nil
          }.count
        }
      }
      return await group.reduce(0, +)
    }
    #expect(taken == 5 && store.head() == 6)
  }

  @Test func `commands of one transaction see each other, and its conditions hold together`() throws {
    let store = MemoryEventStore()
    try store.transaction { transaction in
      try transaction.execute(.define(course: "c", room: 1), on: .boundary(Enrolment.self))
      try transaction.execute(.enrol(student: "s", course: "c"), on: .boundary(Enrolment.self))
    }
    #expect(store.head() == 2)
    #expect(throws: Enrolment.Refusal.full) {
      try store.transaction { transaction in
        try transaction.execute(.define(course: "d", room: 1), on: .boundary(Enrolment.self))
        try transaction.execute(.enrol(student: "s", course: "d"), on: .boundary(Enrolment.self))
        try transaction.execute(.enrol(student: "t", course: "d"), on: .boundary(Enrolment.self))
      }
    }
    #expect(store.head() == 2)
  }

  @Test func `a command with an id is decided once, and says of its events what they belong to`() throws {
    let store = MemoryEventStore()
    let first = try store.execute(.define(course: "c", room: 1), on: .boundary(Enrolment.self), commandID: "k")
    #expect(try store.execute(.define(course: "c", room: 1), on: .boundary(Enrolment.self), commandID: "k") == first)
    #expect(throws: Enrolment.Refusal.defined) {
      try store.execute(.define(course: "c", room: 1), on: .boundary(Enrolment.self), commandID: "l")
    }
    #expect(store.receipt(ofCommand: "l") == nil)
    let runs = Mutex(0)
    for _ in 0..<2 {
      try store.transaction(commandID: "m") { transaction in
        runs.withLock { $0 += 1 }
        try transaction.execute(
          .enrol(student: "s", course: "c"), on: .boundary(Enrolment.self),
          metadata: .caused(by: store.events(.all, after: 0, through: nil, limit: 1)[0]))
      }
    }
    #expect(runs.withLock { $0 } == 1 && store.head() == 2)
    let events = store.events(.all, after: 0, through: nil, limit: 9)
    #expect(events[0].metadata == ["causationid": "k", "correlationid": "k"])
    #expect(events[1].metadata.correlation == "k")
    #expect(events[1].metadata.causation == events[0].id.id)
  }

  @Test func `the events of a log come as pages, live ones too, until the task is cancelled`() async throws {
    let store = MemoryEventStore()
    for number in 0..<10 { try await store.append(Append([NewEvent(type: "T", payload: "\(number)")], to: "s")) }
    let seen = Mutex<[(Int, Bool)]>([])
    let task = Task {
      for try await page in store.subscription(after: 2, batchSize: 3) {
        seen.withLock { $0 += page.events.map { ($0.position.rawValue, page.isLive) } }
      }
    }
    for number in 10..<20 {
      try await store.append(Append([NewEvent(type: "T", payload: "\(number)")], to: "s"))
      await Task.yield()
    }
    try await store.wait(for: 20)
    while seen.withLock({ $0.last?.0 }) != 20 { await Task.yield() }
    task.cancel()
    try await task.value
    #expect(seen.withLock { $0.map(\.0) } == Array(3...20))
    #expect(seen.withLock { $0.first?.1 == false && $0.last?.1 == true })
    let waiting = Task { try await store.wait(for: 99) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }
}

private enum EnrolmentEvent: Event {
  case defined(course: String, room: Int)
  case enrolled(student: String, course: String)

  var tags: Set<EventTag> {
    switch self {
    case .defined(let course, _): [EventTag("course:\(course)")]
    case .enrolled(let student, let course): [EventTag("student:\(student)"), EventTag("course:\(course)")]
    }
  }
}

private struct Enrolment: BoundaryDecider {
  enum Command {
    case define(course: String, room: Int)
    case enrol(student: String, course: String)
  }

  enum Refusal: Error, Equatable {
    case defined, unknown, full, enrolled
  }

  var rooms: [String: Int] = [:]
  var students: [String: Set<String>] = [:]

  static func boundary(for command: Command) -> EventQuery {
    switch command {
    case .define(let course, _): .tagged(EventTag("course:\(course)"))
    case .enrol(let student, let course):
      .tagged(EventTag("course:\(course)")) || .tagged(EventTag("student:\(student)"))
    }
  }

  func decide(_ command: Command) throws(Refusal) -> [EnrolmentEvent] {
    switch command {
    case .define(let course, let room):
      if rooms[course] != nil { throw .defined }
      return [.defined(course: course, room: room)]
    case .enrol(let student, let course):
      guard let room = rooms[course] else { throw .unknown }
      let present = students[course] ?? []
      if present.contains(student) { throw .enrolled }
      if present.count >= room { throw .full }
      return [.enrolled(student: student, course: course)]
    }
  }

  mutating func evolve(_ event: EnrolmentEvent) {
    switch event {
    case .defined(let course, let room): rooms[course] = room
    case .enrolled(let student, let course): students[course, default: []].insert(student)
    }
  }
}
