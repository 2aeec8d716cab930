#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsRemote
  import Dispatch
  import Foundation

  /// The processes that work on a log during a fault: writers, which execute commands, and a watcher.
  ///
  /// SIGTERM ends a process gracefully. Everything that a process learns is in its journal, even if it is killed.
  enum FaultLoad: String {
    /// Executes commands: `fault-writer URL JOURNAL NUMBER TASKS`.
    case writer = "fault-writer"
    /// Subscribes to all events, follows them in four partitions and copies them: `fault-watcher URL JOURNAL`.
    case watcher = "fault-watcher"

    func run(_ arguments: [String]) async throws {
      guard arguments.count == (self == .writer ? 4 : 2) else {
        throw Server.Failed(description: "expected the arguments of \(rawValue), found \(arguments)")
      }
      let journal = try FaultJournal(arguments[1])
      let number = arguments.count > 2 ? Int(arguments[2]) ?? 0 : 0
      let tasks = arguments.count > 3 ? Int(arguments[3]) ?? 1 : 1
      try await Self.untilTerminated {
        guard let store = try await Self.open(arguments[0], journal) else { return }
        await withTaskGroup(of: Void.self) { group in
          switch self {
          case .writer:
            for task in 0..<tasks {
              group.addTask {
                var command = (number * 100 + task) * 1_000_000
                while !Task.isCancelled {
                  command += 1
                  await Self.execute(command, on: store, journal)
                }
              }
            }
          case .watcher:
            group.addTask { await Self.read(store, journal) }
            group.addTask { await Self.follow(store, journal) }
            group.addTask { await Self.replicate(store, journal) }
          }
        }
        // The process has no calls left. Without cancellation, the method waits for the store's own calls.
        try await Task { try await store.drain() }.value
        store.close()
      }
    }

    /// Runs work until it ends, and cancels its task after SIGTERM.
    private static func untilTerminated(_ work: @escaping @Sendable () async throws -> Void) async throws {
      let task = Task(operation: work)
      signal(SIGTERM, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: SIGTERM)
      source.setEventHandler { task.cancel() }
      source.resume()
      defer { source.cancel() }
      try await task.value
    }

    /// Opens the log with the default options, and retries while the fault prevents it.
    ///
    /// Returns nil after SIGTERM.
    private static func open(_ url: String, _ journal: FaultJournal) async throws -> PostgresEventStore? {
      while !Task.isCancelled {
        do { return try await PostgresEventStore(url: url) } catch let error as EventStoreError {
          await pause(after: error, of: "opening", journal)
        }
      }
      return nil
    }

    private static func pause(after error: any Error, of call: String, _ journal: FaultJournal) async {
      guard !(error is CancellationError) else { return }
      journal.note(.error, call, (error as? EventStoreError)?.code.rawValue ?? "\(error)")
      try? await Task.sleep(for: .milliseconds(50))
    }

    /// Executes a command, and retries it as a service's client does.
    ///
    /// Two thirds of the commands have an id, and half of them are on streams that all processes share.
    private static func execute(_ command: Int, on store: PostgresEventStore, _ journal: FaultJournal) async {
      let id = command % 3 == 0 ? nil : "\(command)"
      let stream = command % 3 == 1 ? "shared-\(command % 64)" : "own-\(command / 1_000_000)"
      var isUnknown = false
      repeat {
        do {
          let receipt = try await store.execute(command, on: Processes.Parcels[stream], commandID: id)
          return journal.note(.done, command, receipt.position, DispatchTime.now().uptimeNanoseconds)
        } catch {
          let isUnknownNow = (error as? EventStoreError)?.code == .unknownOutcome
          isUnknown = isUnknown || isUnknownNow
          await pause(after: error, of: "command", journal)
          // Without an id, a second attempt might execute the command twice.
          if isUnknownNow, id == nil { break }
        }
      } while !Task.isCancelled
      journal.note(isUnknown ? .unknown : .refused, command)
    }

    private static func read(_ store: PostgresEventStore, _ journal: FaultJournal) async {
      var position: Position = 0
      while !Task.isCancelled {
        do {
          for try await batch in store.subscription(after: position) {
            for event in batch.events {
              if event.position.rawValue != position.rawValue + 1 { journal.note(.disorder, position, event.position) }
              position = event.position
            }
            journal.note(.read, position)
          }
        } catch {
          // The log is another one, so the reader starts from its beginning.
          if (error as? EventStoreError)?.code == .replaced { position = 0 }
          await pause(after: error, of: "subscription", journal)
        }
      }
    }

    private static func follow(_ store: PostgresEventStore, _ journal: FaultJournal) async {
      while !Task.isCancelled {
        do {
          let follower = try RemoteFollower(
            "watcher", of: Processes.Parcel.self, in: store, startingAt: .beginning, partitions: 4,
            lease: .seconds(3), batchSize: 100
          ) { events, _ in
            for event in events { journal.note(.followed, event.position, event.stream) }
          }
          try await follower.run()
        } catch { await pause(after: error, of: "follower", journal) }
      }
    }

    /// Copies the log, and compares the copy with the log at the end.
    private static func replicate(_ store: PostgresEventStore, _ journal: FaultJournal) async {
      while !Task.isCancelled {
        let copy = MemoryEventStore()
        let replica = Replica(of: store, in: copy)
        do {
          try await replica.run()
          // In the cancelled task, the calls would throw.
          try await Task {
            try await replica.catchUp()
            let (copied, events) = try await (
              copy.events(.all, after: 0, through: nil, limit: .max), store.events(.all, after: 0, limit: .max)
            )
            let differences = zip(copied, events).count { $0 != $1 } + abs(copied.count - events.count)
            journal.note(.differences, differences)
          }.value
        } catch { await pause(after: error, of: "replica", journal) }
      }
    }
  }

  /// The file in which a process writes what it learns, line by line.
  final class FaultJournal: Sendable {
    enum Word: String {
      /// The process's id.
      case process
      /// A command with its position and the time of its receipt in nanoseconds.
      case done
      /// A command that might be in the log.
      case unknown
      /// A command that must not be in the log.
      case refused
      /// A call and the code of its error.
      case error
      /// The last position that the subscription has delivered.
      case read
      /// Two positions that the subscription delivered one after the other, although they aren't neighbors.
      case disorder
      /// The position and stream of an event that the follower handled.
      case followed
      /// The number of the copy's events that differ from the log's.
      case differences
    }

    typealias Line = (word: Word, values: [Substring])

    private let file: FileHandle

    /// Creates the file, with the id of this process.
    init(_ path: String) throws {
      _ = FileManager.default.createFile(atPath: path, contents: nil)
      file = try FileHandle(forWritingTo: URL(filePath: path))
      note(.process, getpid())
    }

    /// Writes a line with one system call, so that a killed process leaves only whole lines.
    func note(_ word: Word, _ values: any CustomStringConvertible...) {
      file.write(Data(([word.rawValue] + values.map(\.description)).joined(separator: " ").appending("\n").utf8))
    }

    /// Returns the complete lines of a journal, or no lines if the process hasn't created it yet.
    static func lines(_ path: String) -> [Line] {
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      // The process might be writing the last line.
      return text[..<(text.lastIndex(of: "\n") ?? text.startIndex)].split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ")
        return Word(rawValue: String(words[0])).map { ($0, Array(words.dropFirst())) }
      }
    }
  }
#endif
