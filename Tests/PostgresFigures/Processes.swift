#if Postgres
  import Annals
  import AnnalsPostgres
  import Foundation

  /// Commands of several processes on one log.
  enum Processes {
    /// The argument that makes this program one of the processes.
    static let argument = "process"
    private static let duration = 3.0

    enum Parcel: Event {
      case sent(number: Int)
    }

    struct Parcels: Decider {
      var count = 0
      func decide(_ command: Int) throws -> [Parcel] { [.sent(number: command)] }
      mutating func evolve(_ event: Parcel) { count += 1 }
    }

    /// The number of commands and conflicts of all processes together, per second.
    struct Rate: Sendable {
      var (commands, conflicts) = (0.0, 0.0)
    }

    /// Starts processes, and returns the sum of their commands per second.
    ///
    /// - Parameters:
    ///   - processes: The number of processes.
    ///   - writers: The number of tasks per process.
    ///   - log: The log that executes the commands.
    ///   - streams: The number of streams of all processes together, so that every number of processes does the same
    ///     work.
    ///   - isShared: True if all processes use the same streams.
    ///   - disk: The disk of the server.
    ///   - server: The server.
    /// - Returns: The commands and conflicts per second.
    /// - Throws: The error of a process.
    static func commands(
      _ processes: Int, _ writers: Int, on log: CommandLog = .annals, streams: Int = 1_000, isShared: Bool,
      _ disk: Server.Disk, _ server: Server
    ) async throws -> Rate {
      let program = CommandLine.arguments[0]
      let folder = try server.newFolder()
      return try await withThrowingTaskGroup(of: Rate.self) { group in
        for number in 0..<processes {
          let name = isShared ? "shared" : "\(processes)own\(number)"
          let count = isShared ? streams : streams / processes
          group.addTask {
            // `env` passes the server on, which isn't always the server of the environment.
            let text = try await server.program(
              "ANNALS_POSTGRES_URL=" + server.url, program, argument, log.rawValue, name, "\(count)", "\(writers)",
              disk.rawValue, "\(folder)/\(number)",
              "\(folder)/start")
            let counts = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
            guard counts.count == 2 else {
              throw Server.Failed(description: "expected two numbers from a process, found \(text)")
            }
            return Rate(commands: counts[0], conflicts: counts[1])
          }
        }
        // The states of all streams are in memory, and every connection has its plans.
        while (0..<processes).contains(where: { !FileManager.default.fileExists(atPath: "\(folder)/\($0)") }) {
          try await Task.sleep(for: .milliseconds(20))
        }
        let start = Date.now.timeIntervalSince1970 + 0.2
        try Data("\(start)".utf8).write(to: URL(filePath: folder + "/start"), options: .atomic)
        return try await group.reduce(into: Rate()) { sum, rate in
          sum.commands += rate.commands / duration
          sum.conflicts += rate.conflicts / duration
        }
      }
    }

    /// Executes commands of this process, and returns the commands per second.
    ///
    /// - Parameters:
    ///   - tasks: The number of tasks, which share the store.
    ///   - streams: The number of streams.
    ///   - store: The store.
    ///   - committed: A closure that a task calls after every command, before the task's next command.
    /// - Returns: The commands per second.
    /// - Throws: The error of a command, or of the closure.
    static func commands(
      tasks: Int, streams: Int, _ store: PostgresEventStore,
      committed: @escaping @Sendable (Receipt) async throws -> Void = { _ in }
    ) async throws -> Double {
      let end = ContinuousClock.now + .seconds(duration)
      let count = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<tasks {
          group.addTask {
            var (count, random) = (0, SystemRandomNumberGenerator())
            while ContinuousClock.now < end {
              let stream = Parcels["tasks-\(Int.random(in: 0..<streams, using: &random))"]
              try await committed(store.execute(count, on: stream))
              count += 1
            }
            return count
          }
        }
        return try await group.reduce(0, +)
      }
      return Double(count) / duration
    }

    /// Executes commands as one of the processes, and prints the number of commands and conflicts.
    static func run(_ arguments: [String]) async throws {
      guard arguments.count == 7, let kind = CommandLog(rawValue: arguments[0]), let streams = Int(arguments[2]),
        let writers = Int(arguments[3]), let disk = Server.Disk(rawValue: arguments[4])
      else {
        throw Server.Failed(
          description: "expected a log, a name, the numbers of streams and writers, a disk, and two files, "
            + "found \(arguments)")
      }
      let (name, log) = (arguments[1], try await kind.open(writers: writers, disk, Server()))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<writers {
          group.addTask(executorPreference: log.threads?[writer]) {
            for number in stride(from: writer, to: streams, by: writers) {
              try await log.execute(number, "\(name)-\(number)", writer)
            }
          }
        }
        try await group.waitForAll()
      }
      try Data().write(to: URL(filePath: arguments[5]))
      var start: Double?
      while start == nil {
        try await Task.sleep(for: .milliseconds(10))
        // The folder is removed together with the server, for example if the benchmark was interrupted.
        if !FileManager.default.fileExists(atPath: arguments[5]) { return }
        start = (try? String(contentsOfFile: arguments[6], encoding: .utf8)).flatMap { Double($0) }
      }
      let (begin, end) = (start ?? 0, (start ?? 0) + duration)
      let earlier = Task {
        try await Task.sleep(for: .seconds(max(0, begin - Date.now.timeIntervalSince1970)))
        return log.conflicts()
      }
      let count = try await withThrowingTaskGroup(of: Int.self) { group in
        for writer in 0..<writers {
          group.addTask(executorPreference: log.threads?[writer]) {
            var (count, random) = (0, SystemRandomNumberGenerator())
            while Date.now.timeIntervalSince1970 < end {
              try await log.execute(count, "\(name)-\(Int.random(in: 0..<streams, using: &random))", writer)
              if Date.now.timeIntervalSince1970 >= begin { count += 1 }
            }
            return count
          }
        }
        return try await group.reduce(0, +)
      }
      let conflicts = try await log.conflicts() - earlier.value
      print(count, conflicts)
    }
  }
#endif
