#if Postgres
  import Annals
  import AnnalsPostgres
  import Foundation
  import Networks

  /// The server that is measured: by stores, and by its own programs.
  struct Server: Sendable {
    struct Failed: Error, CustomStringConvertible {
      let description: String
    }

    /// An event of 105 bytes of payload.
    static let event = NewEvent(
      type: "BookShelved",
      payload: #"{"title":"\#(String(repeating: "a", count: 60))","shelf":"history","price":12}"#,
      tags: ["shelf:history"], metadata: ["author": "ann"])
    let url: String
    let folder: String
    private static let duration = 3
    /// The time after which a wait for a server or its clients fails, much longer than a busy machine needs.
    static let limit = Duration.seconds(180)
    private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: ".ci/postgres").path

    init() throws {
      let environment = ProcessInfo.processInfo.environment
      guard let url = environment["ANNALS_POSTGRES_URL"], let folder = environment["ANNALS_POSTGRES_DIR"] else {
        throw Failed(description: "expected ANNALS_POSTGRES_URL, found none: run .ci/postgres-figures")
      }
      (self.url, self.folder) = (url, folder)
    }

    /// Starts a separate server, for example to crash it.
    ///
    /// - Parameters:
    ///   - folder: The new server's folder.
    ///   - primary: The server that the new server follows as a standby, or nil for a primary.
    /// - Throws: `Server.Failed` with the script's output.
    init(in folder: String, following primary: Server? = nil) async throws {
      self.folder = folder
      let arguments = primary.map { ["standby", folder, $0.folder] } ?? ["start", folder]
      url = try await Self.program(Self.script, arguments).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Lets a standby receive its primary's commits through a network.
    func follow(through network: FaultyProxy) async throws {
      // The server's owner isn't always the owner of the network's socket.
      chmod(network.folder + "/.s.PGSQL.5432", 0o777)
      try await sql("ALTER SYSTEM SET primary_conninfo = 'host=\(network.folder) user=annals'")
      try await sql("SELECT pg_reload_conf()")
    }

    /// Lets a primary's commits wait for this standby.
    ///
    /// - Parameter primary: The primary, which this standby follows.
    /// - Throws: `Server.Failed` with the end of the standby's log, if the standby doesn't connect within ``limit``.
    func confirmCommits(of primary: Server) async throws {
      try await primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
      try await primary.sql("SELECT pg_reload_conf()")
      let end = ContinuousClock.now + Self.limit
      // Without a connected standby, a commit would wait without a limit.
      while try await primary.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") != "1\n" {
        if ContinuousClock.now > end {
          let log = try String(contentsOfFile: folder + "/log", encoding: .utf8).split(separator: "\n").suffix(20)
          throw Failed(
            description: "expected after \(Self.limit): the standby in \(folder) is synchronous. Its log ends with:\n"
              + log.joined(separator: "\n"))
        }
        try await Task.sleep(for: .milliseconds(100))
      }
    }

    /// Runs a subcommand of `.ci/postgres`, such as `crash`, on the server.
    func control(_ verb: String) async throws { _ = try await program(Self.script, verb, folder) }

    /// What stands between an append and the disk.
    enum Disk: String {
      case asItIs = ""
      /// The server waits for no sync: what is left is what it and its clients compute.
      case none = "-c synchronous_commit=off"
      /// The server waits a millisecond before each sync.
      case slow = "-c commit_delay=1000 -c commit_siblings=0"
      /// The server waits ten milliseconds before each sync, about as long as for a standby in another region.
      case slowest = "-c commit_delay=10000 -c commit_siblings=0"
    }

    /// Creates an empty folder, which is removed together with the server.
    func newFolder() throws -> String {
      let path = folder + "/" + UUID().uuidString
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      return path
    }

    func store(
      _ disk: Disk = .asItIs, schema: String = "annals", environment: StoreEnvironment = StoreEnvironment()
    ) async throws -> PostgresEventStore {
      let options = PostgresOptions(schema: schema, durability: disk == .none ? .process : .power)
      let words = disk.rawValue.replacing(" ", with: "%20").replacing("=", with: "%3D")
      return try await PostgresEventStore(
        url: disk == .slow || disk == .slowest ? url + "&options=" + words : url, options: options,
        environment: environment)
    }

    /// How many appends of one event several tasks of a store do in a second.
    func appends(writers: Int, streams: Int = 5_000, _ disk: Disk = .asItIs) async throws -> Double {
      let store = try await store(disk)
      let start = ContinuousClock.now
      let end = start + .seconds(Self.duration)
      let count = try await withThrowingTaskGroup(of: Int.self) { group in
        for writer in 0..<writers {
          group.addTask {
            var count = 0
            while ContinuousClock.now < end {
              try await store.append(Append([Self.event], to: StreamName("book-\((count * 37 + writer) % streams)")))
              count += 1
            }
            return count
          }
        }
        return try await group.reduce(0, +)
      }
      store.close()
      return Double(count) / seconds(.now - start)
    }

    /// How many inserts pgbench does in a second, each by a function that locks the frontier and checks nothing.
    func bareInserts(clients: Int, _ disk: Disk = .asItIs) async throws -> Double {
      _ = try await store()
      try await sql(
        """
        CREATE OR REPLACE FUNCTION annals.bare(p_stream text, p_id text, p_payload text) RETURNS bigint
        LANGUAGE plpgsql AS $$
        DECLARE v bigint; t bigint; n bigint;
        BEGIN
          LOCK TABLE annals.annals_log_base IN SHARE UPDATE EXCLUSIVE MODE;
          SELECT l.head + 1, l.transaction + 1 INTO v, t FROM annals.annals_log l WHERE l.one;
          SELECT s.version + 1 INTO n FROM annals.annals_stream s WHERE s.stream = p_stream;
          IF n IS NULL THEN
            INSERT INTO annals.annals_stream_base (stream, version) VALUES (p_stream, 0);
            n := 1;
          END IF;
          INSERT INTO annals.annals_event (position, transaction, stream, version, source, id, type, schema, time, tags,
            body, metadata)
            VALUES (v, t, p_stream, n, 'urn:bare', p_id, 'BookShelved', 1, 1700000000000000, '["shelf:history"]',
              p_payload, '{"author":"ann"}');
          INSERT INTO annals.annals_tag (tag, position) VALUES ('shelf:history', v);
          RETURN v;
        END $$
        """)
      let script = folder + "/bare.sql"
      let payload = Self.event.payload ?? ""
      try Data(
        """
        \\set n random(0, 4999)
        SELECT annals.bare('book-' || :n, gen_random_uuid()::text, '\(payload)');

        """.utf8
      ).write(to: URL(filePath: script))
      // A number of inserts and no time: a child of this process may have the signal of its clock blocked.
      let text = try await program(
        "env", "PGOPTIONS=" + disk.rawValue, "pgbench", url, "-n", "-c", "\(clients)", "-j", "\(min(2, clients))", "-t",
        clients == 1 ? "1000" : "100",
        "-f", script)
      guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("tps = ") }),
        let rate = line.dropFirst(6).split(separator: " ").first.flatMap({ Double($0) })
      else { throw Failed(description: "pgbench said \(text)") }
      return rate
    }

    /// How long it takes to copy all events into a file.
    func copyOut(to path: String) async throws -> Double {
      let start = ContinuousClock.now
      _ = try await program("psql", url, "-qc", "\\copy annals.annals_event TO '\(path)'")
      return seconds(.now - start)
    }

    /// How long it takes to copy all events into a file, and on into a table with the same indexes.
    func copyOutAndIn(_ path: String) async throws -> Double {
      try await sql(
        "DROP TABLE IF EXISTS annals.other; CREATE TABLE annals.other (LIKE annals.annals_event INCLUDING ALL)")
      let start = ContinuousClock.now
      _ = try await copyOut(to: path)
      _ = try await program("psql", url, "-qc", "\\copy annals.other FROM '\(path)'")
      return seconds(.now - start)
    }

    /// Holds a snapshot open, as a backup does.
    func holdSnapshot() async throws {
      try await sql("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM annals.annals_log; SELECT pg_sleep(600)")
    }

    /// Holds the frontier, as a writer that doesn't commit.
    func holdFrontier() async throws {
      try await sql("BEGIN; LOCK TABLE annals.annals_log_base IN SHARE UPDATE EXCLUSIVE MODE; SELECT pg_sleep(600)")
    }

    /// Ends the transaction of ``holdSnapshot()`` or ``holdFrontier()``.
    func release() async throws {
      try await sql(
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE '%annals_log%'"
      )
    }

    @discardableResult
    func sql(_ text: String) async throws -> String {
      try await program("psql", url, "-v", "ON_ERROR_STOP=1", "-qAtc", text)
    }

    /// Executes the SQL in files.
    func run(_ files: [String]) async throws {
      _ = try await Self.program(
        "env",
        ["PGOPTIONS=-c client_min_messages=warning", "psql", url, "-v", "ON_ERROR_STOP=1", "-qAt"]
          + files.flatMap { ["-f", $0] })
    }

    /// Runs a program of the server, and returns what it printed.
    func program(_ name: String, _ arguments: String...) async throws -> String {
      try await Self.program(name, arguments)
    }

    private static func program(_ name: String, _ arguments: [String]) async throws -> String {
      let process = Process()
      (process.executableURL, process.arguments) = (URL(filePath: "/usr/bin/env"), [name] + arguments)
      // Not in the server's folder, whose disk might be full.
      let output = FileManager.default.temporaryDirectory.path + "/annals-\(UInt64.random(in: 0 ... .max))"
      _ = FileManager.default.createFile(atPath: output, contents: nil)
      defer { try? FileManager.default.removeItem(atPath: output) }
      let handle = try FileHandle(forWritingTo: URL(filePath: output))
      (process.standardOutput, process.standardError, process.standardInput) = (handle, handle, FileHandle.nullDevice)
      let status: Int32 = try await withCheckedThrowingContinuation { continuation in
        process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
        do { try process.run() } catch {
          process.terminationHandler = nil
          continuation.resume(throwing: error)
        }
      }
      try handle.close()
      let text = try String(contentsOfFile: output, encoding: .utf8)
      if status != 0 { throw Failed(description: "\(name) ended with \(status): \(text)") }
      return text
    }
  }

#endif
