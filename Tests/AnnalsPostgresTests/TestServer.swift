#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsRemote
  import Foundation
  import Synchronization

  /// A server of PostgreSQL: the one that `.ci/postgres run` started, or one of a test's own.
  struct TestServer {
    let url: String
    private static let next = Mutex(0)
    /// Tests of several runs may share a server.
    private static let run = UInt32.random(in: 0 ... .max)
    private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: ".ci/postgres").path

    struct Failed: Error, CustomStringConvertible {
      let description: String
    }

    /// The server that is there.
    init() throws {
      guard let url = ProcessInfo.processInfo.environment["ANNALS_POSTGRES_URL"] else {
        throw Failed(description: "expected ANNALS_POSTGRES_URL, found none: run the tests by .ci/postgres run")
      }
      self.url = url
    }

    private init(url: String) { self.url = url }

    /// Runs a body beside a server of its own, which it may crash.
    static func own(_ body: (TestServer, _ crash: @Sendable () async throws -> Void) async throws -> Void) async throws
    {
      try await withFolders(1) { folders in
        let url = try await command(script, "start", folders[0]).trimmingCharacters(in: .whitespacesAndNewlines)
        try await body(TestServer(url: url)) { _ = try await command(script, "crash", folders[0]) }
      }
    }

    /// Restarts a server of `own`, which ends its connections and writes a checkpoint first.
    func restart() async throws {
      guard let folder = url.split(separator: "=").last.map(String.init) else {
        throw Failed(description: "expected a URL that ends with a folder, found \(url)")
      }
      _ = try await Self.command(Self.script, "stop", folder)
      _ = try await Self.command(Self.script, "start", folder)
    }

    /// What a test does with a primary and its standby.
    struct Pair: Sendable {
      /// The URL of both: of whichever takes writes.
      let url: String
      let primary: TestServer
      let standby: TestServer
      fileprivate let folders: [String]

      /// Ends the primary as a loss of its machine does.
      func killPrimary() async throws { _ = try await command(script, "halt", folders[0]) }
      func promote() async throws { _ = try await command(script, "promote", folders[1]) }
      func stopStandby() async throws { _ = try await command(script, "stop", folders[1]) }
      func startStandby() async throws { _ = try await command(script, "start", folders[1]) }
    }

    /// Runs a body beside a primary and a standby, which the primary waits for or not.
    static func pair(isSynchronous: Bool, _ body: (Pair) async throws -> Void) async throws {
      try await withFolders(2) { folders in
        let first = try await command(script, "start", folders[0]).trimmingCharacters(in: .whitespacesAndNewlines)
        let second = try await command(script, "standby", folders[1], folders[0])
          .trimmingCharacters(in: .whitespacesAndNewlines)
        let pair = Pair(
          url: "postgresql://annals@/annals?host=\(folders[0]),\(folders[1])&target_session_attrs=read-write",
          primary: TestServer(url: first), standby: TestServer(url: second), folders: folders)
        if isSynchronous {
          try await pair.primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
          try await pair.primary.sql("SELECT pg_reload_conf()")
          while try await pair.primary.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")
            != "1\n"
          {}
        }
        try await body(pair)
      }
    }

    /// Runs a body with folders for servers, which are stopped and removed after it.
    private static func withFolders(_ count: Int, _ body: ([String]) async throws -> Void) async throws {
      let folders = (0..<count).map { _ in "/tmp/annals-own-\(UInt32.random(in: 0 ... .max))" }
      let outcome: Result<Void, any Error>
      do { outcome = .success(try await body(folders)) } catch { outcome = .failure(error) }
      for folder in folders {
        // It may be stopped already.
        _ = try? await command(script, "halt", folder)
        try FileManager.default.removeItem(atPath: folder)
      }
      try outcome.get()
    }

    /// Returns the SQL that lets a role create schemas.
    ///
    /// The server refuses two simultaneous changes of the database's privileges ("tuple concurrently updated").
    static func grant(creationTo role: String) -> String {
      "SELECT pg_advisory_xact_lock(1); GRANT CREATE ON DATABASE annals TO \"\(role)\""
    }

    /// Returns options with a separate schema, for a store that waits for longer than a test takes on a full machine.
    ///
    /// With the default timeouts, which a service needs, calls failed when many tests shared two busy cores.
    func options(_ change: (inout PostgresOptions) -> Void = { _ in }) -> PostgresOptions {
      let number = Self.next.withLock { next in
        next += 1
        return next
      }
      var options = PostgresOptions(schema: "t\(Self.run)_\(number)")
      (options.patience, options.answerTimeout) = (.seconds(600), .seconds(1_800))
      change(&options)
      return options
    }

    /// Holds the frontier of a log, as another writer does, while a body runs.
    ///
    /// - Parameters:
    ///   - schema: The schema of the log.
    ///   - lock: The statement that locks it, by default the one of an append.
    ///   - body: Runs while it is held. It gets what lets go of it, which is also done at its end.
    /// - Throws: What the body throws; ``Failed`` if it cannot be held.
    func holding(
      _ schema: String, by lock: String? = nil, _ body: (_ release: () async throws -> Void) async throws -> Void
    ) async throws {
      // Before format 8, the frontier was a row.
      let isOld = try await sql("SELECT to_regclass('\(schema).annals_log_base')") == "\n"
      let frontier =
        isOld
        ? "SELECT 1 FROM \(schema).annals_log FOR UPDATE"
        : "LOCK TABLE \(schema).annals_log_base IN SHARE UPDATE EXCLUSIVE MODE"
      try await sleeping(after: "BEGIN; \(lock ?? frontier)", in: schema, body)
    }

    /// Keeps a snapshot of a log open while a body runs.
    func holdingSnapshot(_ schema: String, _ body: () async throws -> Void) async throws {
      try await sleeping(
        after: "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM \(schema).annals_log", in: schema
      ) { _ in try await body() }
    }

    /// Runs SQL that names the table `annals_log`, and keeps its transaction open while a body runs.
    private func sleeping(
      after statements: String, in schema: String, _ body: (_ release: () async throws -> Void) async throws -> Void
    ) async throws {
      // Nothing is held by time: on a full machine a body would come too late.
      let held = Task { try await sql("\(statements); SELECT pg_sleep(600)", isQuiet: true) }
      let sleeping = "FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%\(schema).annals_log%'"
      let end = ContinuousClock.now + .seconds(120)
      while try await sql("SELECT count(*) \(sleeping)") == "0\n" {
        if ContinuousClock.now > end { throw Failed(description: "the frontier of \(schema) cannot be held") }
      }
      let release: () async throws -> Void = {
        try await sql("SELECT pg_cancel_backend(pid) \(sleeping)")
        _ = await held.result
      }
      do { try await body(release) } catch {
        try await release()
        throw error
      }
      try await release()
    }

    /// Opens a store with a timeout that doubles until it's long enough for a busy machine.
    ///
    /// - Parameters:
    ///   - codes: The codes of errors after which the timeout doubles.
    ///   - open: Opens the store with a timeout in seconds.
    /// - Returns: The store.
    /// - Throws: The error of `open`, if it has another code.
    static func withGrowingTimeout(
      after codes: [EventStoreError.Code] = [.unreachable],
      _ open: (_ seconds: Int) async throws -> PostgresEventStore
    ) async throws -> PostgresEventStore {
      var timeout = 1
      while true {
        do { return try await open(timeout) } catch let error as EventStoreError
          where codes.contains(error.code) && timeout < 256
        { timeout *= 2 }
      }
    }

    /// Waits until an append waits for the frontier of a log, and returns false after five minutes.
    ///
    /// Before format 8, the frontier was a row. An append that waits for a row holds a lock on the row's tuple
    /// (postgresql.org/docs, "pg_locks").
    func appendWaits(in schema: String) async throws -> Bool {
      try await locks("(locktype = 'tuple' OR mode = 'ShareUpdateExclusiveLock' AND NOT granted)", in: schema)
    }

    /// Waits until one that changes the frontier's table waits for it, and returns false after five minutes.
    func migrationWaits(in schema: String) async throws -> Bool {
      try await locks("mode = 'AccessExclusiveLock' AND NOT granted", in: schema)
    }

    /// Waits until a call that was begun before a migration waits for the migration, and returns false after five
    /// minutes.
    func callWaits(in schema: String) async throws -> Bool {
      try await locks("mode IN ('AccessShareLock', 'RowShareLock') AND NOT granted", in: schema)
    }

    private func locks(_ condition: String, in schema: String) async throws -> Bool {
      let waiting = """
        SELECT count(*) FROM pg_locks WHERE \(condition)
          AND relation IN (to_regclass('\(schema).annals_log'), to_regclass('\(schema).annals_log_base'))
        """
      let end = ContinuousClock.now + .seconds(300)
      while ContinuousClock.now < end { if try await sql(waiting) != "0\n" { return true } }
      return false
    }

    /// Runs SQL by the server's own client.
    @discardableResult
    func sql(_ text: String, isQuiet: Bool = false) async throws -> String {
      try await Self.command("/usr/bin/env", "psql", url, "-v", "ON_ERROR_STOP=1", "-qAtc", text, isQuiet: isQuiet)
    }

    /// Returns the definitions and rows of a log's tables, views and functions, with their owners and privileges.
    ///
    /// The schema's name is replaced, so that you can compare logs in different schemas.
    func dump(_ schema: String) async throws -> String {
      let text = try await Self.command("/usr/bin/env", "pg_dump", "--schema=\(schema)", "--inserts", url)
      // Recent versions of pg_dump write a random key in these lines.
      let lines = text.split(separator: "\n").filter { !$0.hasPrefix("\\restrict") && !$0.hasPrefix("\\unrestrict") }
      return lines.joined(separator: "\n").replacing(schema, with: "SCHEMA")
    }

    /// Runs a script with the server's client, which stops at the first error.
    ///
    /// - Parameters:
    ///   - script: The script.
    ///   - url: The URL, by default the server's.
    /// - Returns: The client's output and errors.
    /// - Throws: ``Failed`` if the client can't be run.
    func run(script: String, at url: String? = nil) async throws -> String {
      let file = FileManager.default.temporaryDirectory.appending(path: "annals-\(UInt64.random(in: 0 ... .max)).sql")
      try script.write(to: file, atomically: true, encoding: .utf8)
      defer { try? FileManager.default.removeItem(at: file) }
      return try await Self.command(
        "/bin/sh", "-c", "psql \"$1\" -v ON_ERROR_STOP=1 -q -f \"$2\" 2>&1 || true", "sh", url ?? self.url, file.path)
    }

    /// Runs SQL, again until the server takes it.
    func patiently(_ text: String) async throws -> String {
      while true {
        do { return try await Self.command("/usr/bin/env", "psql", url, "-qAtc", text, isQuiet: true) } catch {
          try await Task.sleep(for: .milliseconds(20))
        }
      }
    }

    /// Runs a program, and returns what it printed.
    private static func command(
      _ path: String, _ arguments: String..., isQuiet: Bool = false
    ) async throws -> String {
      let process = Process()
      if isQuiet { process.standardError = FileHandle.nullDevice }
      (process.executableURL, process.arguments) = (URL(filePath: path), arguments)
      // Not a pipe: a server that is started at the same time would hold its end open.
      let output = FileManager.default.temporaryDirectory.appending(path: "annals-\(UInt64.random(in: 0 ... .max))")
      _ = FileManager.default.createFile(atPath: output.path, contents: nil)
      defer { try? FileManager.default.removeItem(at: output) }
      let handle = try FileHandle(forWritingTo: output)
      (process.standardOutput, process.standardInput) = (handle, FileHandle.nullDevice)
      let status: Int32 = try await withCheckedThrowingContinuation { continuation in
        process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
        do { try process.run() } catch {
          process.terminationHandler = nil
          continuation.resume(throwing: error)
        }
      }
      try handle.close()
      let text = try String(contentsOf: output, encoding: .utf8)
      if status != 0 { throw Failed(description: "\(path) \(arguments) ended with \(status): \(text)") }
      return text
    }
  }
#endif
