import Annals
import AnnalsTesting
import Foundation
import Testing

@testable import AnnalsSQLite

/// Causes of the system, which errors name with a way out.
@Suite struct SystemFailureTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func expect(_ sentence: String, _ body: () throws -> Void) {
    let error = #expect(throws: EventStoreError.self, "\(sentence)") { try body() }
    #expect(error?.message.contains(sentence) == true, "\(sentence): \(error?.message ?? "")")
    #expect(error?.message.contains("check that its folder") != true)
  }

  /// Opens a log, reads it, copies a log there and salvages one there.
  private func expectEverywhere(_ sentence: String, at path: String, reads: Bool = true) throws {
    let log = folder.path("whole")
    let store = try SQLiteEventStore(path: log)
    try store.append(Append([NewEvent(type: "T", payload: nil)], to: "s"))
    expect(sentence) { _ = try SQLiteEventStore(path: path) }
    if reads { expect(sentence) { _ = try SQLiteEventStore(readingFrom: path) } }
    expect(sentence) { try store.backUp(to: path) }
    store.close()
    expect(sentence) { _ = try SQLiteEventStore.salvage(log, to: path) }
  }

  @Test func `each cause has its own sentence`() {
    let codes = [
      EMFILE, ENFILE, ENOSPC, EDQUOT, EFBIG, EACCES, EROFS, ENAMETOOLONG, ELOOP, ENOTDIR, EISDIR, ENOENT, EEXIST, EIO,
      ENXIO, ESTALE, ENOMEM, ENOLCK, EBUSY,
    ]
    #expect(Set(codes.map { SystemFailure.sentence($0) }).count == codes.count)
    // Every code has a way out after the cause.
    #expect(codes.allSatisfy { SystemFailure.sentence($0).contains(". ") })
    #expect(SystemFailure.sentence(EPIPE) == SystemFailure.words(EPIPE))
  }

  @Test func `a folder that does not exist, a file on the way, a circle of links and a long name are named`() throws {
    try expectEverywhere("a folder in the path doesn't exist", at: folder.path("none/log"), reads: false)
    try Data("x".utf8).write(to: URL(fileURLWithPath: folder.path("file")))
    try expectEverywhere("a part of the path is a file instead of a folder", at: folder.path("file/log"))
    for (name, target) in [("one", "two"), ("two", "one")] {
      try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: target)
    }
    try expectEverywhere("the path contains a cycle of symbolic links", at: folder.path("one"))
    try expectEverywhere("the path contains a cycle of symbolic links", at: folder.path("one/log"))
    let long = String(repeating: "n", count: 300)
    try expectEverywhere("is longer than the system allows", at: folder.path(long))
    // SQLite takes no longer paths, and reports no cause.
    var deep = folder.path("deep")
    while deep.utf8.count < 520 { deep += "/" + String(repeating: "d", count: 100) }
    try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
    expect("expected a path of at most 504 bytes") { _ = try SQLiteEventStore(path: deep + "/log") }
    expect("expected a path of at most 504 bytes") { _ = try SQLiteEventStore(readingFrom: deep + "/log") }
    for open in [{ _ = try SQLiteEventStore(path: $0) }, { _ = try SQLiteEventStore(readingFrom: $0) }]
      as [(String) throws -> Void]
    { expect("expected a file, found a folder") { try open(folder.path("")) } }
  }

  #if os(macOS) || os(Linux)
    @Test(.enabled(if: SmallDisk.canBeMade, "no file system can be mounted here"))
    func `a file system for reading only and a full one are named`() throws {
      let disk = try SmallDisk(bytes: 4_000_000)
      let path = disk.path + "/log"
      let store = try SQLiteEventStore(path: path)
      try store.append(Append([NewEvent(type: "T", payload: nil)], to: "s"))
      store.close()
      try #require(disk.remount("ro"))
      try expectEverywhere("mounted for reading only", at: disk.path + "/new", reads: false)
      let error = #expect(throws: EventStoreError.self) { _ = try SQLiteEventStore(path: path) }
      #expect(error?.code == .readOnly && error?.message.contains("mounted for reading only") == true)
      #expect(try SQLiteEventStore(readingFrom: path).head() == 1)
      try #require(disk.remount("rw"))
      let again = try SQLiteEventStore(path: path)
      let text = "\"" + String(repeating: "x", count: 100_000) + "\""
      expect("the disk is full") {
        for _ in 0..<100 { try again.append(Append([NewEvent(type: "T", payload: text)], to: "s")) }
      }
      expect("the disk is full") { try again.backUp(to: disk.path + "/copy") }
    }

    @Test(.enabled(if: SmallDisk.canBeMade, "no file system can be mounted here"))
    func `a disk has space for its free bytes, and the check leaves no file`() throws {
      let disk = try SmallDisk(bytes: 1_048_576)
      func hasSpace(_ bytes: Int64) throws -> Bool {
        let found = FileSystem.hasSpace(for: bytes, nextTo: disk.path + "/log")
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).allSatisfy { $0 == "filling" })
        return found
      }
      for _ in 0..<3 { #expect(try hasSpace(1) && hasSpace(1_048_576) && !hasSpace(1_048_577) && !hasSpace(1 << 50)) }
      try Data(count: 524_288).write(to: URL(fileURLWithPath: disk.path + "/filling"))
      #expect(try hasSpace(524_288) && !hasSpace(524_289))
      // A disk without space for the name of a file.
      let names = try SmallDisk(bytes: 1_048_576, ",nr_inodes=1")
      #expect(!FileSystem.hasSpace(for: 1, nextTo: names.path + "/log"))
      // The space is unknown, so the write itself has to fail.
      #expect(FileSystem.hasSpace(for: 1 << 50, nextTo: disk.path + "/none/log"))
      #expect(FileSystem.hasSpace(for: 1 << 50, nextTo: "/proc/log"))
    }

    #if os(Linux)
      @Test func `a disk has space for more bytes than the process may write to one file`() async {
        // A file that is too large would end the process by a signal.
        await #expect(processExitsWith: .success) {
          var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
          precondition(setrlimit(Int32(RLIMIT_FSIZE.rawValue), &limit) == 0)
          let path = FileManager.default.temporaryDirectory.appending(path: "log").path
          precondition(FileSystem.hasSpace(for: 1_000_000, nextTo: path))
        }
      }
    #endif

    @Test func `a process that has too many files open finds that out, and continues when it has closed some`() throws {
      let child = try ChildProcess("files", folder.path(""), "1", "1", limit: "ulimit -n 40")
      let (lines, talk, status) = child.finish()
      #expect(status == 0 && talk == "", "\(talk)")
      #expect(lines.first == "right", "\(lines)")
    }

    @Test func `a file that is larger than the process may write is named`() throws {
      // In blocks of 512 bytes or of a kilobyte, as shells have it.
      let child = try ChildProcess("grows", folder.path("log"), "1", "1", limit: "trap '' XFSZ; ulimit -f 400")
      let (lines, talk, status) = child.finish()
      #expect(status == 0 && talk == "", "\(talk)")
      #expect(lines.first?.contains("ulimit -f") == true, "\(lines)")
    }

    @Test func `a user who is not permitted finds that out`() throws {
      guard getuid() == 0 else { return }
      let child = try ChildProcess("refused", folder.path(""), "1", "1")
      let (lines, talk, status) = child.finish()
      #expect(status == 0 && talk == "", "\(talk)")
      #expect(lines.first == "right", "\(lines)")
    }
  #endif
}
