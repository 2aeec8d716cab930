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
    /// Executes commands: `fault-writer URL JOURNAL VERSION NUMBER TASKS`.
    case writer = "fault-writer"
    /// Subscribes to all events, follows them in four partitions and copies them: `fault-watcher URL JOURNAL VERSION`.
    case watcher = "fault-watcher"

    /// The version of the service that a process is an instance of.
    enum Version: String {
      /// A service without notes.
      case first
      /// A service with ``OlderNote``.
      case older
      /// A service with ``NewerNote``.
      case newer
    }

    func run(_ arguments: [String]) async throws {
      guard arguments.count == (self == .writer ? 5 : 3), let version = Version(rawValue: arguments[2]) else {
        throw Server.Failed(description: "expected the arguments of \(rawValue), found \(arguments)")
      }
      let journal = try FaultJournal(arguments[1])
      let number = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0
      let tasks = arguments.count > 4 ? Int(arguments[4]) ?? 1 : 1
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
                  // Half of the tasks execute commands on notes, if the version has them.
                  await Self.execute(command, in: Self.isNote(command) ? version : .first, on: store, journal)
                }
              }
            }
          case .watcher:
            group.addTask { await Self.read(store, journal) }
            group.addTask { await Self.follow("watcher", Processes.Parcel.self, store, journal) }
            switch version {
            case .first: group.addTask { await Self.replicate(store, nil as FaultLists<OlderNote>?, journal) }
            case .older: Self.serveNotes(OlderNote.self, in: &group, store, journal)
            case .newer: Self.serveNotes(NewerNote.self, in: &group, store, journal)
            }
          }
        }
        // The process has no calls left. Without cancellation, the method waits for the store's own calls.
        try await Task { try await store.drain() }.value
        store.close()
      }
    }

    /// Returns true for the commands of every second task.
    static func isNote(_ command: Int) -> Bool { !(command / 1_000_000).isMultiple(of: 2) }

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

    /// Returns the code of an error, or the whole error if the code doesn't describe it.
    static func code(of error: any Error) -> String {
      switch error {
      case let error as EventStoreError: return error.code.rawValue
      // The message must name the event, so that the cause is clear.
      case let error as EventCodingError where error.message.contains(NewerNote.unknownName):
        return error.code.rawValue
      case let error as ProjectionError where error.message.contains(NewerNote.unknownName):
        return error.code.rawValue
      default: return "\(error)"
      }
    }

    private static func pause(after error: any Error, of call: String, _ journal: FaultJournal) async {
      guard !(error is CancellationError) else { return }
      journal.note(.error, call, code(of: error))
      try? await Task.sleep(for: .milliseconds(50))
    }

    /// Executes a command, and retries it as a service's client does.
    ///
    /// Two thirds of the commands have an id, and half of them are on streams that all processes share.
    private static func execute(
      _ command: Int, in version: Version, on store: PostgresEventStore, _ journal: FaultJournal
    ) async {
      let id = command % 3 == 0 ? nil : "\(command)"
      let stream = command % 3 == 1 ? "shared-\(command % 64)" : "own-\(command / 1_000_000)"
      let note = NoteCommand(number: command)
      var isUnknown = false
      repeat {
        do {
          let receipt =
            switch version {
            case .first: try await store.execute(command, on: Processes.Parcels[stream], commandID: id)
            case .older: try await store.execute(note, on: Notes<OlderNote>[note.stream], commandID: id)
            case .newer: try await store.execute(note, on: Notes<NewerNote>[note.stream], commandID: id)
            }
          return journal.note(.done, command, receipt.position, DispatchTime.now().uptimeNanoseconds)
        } catch {
          let isUnknownNow = (error as? EventStoreError)?.code == .unknownOutcome
          isUnknown = isUnknown || isUnknownNow
          await pause(after: error, of: "command", journal)
          // Without an id, a second attempt might execute the command twice.
          if isUnknownNow, id == nil { break }
          // This version can't execute the command.
          if error is EventCodingError { break }
        }
      } while !Task.isCancelled
      journal.note(isUnknown ? .unknown : .refused, command)
    }

    /// Follows the notes, and keeps lists on a copy of the log.
    private static func serveNotes<Note: NoteEvent>(
      _ notes: Note.Type, in group: inout TaskGroup<Void>, _ store: PostgresEventStore, _ journal: FaultJournal
    ) {
      let lists = FaultLists<Note>()
      group.addTask { await follow("notes", Note.self, store, journal) }
      group.addTask { await replicate(store, lists, journal) }
      group.addTask { await lists.observe(journal) }
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

    private static func follow<E: Event>(
      _ name: String, _ events: E.Type, _ store: PostgresEventStore, _ journal: FaultJournal
    ) async {
      while !Task.isCancelled {
        do {
          let follower = try RemoteFollower(
            name, of: events, in: store, startingAt: .beginning, partitions: 4, lease: .seconds(3), batchSize: 100
          ) { events, _ in
            for event in events { journal.note(.followed, event.position, event.stream) }
          }
          try await follower.run()
        } catch { await pause(after: error, of: "follower", journal) }
      }
    }

    /// Copies the log, and compares the copy and its lists with the log at the end.
    private static func replicate<Note: NoteEvent>(
      _ store: PostgresEventStore, _ lists: FaultLists<Note>?, _ journal: FaultJournal
    ) async {
      while !Task.isCancelled {
        let copy = MemoryEventStore()
        let replica = Replica(of: store, in: copy)
        do {
          try await replica.catchUp()
          try await lists?.load(replica.log)
          try await replica.run()
          // In the cancelled task, the calls would throw.
          try await Task {
            try await replica.catchUp()
            let (copied, events) = try await (
              copy.events(.all, after: 0, through: nil, limit: .max), store.events(.all, after: 0, limit: .max)
            )
            var differences = zip(copied, events).count { $0 != $1 } + abs(copied.count - events.count)
            if let lists { differences += await lists.differences(from: events) }
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
      /// The position of a list.
      case listed
      /// The number of the copy's events and rows that differ from the log.
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
