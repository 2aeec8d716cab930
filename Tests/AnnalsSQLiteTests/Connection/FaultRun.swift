import Annals
import AnnalsLog
import AnnalsTesting
import Disks
import Foundation

@testable import AnnalsSQLite

/// Performs a part of the history on a disk that fails at a call, and checks the log and its lists.
final class FaultRun {
  /// Where a part begins: the log's files, and what must be in them.
  struct Beginning: Sendable {
    var files: [String: Data] = [:]
    var model = FaultModel()
  }

  private let folder = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)")
  private let disk = FaultyDisk()
  private var path: String { folder.appending(path: "log").path }
  private var store: SQLiteEventStore?
  /// A list that is shown all the time.
  private var list: FetchedResultsController<PowerRow>?
  /// What it showed.
  private var shown: [Results<PowerRow>] = []
  private var model: FaultModel
  private var outcomes: [FaultModel.Outcome] = []
  private let steps: [FaultStep]
  private let coder: EventCoder<PowerEvent>
  /// True to note everything as done, for a test of the tests.
  private let believesAll: Bool

  init(_ steps: [FaultStep], at beginning: Beginning, believesAll: Bool = false) throws {
    (self.steps, self.believesAll, model) = (steps, believesAll, beginning.model)
    coder = try EventCoder()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try WatchedFiles.watch(folder, by: disk)
    for (name, bytes) in beginning.files { try bytes.write(to: folder.appending(path: name)) }
  }

  deinit {
    disk.mend()
    store?.close()
    WatchedFiles.forget(folder)
    try? FileManager.default.removeItem(at: folder)
  }

  /// Performs the part without a failure, and returns the beginning of the next part and the calls of the disk.
  func perform() throws -> (next: Beginning, calls: [FileCall]) {
    disk.begin(nil)
    for step in steps { outcomes.append(try perform(step)) }
    let calls = disk.calls
    try ensure(outcomes.allSatisfy { $0 == .done }, "a step fails although the disk does not")
    close()
    return (Beginning(files: try files(of: folder), model: model), calls)
  }

  /// Performs the part while the disk fails, and then again what failed, on the disk that works again.
  ///
  /// - Returns: False if no call failed.
  func perform(_ plan: FaultyDisk.Plan) throws -> Bool {
    disk.begin(plan)
    var hasEnded = false
    for step in steps {
      outcomes.append(try perform(step))
      if !hasEnded, disk.failed > 0 {
        hasEnded = true
        try checkSuddenEnd()
      }
    }
    let failed = disk.failed
    disk.mend()
    try goOn()
    return failed > 0
  }

  /// Checks what another process would find if this one ended now.
  private func checkSuddenEnd() throws {
    let files = try files(of: folder).filter { !$0.key.hasSuffix("-shm") }
    let copy = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    try WatchedFiles.watch(copy, by: QuickDisk())
    defer {
      WatchedFiles.forget(copy)
      try? FileManager.default.removeItem(at: copy)
    }
    for (name, bytes) in files { try bytes.write(to: copy.appending(path: name)) }
    let found = try SQLiteEventStore(
      path: copy.appending(path: "log").path, durability: .process, observesExternalWriters: false)
    try model.check(found, "after the process ended")
    found.close()
  }

  /// Does again what failed, and checks everything.
  private func goOn() throws {
    for (index, step) in steps.enumerated() where outcomes[index] != .done {
      let outcome = try perform(step)
      try ensure(outcome == .done, "\(step) fails although the disk works again: \(lastError as Any)")
    }
    guard let store, let list else { throw Unexpected(description: "no log is open") }
    try model.check(store, "on the disk that works again,")
    if list.position == 0 { try list.performFetch() } else { list.refresh() }
    shown.append(list.results)
    try ensure(list.position == store.head(), "the live list stays at \(list.position), \(list.failure as Any)")
    try model.checkShown(shown)
    close()
    try checkBytes()
    let again = try SQLiteEventStore(path: path, durability: .process, observesExternalWriters: false)
    try model.check(again, "when it is opened again,")
    again.close()
  }

  /// No text of those that were erased is in a file.
  private func checkBytes() throws {
    let erased = model.erasures.filter { $0.outcome == .done }
    if erased.isEmpty { return }
    let secret = Data("SECRET NUMBER ".utf8)
    for (name, bytes) in try files(of: folder) {
      var rest = bytes.startIndex..<bytes.endIndex
      while let found = bytes.range(of: secret, in: rest) {
        rest = found.upperBound..<bytes.endIndex
        let digits = bytes[rest].prefix { (0x30...0x39).contains($0) }
        guard let number = Int(String(decoding: digits, as: UTF8.self)) else { continue }
        let subjects = FaultStep.events(number).compactMap { event in
          if case .put(let row) = event { row.text.subject } else { nil }
        }
        try ensure(
          !erased.contains { $0.numbers.contains(number) && subjects.contains($0.subject) },
          "an erased text of append \(number) is in \(name)")
      }
    }
  }

  private struct Unexpected: Error, CustomStringConvertible {
    let description: String
  }

  private var lastError: (any Error)?

  // MARK: The steps

  private func perform(_ step: FaultStep) throws -> FaultModel.Outcome {
    var outcome = FaultModel.Outcome.done
    do {
      if store == nil { try open() }
      // A first fetch that failed.
      if let list, list.position == 0 { try list.performFetch() }
    } catch {
      // The step was not begun.
      try note(error)
      return .refused
    }
    guard let store else { return .refused }
    var receipt: Receipt?
    do {
      receipt = try perform(step, store)
    } catch {
      try note(error)
      outcome = outcomeOf(error)
    }
    if believesAll { outcome = .done }
    switch step {
    case .append(let number), .count(let number):
      model.appends[number] = .init(
        number: number, outcome: outcome, position: receipt?.position, hasID: hasID(number))
    case .erase(let subject):
      // The values may be deleted, although an error was answered: it says so.
      model.erasures.append(
        .init(
          subject: subject, numbers: numbers(.done), others: numbers(.unknown),
          outcome: outcome == .done ? .done : .unknown))
    case .compact: model.mayBeCompacted = true
    default: break
    }
    if let list, list.position != shown.last?.position { shown.append(list.results) }
    return outcome
  }

  private func perform(_ step: FaultStep, _ store: SQLiteEventStore) throws -> Receipt? {
    switch step {
    case .append(let number):
      if !hasID(number), let known = try found(number, store) { return known }
      let events = try FaultStep.events(number).map { event in
        var new = try coder.encode(event)
        new.metadata = FaultModel.mark(number)
        return new
      }
      return try store.append(
        Append(
          events.map { .init(stream: FaultStep.stream(number), event: $0) },
          commandID: hasID(number) ? FaultModel.commandID(number) : nil))
    case .count(let number):
      return try store.execute(
        number, on: FaultTally["all"], commandID: FaultModel.commandID(number),
        metadata: FaultModel.mark(number))
    case .save:
      let list = FetchedResultsController(
        store: store, projection: FaultRows(), request: FaultRows.request, cacheName: "rows")
      try list.performFetch()
      try list.saveCache()
    case .follow:
      guard let checkpoints = store.checkpoints else { return nil }
      let (old, new) = (try checkpoints.checkpoint(named: "follower"), try store.head())
      model.follower.insert(new)
      if try checkpoints.setCheckpoint(named: "follower", to: new, from: old) { model.follower = [new] }
    case .copy: try store.writer?.checkpoint()
    case .erase(let subject):
      let receipt = try store.erase(subject: subject)
      if let remnants = receipt.remnants { throw EventStoreError(.io, remnants) }
    case .compact: try store.compact(FaultRows.compaction)
    case .reopen:
      close()
      try open()
    }
    return nil
  }

  private func numbers(_ outcome: FaultModel.Outcome) -> Set<Int> {
    Set(model.appends.values.filter { $0.outcome == outcome }.map(\.number))
  }

  /// Where an append without an id is, if it failed before and was done all the same.
  private func found(_ number: Int, _ store: SQLiteEventStore) throws -> Receipt? {
    guard model.appends[number]?.outcome == .unknown else { return nil }
    let events = try store.events(.all, after: 0, through: nil, limit: 100_000)
      .filter { FaultModel.number($0) == number }
    return events.last.map {
      Receipt(position: $0.position, count: events.count, transaction: $0.transaction, versions: [:])
    }
  }

  /// Appends without an id are only where no compaction may take them.
  private func hasID(_ number: Int) -> Bool { number % 4 != 2 || steps.contains(.compact) }

  private func open() throws {
    let store = try SQLiteEventStore(
      path: path, durability: .power, patience: .milliseconds(2), observesExternalWriters: false)
    self.store = store
    let list = FetchedResultsController(store: store, projection: FaultRows(), request: FaultRows.request)
    self.list = list
    try list.performFetch()
  }

  private func close() {
    store?.close()
    (store, list) = (nil, nil)
  }

  private func note(_ error: any Error) throws {
    lastError = error
    guard let error = error as? EventStoreError, [.io, .busy, .corrupt].contains(error.code) else {
      throw Unexpected(description: "an error of another kind: \(error)")
    }
  }

  private func outcomeOf(_ error: any Error) -> FaultModel.Outcome {
    guard let error = error as? EventStoreError else { return .unknown }
    return error.message.contains("no data was added") ? .refused : .unknown
  }

  private func files(of folder: URL) throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      found[name] = try Data(contentsOf: folder.appending(path: name))
    }
    return found
  }
}
