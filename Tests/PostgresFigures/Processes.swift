#if Postgres
  import Annals
  import AnnalsPostgres
  import Foundation

  /// Commands of several processes on one log.
  enum Processes {
    /// The argument that makes this program one of the processes.
    static let argument = "process"
    private static let duration = 3.0
    /// The number of streams of all processes together, so that every number of processes does the same work.
    private static let streams = 1_000

    private enum Parcel: Event {
      case sent(number: Int)
    }

    private struct Parcels: Decider {
      var count = 0
      func decide(_ command: Int) throws -> [Parcel] { [.sent(number: command)] }
      mutating func evolve(_ event: Parcel) { count += 1 }
    }

    /// Starts processes, and returns the sum of their commands per second.
    ///
    /// - Parameters:
    ///   - processes: The number of processes.
    ///   - writers: The number of tasks per process.
    ///   - isShared: True if all processes use the same streams.
    ///   - disk: The disk of the server.
    ///   - server: The server.
    /// - Returns: The commands per second.
    /// - Throws: The error of a process.
    static func commands(_ processes: Int, _ writers: Int, isShared: Bool, _ disk: Server.Disk, _ server: Server)
      async throws -> Double
    {
      let program = CommandLine.arguments[0]
      let folder = try server.newFolder()
      return try await withThrowingTaskGroup(of: Double.self) { group in
        for number in 0..<processes {
          let name = isShared ? "shared" : "\(processes)own\(number)"
          let count = isShared ? streams : streams / processes
          group.addTask {
            let text = try await server.program(
              program, argument, name, "\(count)", "\(writers)", disk.rawValue, "\(folder)/\(number)",
              "\(folder)/start")
            guard let count = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
              throw Server.Failed(description: "expected a number from a process, found \(text)")
            }
            return count
          }
        }
        // The states of all streams are in memory, and every connection has its plans.
        while (0..<processes).contains(where: { !FileManager.default.fileExists(atPath: "\(folder)/\($0)") }) {
          try await Task.sleep(for: .milliseconds(20))
        }
        let start = Date.now.timeIntervalSince1970 + 0.2
        try Data("\(start)".utf8).write(to: URL(filePath: folder + "/start"), options: .atomic)
        return try await group.reduce(0, +) / duration
      }
    }

    /// Executes commands of this process on one stream, and returns the commands per second.
    ///
    /// - Parameters:
    ///   - tasks: The number of tasks, which share a store.
    ///   - server: The server.
    /// - Returns: The commands per second.
    /// - Throws: The error of a command.
    static func commandsOnOneStream(tasks: Int, _ server: Server) async throws -> Double {
      let store = try await server.store()
      defer { store.close() }
      // The first command reads the stream.
      try await store.execute(0, on: Parcels["hot"])
      let end = ContinuousClock.now + .seconds(duration)
      let count = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<tasks {
          group.addTask {
            var count = 0
            while ContinuousClock.now < end {
              try await store.execute(count, on: Parcels["hot"])
              count += 1
            }
            return count
          }
        }
        return try await group.reduce(0, +)
      }
      return Double(count) / duration
    }

    /// Executes commands as one of the processes, and prints their number.
    static func run(_ arguments: [String]) async throws {
      guard arguments.count == 6, let streams = Int(arguments[1]), let writers = Int(arguments[2]),
        let disk = Server.Disk(rawValue: arguments[3])
      else {
        throw Server.Failed(
          description: "expected a name, the numbers of streams and writers, a disk, and two files, found \(arguments)")
      }
      let (name, store) = (arguments[0], try await Server().store(disk))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<writers {
          group.addTask {
            for number in stride(from: writer, to: streams, by: writers) {
              try await store.execute(number, on: Parcels["\(name)-\(number)"])
            }
          }
        }
        try await group.waitForAll()
      }
      try Data().write(to: URL(filePath: arguments[4]))
      var start: Double?
      while start == nil {
        try await Task.sleep(for: .milliseconds(10))
        start = (try? String(contentsOfFile: arguments[5], encoding: .utf8)).flatMap { Double($0) }
      }
      let (begin, end) = (start ?? 0, (start ?? 0) + duration)
      let count = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<writers {
          group.addTask {
            var (count, random) = (0, SystemRandomNumberGenerator())
            while Date.now.timeIntervalSince1970 < end {
              try await store.execute(count, on: Parcels["\(name)-\(Int.random(in: 0..<streams, using: &random))"])
              if Date.now.timeIntervalSince1970 >= begin { count += 1 }
            }
            return count
          }
        }
        return try await group.reduce(0, +)
      }
      print(count)
    }
  }
#endif
