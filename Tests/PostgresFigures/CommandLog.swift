#if Postgres
  import Annals
  import AnnalsPostgres
  import Dispatch
  import Foundation
  import Synchronization

  /// A log that executes the commands of a load.
  enum CommandLog: String {
    case annals = "Annals"
    /// A table of events, and the code of a hand-written service.
    case table
    /// The same service with the functions of message-db.
    case messageDB = "message-db"

    private static let variable = "ANNALS_MESSAGE_DB"

    /// Creates the tables and functions of the other logs.
    ///
    /// - Parameter server: The server.
    /// - Returns: The logs that can be measured. Prints the others with the reason.
    /// - Throws: The error of the server, or of a folder that isn't a clone of message-db.
    static func install(on server: Server) async throws -> [CommandLog] {
      try await server.sql(
        """
        CREATE SCHEMA handwritten;
        CREATE TABLE handwritten.event (
          position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          stream text NOT NULL,
          version bigint NOT NULL,
          type text NOT NULL,
          body jsonb NOT NULL,
          time timestamptz NOT NULL DEFAULT now(),
          UNIQUE (stream, version))
        """)
      guard let clone = ProcessInfo.processInfo.environment[variable] else {
        let reason =
          "NOT MEASURED: message-db, because \(variable) isn't set. Clone https://github.com/message-db/message-db, "
          + "and set \(variable) to the folder of the clone\n"
        FileHandle.standardOutput.write(Data(reason.utf8))
        return [.annals, .table]
      }
      // The order of the clone's install.sh, without its role, privileges and views, which the load doesn't use.
      let files = ["schema", "extensions", "tables", "types", "functions", "indexes"].flatMap { name in
        let folder = "\(clone)/database/\(name)"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".sql") }.sorted().map { "\(folder)/\($0)" }
      }
      guard files.contains(where: { $0.hasSuffix("/functions/write-message.sql") }) else {
        throw Server.Failed(
          description: "expected a clone of message-db in \(variable), found no file "
            + "database/functions/write-message.sql in \(clone): clone https://github.com/message-db/message-db")
      }
      try await server.run(files)
      return [.annals, .table, .messageDB]
    }

    /// The clients of the writers of one process.
    struct Clients: Sendable {
      /// The writers' threads, if a command blocks its thread.
      var threads: [any TaskExecutor]?
      /// Executes a command with a number on a stream, for a writer.
      let execute: @Sendable (_ number: Int, _ stream: String, _ writer: Int) async throws -> Void
      /// Returns the number of conflicts so far.
      let conflicts: @Sendable () -> Int
    }

    /// Connects the writers of this process.
    ///
    /// - Parameters:
    ///   - writers: The number of writers.
    ///   - disk: The disk of the server. The other logs only have the server's own disk.
    ///   - server: The server.
    /// - Returns: The clients.
    /// - Throws: The error of a connection.
    func open(writers: Int, _ disk: Server.Disk, _ server: Server) async throws -> Clients {
      switch self {
      case .annals:
        let conflicts = ConflictMonitor()
        let store = try await server.store(disk, environment: StoreEnvironment(monitor: conflicts))
        return Clients(
          execute: { number, stream, _ in try await store.execute(number, on: Processes.Parcels[stream]) },
          conflicts: { conflicts.count.withLock { $0 } })
      case .table, .messageDB:
        precondition(disk == .asItIs, "the other logs are only measured with the server's own disk")
        let services = try (0..<writers).map { _ in try HandWrittenService(server.url, self) }
        return Clients(
          threads: services.map { _ in WriterThread() },
          execute: { number, stream, writer in try services[writer].execute(number, on: "parcel-" + stream) },
          conflicts: { services.reduce(0) { $0 + $1.conflicts.withLock { $0 } } })
      }
    }
  }

  /// A monitor that counts the conflicts of commands.
  private final class ConflictMonitor: StoreMonitor {
    let count = Mutex(0)

    func note(_ measurement: StoreMeasurement) {
      guard measurement.name == .conflicts, case .count(let number) = measurement.value else { return }
      count.withLock { $0 += number }
    }
  }

  /// A thread that the calls of one writer block.
  private final class WriterThread: TaskExecutor {
    private let queue = DispatchQueue(label: "postgresFigures.writer")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
#endif
