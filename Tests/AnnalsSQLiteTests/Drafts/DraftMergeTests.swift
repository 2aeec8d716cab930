import Annals
import AnnalsLog
import AnnalsSQLite
import Disks
import Foundation
import Synchronization
import Testing

/// A kept draft and its merge, while other programs have the draft open, and with a kill at every write.
@Suite struct DraftMergeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Changes that another program makes to the draft while it is merged.
  private static let others: [(name: String, act: @Sendable (any EventStore, Branch) throws -> Void)] = [
    ("adds a command", { _, draft in try draft.execute(.note(8, nil), on: Pad["1"]) }),
    ("drops a command", { _, draft in try draft.drop(draft.commands[0]) }),
    ("reorders commands", { _, draft in try draft.reorder(draft.commands.reversed()) }),
    ("merges it", { _, draft in try draft.merge() }),
    ("merges it under an id", { _, draft in try draft.merge(commandID: "theirs") }),
    ("discards it", { _, draft in draft.discard() }),
    ("erases a subject of it", { store, _ in try store.erase(subject: "ann") }),
    ("appends to its stream", { store, _ in try store.execute(.note(16, nil), on: Pad["1"]) }),
    ("appends to another stream", { store, _ in try store.execute(.note(16, nil), on: Pad["2"]) }),
  ]

  /// Two openers of one log: one store in memory, or two stores of one file.
  ///
  /// The hook belongs to the first.
  private func openers(
    _ kind: String, _ name: String, hook: @escaping @Sendable (CommandStep) throws -> Void
  ) throws -> (mine: any EventStore, theirs: any EventStore) {
    let environment = StoreEnvironment(hook: hook)
    if kind == "memory" {
      let store = MemoryEventStore(environment: environment)
      return (store, store)
    }
    let path = folder.path(name)
    return (
      try SQLiteEventStore(path: path, durability: .process, environment: environment),
      try SQLiteEventStore(path: path, durability: .process)
    )
  }

  private static func open(_ store: any EventStore) throws -> Branch {
    try store.draft(named: "form", deciders: .of(Pad.self))
  }

  /// The amounts in the log, and the amounts in the kept draft.
  private static func amounts(_ store: any EventStore) throws -> (log: [Int], draft: [Int]) {
    let log = try store.events(of: PadEvent.self).map(\.event.amount)
    let draft = try open(store)
    let all = try draft.events(of: PadEvent.self).map(\.event.amount)
    return (log.sorted(), Array(all.dropFirst(log.count)).sorted())
  }

  @Test(arguments: ["memory", "file"], [nil, "mine"] as [String?])
  func `a change of a draft while it is merged is before the merge or after it`(kind: String, id: String?) throws {
    for (number, (name, act)) in Self.others.enumerated() {
      let action = Mutex<(@Sendable () throws -> Void)?>(nil)
      let (mine, theirs) = try openers(kind, "log \(number) \(id ?? "-")") { moment in
        guard case .willAppend = moment, let body = action.withLock({ $0.take() }) else { return }
        try body()
      }
      let draft = try Self.open(mine)
      try draft.execute(.note(1, Personal("Ann", of: "ann")), on: Pad["1"])
      try draft.execute(.note(2, nil), on: Pad["1"])
      let other = try Self.open(theirs)
      let hasActed = Mutex(false)
      action.withLock {
        $0 = {
          try act(theirs, other)
          hasActed.withLock { $0 = true }
        }
      }
      let merged = Result { try draft.merge(commandID: id) }
      #expect(hasActed.withLock { $0 }, "\(name): \(merged)")
      let (log, rest) = try Self.amounts(mine)
      // Every acknowledged command is in the log or in the draft, once.
      switch name {
      case "adds a command":
        #expect(merged.code == .closed && log == [] && rest == [1, 2, 8], "\(name): \(log) \(rest)")
        #expect(try other.merge(commandID: id).count == 3)
      case "drops a command":
        #expect(merged.code == .closed && log == [] && rest == [2], "\(name): \(log) \(rest)")
      case "reorders commands":
        #expect(merged.code == .closed && log == [] && rest == [1, 2], "\(name): \(log) \(rest)")
      case "merges it", "merges it under an id":
        #expect(try merged.get().isRepeated && log == [1, 2] && rest == [], "\(name): \(log) \(rest)")
      case "discards it":
        #expect(merged.code == .closed && log == [] && rest == [], "\(name): \(log) \(rest)")
      case "erases a subject of it":
        #expect(merged.code == .closed && log == [] && rest == [2], "\(name): \(log) \(rest)")
        #expect(throws: Branch.MergeError.self) { try draft.merge(commandID: id) }
        try draft.drop(draft.commands[0])
        #expect(try draft.merge(commandID: id).count == 1)
        #expect(try mine.events(.all, after: 0, through: nil, limit: 9).map(\.payload) == [#"{"amount":2}"#])
      default:
        #expect(try merged.get().count == 2 && log == [1, 2, 16] && rest == [], "\(name): \(log) \(rest)")
      }
      for case let store as SQLiteEventStore in [mine, theirs] { store.close() }
    }
  }

  @Test(arguments: ["memory", "file"])
  func `of commands on a draft and its merges by two openers none is lost or done twice`(kind: String) throws {
    for round in 0..<60 {
      let (mine, theirs) = try openers(kind, "log \(round)") { _ in }
      let first = try Self.open(mine)
      try first.execute(.note(1, nil), on: Pad["1"])
      let second = try Self.open(theirs)
      let acknowledged = Mutex<[Int]>([1])
      let problems = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 2) { lane in
        do {
          if lane == 0 {
            for amount in 0..<(round % 4) + 1 {
              try second.execute(.note(1 << (amount + 1), nil), on: Pad["1"])
              acknowledged.withLock { $0.append(1 << (amount + 1)) }
            }
          } else {
            try first.merge(commandID: round.isMultiple(of: 2) ? "own" : nil)
          }
        } catch let error as EventStoreError where error.code == .closed {
          // One of the two was too late, and gets the error.
        } catch { problems.withLock { $0.append("\(error)") } }
      }
      #expect(problems.withLock { $0 } == [])
      let again = Result { try second.merge() }
      let (log, rest) = try Self.amounts(mine)
      let all = acknowledged.withLock { $0 }
      #expect((log + rest).sorted() == all.sorted(), "\(log), \(rest), \(all), \(again)")
      if (try? again.get()) != nil { #expect(rest.isEmpty) }
      for case let store as SQLiteEventStore in [mine, theirs] { store.close() }
    }
  }

  @Test(arguments: [nil, "own"] as [String?])
  func `a draft whose merge is killed at any write is merged, or is as it was`(id: String?) throws {
    let place = URL(fileURLWithPath: folder.path("log")).deletingLastPathComponent()
    let watcher = KillPoints(place)
    try WatchedFiles.watch(place, by: watcher)
    defer { WatchedFiles.forget(place) }
    let store = try SQLiteEventStore(path: folder.path("log"), durability: .power)
    try store.execute(.note(32, nil), on: Pad["1"], commandID: "before")
    let draft = try Self.open(store)
    try draft.execute(.note(1, nil), on: Pad["1"])
    try draft.execute(.note(2, nil), on: Pad["2"])
    watcher.isArmed.withLock { $0 = true }
    #expect(try draft.merge(commandID: id).count == 2)
    watcher.isArmed.withLock { $0 = false }
    store.close()
    let copies = watcher.copies.withLock { $0 }
    var (merged, kept) = (0, 0)
    for copy in copies {
      let store = try SQLiteEventStore(path: copy.appending(path: "log").path, durability: .process)
      let (log, rest) = try Self.amounts(store)
      #expect((log, rest) == ([32], [1, 2]) || (log, rest) == ([1, 2, 32], []), "\(log) \(rest)")
      #expect(try store.savedDrafts().count == (rest.isEmpty ? 0 : 1))
      if rest.isEmpty { merged += 1 } else { kept += 1 }
      let next = try Self.open(store)
      try next.execute(.note(4, nil), on: Pad["1"])
      if rest.isEmpty, let id {
        // The id belongs to the draft that was merged. The next draft isn't taken for it.
        let error = #expect(throws: EventStoreError.self) { try next.merge(commandID: id) }
        #expect(error?.code == .commandReused)
        #expect(try next.merge(commandID: "another").count == 1)
      } else {
        #expect(try next.merge(commandID: id).count == (rest.isEmpty ? 1 : 3))
      }
      #expect(try Self.amounts(store) == ([1, 2, 4, 32], []))
      #expect(try store.verify().problems.isEmpty)
      store.close()
      try FileManager.default.removeItem(at: copy)
    }
    #expect(merged > 0 && kept > 0)
  }

  @Test func `an identity that the base gets after the draft had it is a conflict of its command`() throws {
    for (kind, which) in [("memory", 0), ("memory", 1), ("memory", 2), ("file", 0), ("file", 1), ("file", 2)] {
      let (store, _) = try openers(kind, "log \(which)") { _ in }
      func event(_ id: String) -> Append {
        Append([NewEvent(type: "T", payload: nil, id: EventID(source: "elsewhere", id: id))], to: "s")
      }
      var branch = try [Self.open(store), store.branch(), store.branch(floating: true)][which]
      try branch.append(event("1"))
      try branch.execute(.note(1, nil), on: Pad["1"])
      try store.append(event("1"))
      // A fixed branch ends before the event, so it has the conflict when it is merged.
      for isOpenedAnew in which == 0 ? [false, true] : [false] {
        if isOpenedAnew { branch = try Self.open(store) }
        try branch.execute(.note(2, nil), on: Pad["1"])
        #expect(try branch.events(of: PadEvent.self).map(\.event.amount) == (isOpenedAnew ? [1, 2, 2] : [1, 2]))
        #expect(branch.conflicts.map(\.command.number) == (which == 1 ? [] : [1]))
        let conflicts = #expect(throws: Branch.MergeError.self) { try branch.merge() }
        #expect(conflicts?.refused.map(\.command.number) == [1])
        #expect((conflicts?.refused.first?.error as? EventStoreError)?.code == .duplicateEvent)
      }
      let count = branch.commands.count - 1
      try branch.drop(branch.commands[0])
      #expect(try branch.merge().count == count)
      (store as? SQLiteEventStore)?.close()
    }
  }
}

extension Result {
  /// The code of a failure of a store.
  fileprivate var code: EventStoreError.Code? {
    if case .failure(let error) = self { (error as? EventStoreError)?.code } else { nil }
  }
}

/// Copies a log's files after every change of them, as a process leaves them that is killed there.
private final class KillPoints: FileWatcher {
  let isArmed = Mutex(false)
  let copies = Mutex<[URL]>([])
  private let folder: URL

  init(_ folder: URL) { self.folder = folder }

  func happened(_ event: FileEvent, to name: String) {
    guard isArmed.withLock({ $0 }) else { return }
    copies.withLock { copies in
      let copy = folder.deletingLastPathComponent().appending(path: "kill-\(UUID().uuidString)")
      do {
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
        for file in ["log", "log-wal"] {
          let source = folder.appending(path: file)
          if FileManager.default.fileExists(atPath: source.path) {
            try FileManager.default.copyItem(at: source, to: copy.appending(path: file))
          }
        }
        copies.append(copy)
      } catch { Issue.record("\(error)") }
    }
  }
}

private enum PadEvent: Event {
  case noted(amount: Int, by: Personal<String>?)

  static var typePrefix: String { "MergedPad" }

  var amount: Int {
    switch self {
    case .noted(let amount, _): amount
    }
  }
}

private enum PadCommand: Codable, Sendable { case note(Int, Personal<String>?) }

private struct Pad: Decider {
  var total = 0

  func decide(_ command: PadCommand) -> [PadEvent] {
    switch command {
    case .note(let amount, let person): [.noted(amount: amount, by: person)]
    }
  }

  mutating func evolve(_ event: PadEvent) { total += event.amount }
}
