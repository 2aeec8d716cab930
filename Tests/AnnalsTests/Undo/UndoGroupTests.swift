import Annals
import AnnalsLog
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Synchronization
import Testing

/// The commands of one group within a time are one step, and only the log knows the group.
@Suite struct UndoGroupTests {
  private let clock = GroupClock()

  private func store() -> any EventStore { MemoryEventStore(environment: StoreEnvironment(now: clock.now)) }

  private func history(_ store: any EventStore, _ actor: String = "ann") -> UndoHistory {
    UndoHistory(store, of: actor, deciders: [Drawer.self])
  }

  @Test func `a group ends when more time than its interval has passed`() throws {
    let store = store()
    let ann = history(store)
    func type(_ amount: Int) throws {
      try ann.execute(.count(amount), on: Drawer["1"], named: "\(amount)", in: "total", within: .seconds(2))
    }
    try type(1)
    clock.advance(by: 2)
    try type(2)
    // Each command extends the group.
    clock.advance(by: 2)
    try type(3)
    clock.advance(by: 2.001)
    try type(4)
    #expect(try ann.stacks().undo.map(\.count) == [3, 1] && ann.stacks().undo.map(\.title) == ["1", "4"])
    // The clock is set back: the next command is too far from the last one.
    clock.advance(by: -10)
    try type(5)
    #expect(try ann.stacks().undo.map(\.count) == [3, 1, 1])
    // Without an interval, any time is within the group.
    clock.advance(by: 100_000)
    try ann.execute(.count(6), on: Drawer["1"], in: "total")
    #expect(try ann.stacks().undo.map(\.count) == [3, 1, 2])
    for total in [10, 6, 0] {
      try ann.undo()
      #expect(try store.state(of: Drawer["1"]).total == total)
    }
    for total in [6, 10, 21] {
      try ann.redo()
      #expect(try store.state(of: Drawer["1"]).total == total)
    }
  }

  @Test func `another group, another step, an undo and a redo end a group`() throws {
    let store = store()
    let ann = history(store)
    func type(_ group: String?) throws { try ann.execute(.count(1), on: Drawer["1"], in: group) }
    try type("a")
    try type("b")
    try type("a")
    try type(nil)
    try type("a")
    #expect(try ann.stacks().undo.map(\.count) == [1, 1, 1, 1, 1])
    try ann.undo()
    try type("a")
    try type("a")
    #expect(try ann.stacks().undo.map(\.count) == [1, 1, 1, 1, 2] && ann.stacks().redo.isEmpty)
    // After an undo of a later step, the group's own step is the last step, but it isn't continued.
    try type(nil)
    try ann.undo()
    try type("a")
    #expect(try ann.stacks().undo.map(\.count) == [1, 1, 1, 1, 2, 1])
    try ann.undo()
    try ann.redo()
    try type("a")
    #expect(try ann.stacks().undo.map(\.count) == [1, 1, 1, 1, 2, 1, 1])
  }

  @Test func `a group's transaction adds all its commands, and keys are compared exactly`() async throws {
    let store = store()
    let ann = history(store)
    try await ann.execute(.count(1), on: Drawer["1"], in: "caf\u{e9}")
    try await ann.transaction(in: "caf\u{e9}") { transaction in
      try transaction.execute(.count(2), on: Drawer["1"])
      try transaction.execute(.put(1, "pen"), on: Drawer["2"])
    }
    try await ann.execute(.count(4), on: Drawer["1"], in: "caf\u{e9}", within: .zero)
    try await ann.execute(.count(8), on: Drawer["1"], in: "cafe\u{301}", within: .zero)
    #expect(try ann.stacks().undo.map(\.count) == [4, 1])
    try await ann.undo()
    try await ann.undo()
    #expect(try await store.state(of: Drawer["1"]) == Drawer())
    #expect(try await store.state(of: Drawer["2"]) == Drawer())
  }

  @Test func `a group doesn't continue a step that another window undoes at the same time`() throws {
    let other = Mutex<UndoHistory?>(nil)
    let hook: @Sendable (CommandStep) throws -> Void = { step in
      guard case .didRead = step, let other = other.withLock({ $0.take() }) else { return }
      try other.undo()
    }
    let store: any EventStore = MemoryEventStore(environment: StoreEnvironment(hook: hook))
    let ann = history(store)
    try ann.execute(.count(1), on: Drawer["1"], in: "total")
    other.withLock { $0 = history(store) }
    try ann.execute(.count(2), on: Drawer["2"], in: "total")
    #expect(try ann.stacks().undo.map(\.count) == [1] && history(store).stacks().redo.isEmpty)
    let steps = try store.events(.all, after: 0, through: nil, limit: 9).map { $0.metadata["undostep"] }
    #expect(Set(steps).count == 3)
  }

  @Test func `a draft keeps its groups when it is merged`() throws {
    let store = store()
    let draft = try store.branch()
    let form = history(draft)
    for amount in 1...3 { try form.execute(.count(amount), on: Drawer["1"], in: "total", within: .seconds(1)) }
    #expect(try form.stacks().undo.map(\.count) == [3] && draft.commands.count == 3)
    try draft.merge()
    let ann = history(store)
    try ann.execute(.count(4), on: Drawer["1"], in: "total", within: .seconds(1))
    #expect(try ann.stacks().undo.map(\.count) == [4])
    try ann.undo()
    #expect(try store.state(of: Drawer["1"]).total == 0)
  }

  /// Two users with two groups each, in two windows, with pauses and restarts, compared with plain stacks.
  @Test(arguments: [false, true])
  func `the steps are those of a model, over restarts and with other users in between`(isFile: Bool) throws {
    let settings = CheckSettings(examples: isFile ? 40 : 200)
    let report = try check(.array(of: .int(in: 0...99_999), count: 1...40), settings: settings) { numbers in
      let system = try GroupSystem(isFile: isFile, clock)
      defer { system.remove() }
      var model: [String: GroupModel] = ["ann": GroupModel(), "bob": GroupModel()]
      var total = 0
      for number in numbers {
        let actor = number / 10 % 2 == 0 ? "ann" : "bob"
        guard var own = model[actor] else { continue }
        let window = system.window(actor, number / 20 % 2)
        switch number % 10 {
        case 0...4:
          let group = [nil, "a", "b", "a"][number / 40 % 4]
          let interval: Int? = [nil, 0, 2][number / 200 % 3]
          let isContinued = own.execute(group, within: interval, at: system.clock.seconds)
          if isContinued { tally("continued") }
          try window.execute(.count(1), on: Drawer["1"], in: group, within: interval.map { .seconds($0) })
          total += 1
        case 5, 6: system.clock.advance(by: Double(number / 40 % 4))
        case 7:
          if let count = own.reverse(isRedo: false) {
            try window.undo()
            total -= count
          } else {
            try ensure((try? window.undo()) == nil)
          }
        case 8:
          if let count = own.reverse(isRedo: true) {
            try window.redo()
            total += count
          } else {
            try ensure((try? window.redo()) == nil)
          }
        default:
          try system.restart()
          tally("restart")
        }
        model[actor] = own
        for (actor, own) in model {
          let stacks = try system.window(actor, 0).stacks()
          try ensureEqual(stacks.undo.map(\.count), own.undo.map(\.count))
          try ensureEqual(stacks.redo.map(\.count), own.redo)
        }
        try ensureEqual(system.store.state(of: Drawer["1"]).total, total)
      }
    }
    #expect(report.occurrences["continued"] ?? 0 > 0 && report.occurrences["restart"] ?? 0 > 0)
  }
}

/// The steps of one actor.
private struct GroupModel {
  struct Step {
    var count: Int
    /// The key and the time of the last command, or nil for a step without a group, and for a redo.
    var group: (key: String, time: Double)?
  }

  var undo: [Step] = []
  var redo: [Int] = []

  /// Returns whether the command continues the last step.
  mutating func execute(_ group: String?, within interval: Int?, at time: Double) -> Bool {
    defer { redo = [] }
    if redo.isEmpty, let last = undo.last, let known = last.group, known.key == group,
      interval.map({ time - known.time <= Double($0) }) ?? true
    {
      undo[undo.count - 1] = Step(count: last.count + 1, group: (known.key, time))
      return true
    }
    undo.append(Step(count: 1, group: group.map { ($0, time) }))
    return false
  }

  /// Returns the number of reversed commands, or nil without a step.
  mutating func reverse(isRedo: Bool) -> Int? {
    if isRedo {
      guard let count = redo.popLast() else { return nil }
      undo.append(Step(count: count, group: nil))
      return count
    }
    guard let step = undo.popLast() else { return nil }
    redo.append(step.count)
    return step.count
  }
}

private final class GroupSystem {
  let clock: GroupClock
  private(set) var store: any EventStore
  private let folder: URL?
  private var windows: [String: [UndoHistory]] = [:]

  init(isFile: Bool, _ clock: GroupClock) throws {
    self.clock = clock
    let environment = StoreEnvironment(now: clock.now)
    if isFile {
      let folder = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      self.folder = folder
      store = try SQLiteEventStore(
        path: folder.appending(path: "log").path, durability: .process, environment: environment)
    } else {
      folder = nil
      store = MemoryEventStore(environment: environment)
    }
    open()
  }

  private func open() {
    for actor in ["ann", "bob"] {
      windows[actor] = (0..<2).map { _ in UndoHistory(store, of: actor, deciders: [Drawer.self]) }
    }
  }

  func window(_ actor: String, _ index: Int) -> UndoHistory {
    guard let window = windows[actor]?[index] else { preconditionFailure("there is no window of \(actor)") }
    return window
  }

  func restart() throws {
    if let folder {
      (store as? SQLiteEventStore)?.close()
      store = try SQLiteEventStore(
        path: folder.appending(path: "log").path, durability: .process, environment: StoreEnvironment(now: clock.now))
    }
    open()
  }

  func remove() {
    guard let folder else { return }
    (store as? SQLiteEventStore)?.close()
    try? FileManager.default.removeItem(at: folder)
  }
}

/// A clock that a test sets.
private final class GroupClock: Sendable {
  private let time = Mutex(Date(timeIntervalSince1970: 1_000_000))

  var now: @Sendable () -> Date { { self.time.withLock { $0 } } }
  var seconds: Double { time.withLock { $0.timeIntervalSince1970 } }

  func advance(by seconds: Double) { time.withLock { $0 += seconds } }
}
