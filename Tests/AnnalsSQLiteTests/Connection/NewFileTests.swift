import Annals
import AnnalsTesting
import Disks
import Foundation
import Synchronization
import Testing

@testable import AnnalsSQLite

/// New log files that are made while calls of the disk fail, and the permissions of these files.
///
///     ANNALS_FAULTS_EVERY=1 swift test --filter NewFileTests
@Suite struct NewFileTests {
  /// A way to make a new log of another one.
  enum Work: String, CaseIterable, Sendable {
    case backUp, salvage

    /// Returns the number of events that the new log must have, as the call reports it.
    func perform(_ log: String, _ target: String) throws -> Int {
      switch self {
      case .backUp:
        let store = try SQLiteEventStore(readingFrom: log, observesExternalWriters: false)
        defer { store.close() }
        return try store.backUp(to: target).rawValue
      case .salvage:
        let report = try SQLiteEventStore.salvage(log, to: target)
        try ensure(report.isComplete, "\(report.losses)")
        return report.events
      }
    }
  }

  private static let every =
    ProcessInfo.processInfo.environment["ANNALS_FAULTS_EVERY"].flatMap { Int($0) }.map { max(1, $0) } ?? 61

  private let folder: TemporaryFolder
  private var log: String { folder.path("log") }
  private let events: [StoredEvent]

  init() throws {
    folder = try TemporaryFolder()
    let store = try SQLiteEventStore(path: folder.path("log"))
    for number in 0..<40 {
      let event = NewEvent(
        type: "T", payload: #"{"n":\#(number),"p":{"$personal":"ann","value":"\#(number)"}}"#, tags: ["t"])
      try store.append(Append([.init(stream: "s", event: event)], commandID: number % 5 == 0 ? "c\(number)" : nil))
    }
    _ = try store.checkpoints?.setCheckpoint(named: "mail", to: 7, from: nil)
    // Some pages, so that the copy needs several steps.
    let long = String(repeating: "x", count: 300_000)
    try store.append(Append([NewEvent(type: "Long", payload: "\"\(long)\"")], to: "s"))
    events = try store.events(.all, after: 0, through: nil, limit: 1_000)
    store.close()
  }

  private func names(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
  }

  /// Makes a new log in a folder, where any call may fail.
  ///
  /// - Returns: True if it was made.
  private func attempt(_ work: Work, in target: URL, _ what: String) throws -> Bool {
    let copy = target.appending(path: "copy").path
    do {
      let count = try work.perform(log, copy)
      try ensure(count == events.count, "\(what): made, with \(count) events")
    } catch let error as EventStoreError {
      try ensure(error.message.contains(copy) && !error.message.contains("unfinished"), "\(what): \(error)")
      return false
    }
    return true
  }

  /// Checks that the folder is empty, or has a whole log.
  private func check(_ isMade: Bool, in target: URL, _ what: String) throws {
    let copy = target.appending(path: "copy").path
    let found = try names(target)
    guard isMade else {
      try ensure(found.isEmpty, "\(what): failed and left \(found)")
      return
    }
    try ensure(found == ["copy"], "\(what): made \(found)")
    let store = try SQLiteEventStore(readingFrom: copy, observesExternalWriters: false)
    defer { store.close() }
    try ensure(store.events(.all, after: 0, through: nil, limit: 1_000).count == events.count, "\(what): lost events")
    try ensure(store.receipt(ofCommand: "c35") != nil, "\(what): lost an answer")
    let report = try store.verify()
    try ensure(report.isSound, "\(what): \(report.problems)")
  }

  private func inFolder<T>(_ body: (URL) throws -> T) throws -> T {
    let target = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: target) }
    return try body(target)
  }

  @Test(arguments: Work.allCases)
  func `whatever call of the disk fails, a new log is whole, or nothing is left and an error is thrown`(
    _ work: Work
  ) throws {
    func run(_ plan: FaultyDisk.Plan?) throws -> [FileCall] {
      try inFolder { target in
        let disk = FaultyDisk()
        try WatchedFiles.watch(target, by: disk)
        defer { WatchedFiles.forget(target) }
        disk.begin(plan)
        let what = "\(work), \(plan.map { "\($0)" } ?? "no fault")"
        let isMade = try attempt(work, in: target, what)
        let calls = disk.calls
        disk.mend()
        try check(isMade, in: target, what)
        if plan == nil { try ensure(isMade, "\(work) fails on a disk that does not") }
        return calls
      }
    }
    let calls = try run(nil)
    var (failures, tried): ([String], [String: Int]) = ([], [:])
    for (number, plan) in FaultyDisk.Plan.all(for: calls).enumerated() {
      // Changes of the disk more often than calls that only look.
      let changes = [.write, .sync, .cut, .delete, .open].contains(plan.kind)
      guard number % (changes ? (Self.every + 5) / 6 : Self.every) == 0 else { continue }
      tried["\(plan.kind)", default: 0] += 1
      do { _ = try run(plan) } catch { failures.append("\(error)") }
    }
    #expect(failures.isEmpty, "\(failures.count): \(failures.prefix(10).joined(separator: "\n"))")
    #expect(tried["write", default: 0] > 5 && tried.count > 3, "\(tried)")
  }

  @Test(arguments: Work.allCases)
  func `a call that names, syncs or protects a new log may fail, and nothing is left`(_ work: Work) throws {
    for call in FileSystem.Call.allCases {
      for code in [EIO, ENOSPC, EACCES] {
        try inFolder { target in
          let failed = Mutex(0)
          let isMade = try FileSystem.$fault.withValue({ found, _ in
            guard found == call else { return nil }
            failed.withLock { $0 += 1 }
            return code
          }) {
            try attempt(work, in: target, "\(call) \(code)")
          }
          #expect(failed.withLock { $0 } == 1 && !isMade, "\(call)")
          try check(isMade, in: target, "\(work), \(call) fails with \(code)")
        }
      }
    }
  }

  /// Looks at the permissions of the files in a folder at every call.
  private final class Guard: FileWatcher {
    let folder: URL
    let mode: Int
    let found = Mutex((looks: 0, wide: [String]()))

    init(_ folder: URL, _ mode: Int) { (self.folder, self.mode) = (folder, mode) }

    func look() {
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else { return }
      for name in names {
        guard let status = FileSystem.status(folder.appending(path: name).path) else { continue }
        found.withLock { found in
          found.looks += 1
          // The user of the file may always have it for himself until the copy is whole.
          if Int(status.mode) & ~mode & 0o077 != 0 { found.wide.append("\(name) \(String(status.mode, radix: 8))") }
        }
      }
    }

    func happened(_ event: FileEvent, to name: String) { look() }

    func fault(at call: FileCall, on name: String) -> FileFault? {
      look()
      return nil
    }
  }

  #if os(macOS) || os(Linux)
    @Test func `those who may use the log may use a new log of it, and no others at any moment`() async {
      // The mask of permissions belongs to the whole process, and other tests create files at the same time.
      await #expect(processExitsWith: .success) {
        for work in Work.allCases {
          for mode in [0o600, 0o640, 0o644, 0o400, 0o660] {
            let tests = try NewFileTests()
            for mask in [0, 0o022, 0o077] as [mode_t] { try tests.checkPermissions(work, mode, mask) }
          }
        }
      }
    }
  #endif

  /// Checks the permissions of all files while a new log is created.
  ///
  /// It changes the mask of permissions of the process.
  private func checkPermissions(_ work: Work, _ mode: Int, _ mask: mode_t) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: log)
    try inFolder { target in
      let watcher = Guard(target, mode)
      try WatchedFiles.watch(target, by: watcher)
      defer { WatchedFiles.forget(target) }
      umask(mask)
      let what = "\(work), mode \(String(mode, radix: 8)), mask \(String(mask, radix: 8))"
      let count = try FileSystem.$fault.withValue({ _, _ in
        watcher.look()
        return nil
      }) { try work.perform(log, target.appending(path: "copy").path) }
      try ensure(count == events.count, "\(what): \(count) events")
      let (looks, wide) = watcher.found.withLock { $0 }
      try ensure(looks > 20 && wide.isEmpty, "\(what): \(looks) looks, \(wide.prefix(5))")
      let found = FileSystem.status(target.appending(path: "copy").path).map { Int($0.mode) }
      try ensure(found == mode, "\(what): found \(found.map { String($0, radix: 8) } ?? "no file")")
      let files = try names(target)
      try ensure(files == ["copy"], "\(what): \(files)")
    }
  }

  #if os(macOS) || os(Linux)
    @Test(.enabled(if: SmallDisk.canBeMade, "no file system can be mounted here, so that no disk can be filled"))
    func `on a disk of any size a new log is complete, or no file remains`() throws {
      let size = FileSystem.size(log)
      for work in Work.allCases {
        var made: Set<Bool> = []
        for part in stride(from: 16_384, through: 4 * size, by: max(16_384, size / 12)) {
          let disk = try SmallDisk(bytes: part)
          let what = "\(work) on \(part) bytes"
          let isMade = try attempt(work, in: URL(fileURLWithPath: disk.path), what)
          try check(isMade, in: URL(fileURLWithPath: disk.path), what)
          made.insert(isMade)
        }
        #expect(made == [true, false], "\(work)")
      }
    }
  #endif

  @Test(.enabled(if: getuid() == 0, "only the superuser can give a file to another user"))
  func `the new log of another group's log is not for the members of one's own group`() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: log)
    #expect(chown(log, 12_345, 23_456) == 0)
    for work in Work.allCases {
      _ = try work.perform(log, folder.path("\(work)"))
      let status = try #require(FileSystem.status(folder.path("\(work)")))
      #expect(status.owner == (12_345, 23_456) && status.mode == 0o640)
    }
  }
}

#if os(macOS) || os(Linux)
  /// A file system of a few bytes, mounted at a folder.
  final class SmallDisk {
    let path: String

    /// Mounts it until it is no longer held.
    init(bytes: Int, _ options: String = "") throws {
      path = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)").path
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      guard Self.run("mount", "-t", "tmpfs", "-o", "size=\(bytes)\(options)", "tmpfs", path) else {
        throw CocoaError(.fileWriteUnknown)
      }
    }

    deinit {
      _ = Self.run("umount", "-l", path)
      try? FileManager.default.removeItem(atPath: path)
    }

    /// Mounts it with other options.
    func remount(_ options: String) -> Bool { Self.run("mount", "-o", "remount,\(options)", path) }

    static let canBeMade: Bool = (try? SmallDisk(bytes: 65_536)) != nil

    private static func run(_ words: String...) -> Bool {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = words
      process.standardError = FileHandle.nullDevice
      guard (try? process.run()) != nil else { return false }
      process.waitUntilExit()
      return process.terminationStatus == 0
    }
  }
#endif
