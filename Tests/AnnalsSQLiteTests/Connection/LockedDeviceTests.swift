import Annals
import AnnalsLog
import AnnalsTesting
import CAnnalsSQLite
import Foundation
import Synchronization
import Testing

@testable import AnnalsSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#elseif canImport(Darwin)
  import Darwin
#endif

#if os(macOS) || os(Linux)
  /// A device that makes all files of SQLite unreadable for a while.
  private enum Device {
    /// The error number of every system call for a file, or 0 while the device is unlocked.
    private static let error = Atomic<Int32>(0)
    /// True for code that another process, which isn't affected, would run.
    @TaskLocal private static var isElsewhere = false

    private typealias Open = @convention(c) (UnsafePointer<CChar>?, Int32, Int32) -> Int32
    private typealias Transfer = @convention(c) (Int32, UnsafeMutableRawPointer?, Int) -> Int
    private typealias PlacedTransfer = @convention(c) (Int32, UnsafeMutableRawPointer?, Int, Int) -> Int

    static func lock(_ error: Int32) { self.error.store(error, ordering: .sequentiallyConsistent) }
    static func unlock() { lock(0) }
    static func elsewhere<T>(_ body: () throws -> T) rethrows -> T {
      try $isElsewhere.withValue(true, operation: body)
    }

    private static func fails() -> Bool {
      let error = isElsewhere ? 0 : error.load(ordering: .sequentiallyConsistent)
      if error != 0 { errno = error }
      return error != 0
    }

    /// Replaces the system calls that SQLite makes in this process (`xSetSystemCall` in sqlite.org/c3ref/vfs.html).
    static func install() throws {
      let system = try #require(sqlite3_vfs_find(nil))
      func set(_ name: String, _ call: sqlite3_syscall_ptr) {
        #expect(system.pointee.xSetSystemCall(system, name, call) == SQLITE_OK, "\(name)")
      }
      let open: Open = { path, flags, mode in Device.fails() ? -1 : Device.open(path, flags, mode) }
      set("open", unsafeBitCast(open, to: sqlite3_syscall_ptr.self))
      for name in ["read", "write"] {
        let call: Transfer =
          name == "read"
          ? { Device.fails() ? -1 : Device.read($0, $1, $2) } : { Device.fails() ? -1 : Device.write($0, $1, $2) }
        set(name, unsafeBitCast(call, to: sqlite3_syscall_ptr.self))
      }
      // SQLite uses the calls that it was compiled with.
      for name in ["pread", "pread64", "pwrite", "pwrite64"] where system.pointee.xGetSystemCall(system, name) != nil {
        let call: PlacedTransfer =
          name.hasPrefix("pread")
          ? { Device.fails() ? -1 : Device.readAt($0, $1, $2, $3) }
          : { Device.fails() ? -1 : Device.writeAt($0, $1, $2, $3) }
        set(name, unsafeBitCast(call, to: sqlite3_syscall_ptr.self))
      }
    }

    private static func open(_ path: UnsafePointer<CChar>?, _ flags: Int32, _ mode: Int32) -> Int32 {
      guard let path else { return -1 }
      #if canImport(Glibc)
        return Glibc.open(path, flags, mode_t(mode))
      #elseif canImport(Musl)
        return Musl.open(path, flags, mode_t(mode))
      #elseif canImport(Bionic)
        return Bionic.open(path, flags, mode_t(mode))
      #else
        return Darwin.open(path, flags, mode_t(mode))
      #endif
    }

    #if canImport(Glibc)
      private static let (read, write) = (Glibc.read, Glibc.write)
    #elseif canImport(Musl)
      private static let (read, write) = (Musl.read, Musl.write)
    #elseif canImport(Bionic)
      private static let (read, write) = (Bionic.read, Bionic.write)
    #else
      private static let (read, write) = (Darwin.read, Darwin.write)
    #endif

    private static func readAt(_ file: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int, _ offset: Int) -> Int {
      pread(file, bytes, count, off_t(offset))
    }

    private static func writeAt(_ file: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int, _ offset: Int) -> Int {
      pwrite(file, bytes, count, off_t(offset))
    }
  }

  /// A log on a device that is locked and unlocked while a list and a follower use the log.
  @Suite struct LockedDeviceTests {
    // The system calls belong to the whole process.
    @Test func `a log is not reported as damaged while the system forbids access to it`() async {
      await #expect(processExitsWith: .success) { try await LockedDevice(EPERM).run() }
    }

    @Test func `a log is not reported as damaged while the system reports errors of the disk`() async {
      await #expect(processExitsWith: .success) { try await LockedDevice(EIO).run() }
    }

    @Test func `a follower that could not save its position does not handle its events twice`() async {
      await #expect(processExitsWith: .success) { try await LockedDevice(EPERM).loseSaves() }
    }

    @Test func `damage that is found after an outage is reported as damage`() async {
      await #expect(processExitsWith: .success) { try await LockedDevice(EIO).findDamage() }
    }

    @Test func `messages mention a locked device only where devices are locked`() {
      for code in [EPERM, EACCES, EIO] {
        #expect(SystemFailure.sentence(code, protectsFiles: true).contains("device is locked"))
        #expect(!SystemFailure.sentence(code, protectsFiles: false).contains("device"))
      }
    }
  }

  private final class WaitCount: Sendable {
    let number = Mutex(0)
  }

  @MainActor private final class LockedDevice {
    private let folder: TemporaryFolder
    private let error: Int32
    private let store: SQLiteEventStore
    private let other: SQLiteEventStore
    /// The number of times that a follower waited before it retried.
    private nonisolated let waits = WaitCount()
    private var path: String { folder.path("log") }

    init(_ error: Int32) throws {
      self.error = error
      folder = try TemporaryFolder()
      try Device.install()
      var environment = StoreEnvironment()
      // A follower retries without a delay.
      environment.sleep = { [waits] _ in
        waits.number.withLock { $0 += 1 }
        await Task.yield()
      }
      environment.report = { _ in }
      store = try SQLiteEventStore(path: folder.path("log"), environment: environment)
      other = try SQLiteEventStore(path: folder.path("log"))
    }

    private func buy(_ id: Int, in store: SQLiteEventStore) throws {
      let tool = Tool(id: id, name: Personal("n\(id)", of: "s"), shelf: "a")
      let event = try EventCoder<ToolEvent>().encode(.bought(tool))
      try store.append(Append([event], to: "Tools-1"))
    }

    func run() async throws {
      for id in 0..<300 { try buy(id, in: store) }
      let list = FetchedResultsController(store: store, projection: Tools(), request: ListRequest())
      try list.performFetch()
      let (handled, news) = AsyncStream.makeStream(of: Int.self)
      let follower = try EventFollower("f", of: ToolEvent.self, in: store, startingAt: .beginning) { event, _ in
        if case .bought(let tool) = event.event { news.yield(tool.id) }
      }
      let running = Task { try await follower.run() }
      var ids = handled.makeAsyncIterator()
      for id in 0..<300 { try ensureEqual(await ids.next(), id) }
      let changes = list.changes

      Device.lock(error)
      expectOutage { try buy(1_000, in: store) }
      expectOutage { _ = try SQLiteEventStore(path: path) }
      expectOutage { _ = try SQLiteEventStore(readingFrom: path) }
      expectOutage { _ = try store.verify() }
      // Pages that SQLite has in memory can still be read, so `head()` can succeed until another process commits.
      // Another process isn't affected, for example an extension with a file that it opened before.
      for id in 300..<310 { try Device.elsewhere { try buy(id, in: other) } }
      list.refresh()
      expectOutage { if let failure = list.failure { throw failure } }
      try ensureEqual(list.rowCount, 300)
      Device.unlock()

      // The list and the follower recover by themselves.
      for await _ in changes where list.rowCount == 310 { break }
      try ensure(list.failure == nil, "\(String(describing: list.failure))")
      for id in 300..<310 { try ensureEqual(await ids.next(), id) }
      try buy(310, in: store)
      try ensureEqual(await ids.next(), 310)
      running.cancel()
      try await running.value
      try ensure(try store.verify().isSound, "the log is damaged")
      try ensureEqual(try store.head(), 311)
    }

    /// Locks the device while the follower's code handles an event, so that the position can't be saved.
    func loseSaves() async throws {
      for id in 0..<5 { try buy(id, in: store) }
      let (handled, news) = AsyncStream.makeStream(of: Int.self)
      let error = error
      let follower = try EventFollower("f", of: ToolEvent.self, in: store, startingAt: .beginning) { event, _ in
        guard case .bought(let tool) = event.event else { return }
        if tool.id == 2 || tool.id == 4 { Device.lock(error) }
        news.yield(tool.id)
      }
      let running = Task { try await follower.run() }
      var ids = handled.makeAsyncIterator()
      for id in 0..<5 {
        try ensureEqual(await ids.next(), id)
        guard id == 2 || id == 4 else { continue }
        let before = waits.number.withLock { $0 }
        while waits.number.withLock({ $0 }) < before + 3 { await Task.yield() }
        Device.unlock()
      }
      try buy(5, in: store)
      try ensureEqual(await ids.next(), 5)
      running.cancel()
      try await running.value
      try ensureEqual(try await follower.catchUp(), 6)
      news.finish()
      try ensureEqual(await ids.next(), nil)
    }

    func findDamage() throws {
      let path = folder.path("database")
      let writer = try SQLiteConnection(path: path, access: .create)
      try writer.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, x)")
      for number in 0..<9 { try writer.execute("INSERT INTO t VALUES (\(number), 'x')") }
      writer.close()
      let connection = try SQLiteConnection(path: path, access: .read)
      try ensureEqual(try connection.int("PRAGMA schema_version"), 1)
      Device.lock(error)
      expectOutage { _ = try connection.int("SELECT count(*) FROM t") }
      Device.unlock()
      // The table's page, which the connection hasn't read yet, is overwritten.
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
      try file.seek(toOffset: 4_096)
      try file.write(contentsOf: Data(repeating: 0xFF, count: 60))
      try file.close()
      do {
        _ = try connection.int("SELECT count(*) FROM t")
        try ensure(false, "the damage was not found")
      } catch let error as EventStoreError {
        try ensure(error.code == .corrupt, "\(error)")
      }
    }

    private func expectOutage(_ body: () throws -> Void) {
      let error = #expect(throws: EventStoreError.self) { try body() }
      guard let error else { return }
      #expect(error.code == .io, "\(error)")
      #expect(!error.message.contains("damage") && !error.message.contains("restore"), "\(error)")
    }
  }
#endif
