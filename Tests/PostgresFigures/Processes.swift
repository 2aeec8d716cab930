#if Postgres
  import Annals
  import AnnalsPostgres
  import Foundation

  /// Commands of several processes on one log.
  enum Processes {
    /// The argument that makes this program one of the processes.
    static let argument = "process"
    private static let duration = 3.0

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
    ///   - server: The server.
    /// - Returns: The commands per second.
    /// - Throws: The error of a process.
    static func commands(_ processes: Int, _ writers: Int, isShared: Bool, _ server: Server) async throws -> Double {
      // Before this time, every process opens its store and executes its first commands.
      let start = Date.now.timeIntervalSince1970 + 2 + 0.3 * Double(processes)
      let program = CommandLine.arguments[0]
      return try await withThrowingTaskGroup(of: Double.self) { group in
        for number in 0..<processes {
          let name = isShared ? "shared" : "own\(number)"
          group.addTask {
            let text = try await server.program(program, argument, name, "\(writers)", "\(start)")
            guard let count = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
              throw Server.Failed(description: "expected a number from a process, found \(text)")
            }
            return count
          }
        }
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
      guard arguments.count == 3, let writers = Int(arguments[1]), let start = Double(arguments[2]) else {
        throw Server.Failed(description: "expected a name, a number of writers and a time, found \(arguments)")
      }
      let (name, store) = (arguments[0], try await Server().store())
      let end = start + duration
      let count = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<writers {
          group.addTask {
            var (count, random) = (0, SystemRandomNumberGenerator())
            while Date.now.timeIntervalSince1970 < end {
              try await store.execute(count, on: Parcels["\(name)-\(Int.random(in: 0..<1_000, using: &random))"])
              if Date.now.timeIntervalSince1970 >= start { count += 1 }
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
