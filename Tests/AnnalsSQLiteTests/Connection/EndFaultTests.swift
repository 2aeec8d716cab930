import Annals
import AnnalsLog
import AnnalsTesting
import Disks
import Foundation
import Testing

@testable import AnnalsSQLite

/// Calls of the disk that fail while a log is erased, compacted, brought to a new format or closed.
///
///     ANNALS_FAULTS_EVERY=1 swift test --filter EndFaultTests
@Suite struct EndFaultTests {
  enum Work: String, CaseIterable, Sendable {
    case erase, compact, migrate, append

    func perform(_ store: SQLiteEventStore) throws {
      switch self {
      case .erase: _ = try store.commitErasure(of: "subject-0", waiting: .zero)
      case .compact: try store.compact(FaultRows.compaction)
      // Opening it is the work.
      case .migrate: break
      case .append: try store.append(Append([NewEvent(type: "T", payload: "{}")], to: "t"))
      }
    }
  }

  private static let every =
    ProcessInfo.processInfo.environment["ANNALS_FAULTS_EVERY"].flatMap { Int($0) }.map { max(1, $0) } ?? 47

  private func bytes(for work: Work, _ folder: TemporaryFolder) throws -> Data {
    let path = folder.path("whole")
    if work == .migrate {
      let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures")
      return try Data(contentsOf: fixtures.appending(path: "format-4.sqlite"))
    }
    let (store, coder) = (try SQLiteEventStore(path: path), try EventCoder<PowerEvent>())
    for number in 1...30 {
      try store.append(
        Append(try FaultStep.events(number).map { try coder.encode($0) }, to: FaultStep.stream(number)))
    }
    store.close()
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }

  @Test(arguments: Work.allCases)
  func `whatever call of the disk fails in it, or in the close after it, verify finds nothing wrong afterwards`(
    _ work: Work
  ) throws {
    let folder = try TemporaryFolder()
    let whole = try bytes(for: work, folder)
    let place = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let disk = FaultyDisk()
    try WatchedFiles.watch(place, by: disk)
    defer {
      WatchedFiles.forget(place)
      try? FileManager.default.removeItem(at: place)
    }
    let path = place.appending(path: "log").path

    func run(_ plan: FaultyDisk.Plan?) throws -> [FileCall] {
      for name in try FileManager.default.contentsOfDirectory(atPath: place.path) {
        try FileManager.default.removeItem(at: place.appending(path: name))
      }
      try whole.write(to: URL(fileURLWithPath: path))
      let what = "\(work), \(plan.map { "\($0)" } ?? "no fault")"
      disk.begin(plan)
      var error: (any Error)?
      do {
        let store = try SQLiteEventStore(
          path: path, durability: .power, patience: .milliseconds(2), observesExternalWriters: false)
        // The store is closed after a failure too.
        defer { store.close() }
        try work.perform(store)
      } catch let found { error = found }
      let calls = disk.calls
      disk.mend()
      if plan == nil { try ensure(error == nil, "\(what): \(error as Any)") }
      for opens in [true, false] {
        let store =
          opens
          ? try SQLiteEventStore(readingFrom: path, observesExternalWriters: false)
          : try SQLiteEventStore(path: path, observesExternalWriters: false)
        defer { store.close() }
        let report = try store.verify()
        try ensure(report.isSound, "\(what), opened \(opens ? "for reading" : "for writing"): \(report.problems)")
        if !opens { try work.perform(store) }
      }
      let again = try SQLiteEventStore(readingFrom: path, observesExternalWriters: false)
      defer { again.close() }
      let report = try again.verify()
      try ensure(report.isSound, "\(what), after it was done again: \(report.problems)")
      return calls
    }

    let calls = try run(nil)
    var (failures, tried): ([String], Int) = ([], 0)
    for (number, plan) in FaultyDisk.Plan.all(for: calls).enumerated() {
      guard number % Self.every == 0 || [.sync, .delete, .cut].contains(plan.kind) else { continue }
      // Without checksums of its pages, a log of an old format does not notice a page that was read in part.
      if work == .migrate, plan.fault == .short { continue }
      tried += 1
      do { _ = try run(plan) } catch { failures.append("\(error)") }
    }
    #expect(failures.isEmpty, "\(failures.count) of \(tried): \(failures.prefix(10).joined(separator: "\n"))")
    #expect(tried > 20)
  }
}
