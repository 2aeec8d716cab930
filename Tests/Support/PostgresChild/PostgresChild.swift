#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsRemote
  import AnnalsSQLite
  import Foundation

  /// A process that works on a log in PostgreSQL until its standard input ends or it is killed.
  ///
  /// `append` prints `sent WORD` before and `ack WORD POSITION` after each append. `follow` prints `did WORD` for each
  /// event that it handles, before its position is saved. `replicate` keeps a copy in the file that it is named, and
  /// prints `has POSITION ERASURES`. `half-replicate` does so until the copy has a part of what leads past a
  /// compaction, and kills itself.
  @main
  struct PostgresChild {
    struct Problem: Error {}

    static func main() async throws {
      let words = Array(CommandLine.arguments.dropFirst())
      guard words.count == 5, let tasks = Int(words[4]) else { throw Problem() }
      let options = PostgresOptions(schema: words[2], patience: .seconds(600))
      let store = try await open(words[1], options)
      let work = Task {
        switch words[0] {
        case "append": try await append(to: store, name: words[3], tasks: tasks)
        case "follow": try await follow(store, partitions: tasks)
        case "replicate": try await replicate(store, path: words[3], isHalf: false)
        case "half-replicate": try await replicate(store, path: words[3], isHalf: true)
        default: throw Problem()
        }
      }
      // The input is read on a thread of its own, since reading waits.
      Thread.detachNewThread {
        while let line = readLine(), line != "end" {}
        work.cancel()
      }
      try await work.value
    }

    /// Opens the log, later if the server is just starting: to open it does not wait for that.
    private static func open(_ url: String, _ options: PostgresOptions) async throws -> PostgresEventStore {
      for _ in 0..<600 {
        do { return try await PostgresEventStore(url: url, options: options) } catch let error as EventStoreError {
          if error.code != .unreachable { throw error }
          try await Task.sleep(for: .milliseconds(100))
        }
      }
      throw Problem()
    }

    private static func append(to store: PostgresEventStore, name: String, tasks: Int) async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<tasks {
          group.addTask {
            var number = 0
            while !Task.isCancelled {
              let word = "\(name).\(task).\(number)"
              let event = NewEvent(type: "PostgresLineWritten", payload: #"{"word":"\#(word)"}"#)
              say("sent \(word)")
              let receipt = try await store.append(
                Append(
                  [.init(stream: StreamName("s\(task)"), event: event)], commandID: number % 2 == 0 ? word : nil))
              say("ack \(word) \(receipt.position)")
              number += 1
            }
          }
        }
        try await group.waitForAll()
      }
    }

    enum PostgresLineEvent: Event {
      case written(word: String)
    }

    private static func follow(_ store: PostgresEventStore, partitions: Int) async throws {
      let follower = try RemoteFollower(
        "child", of: PostgresLineEvent.self, in: store, startingAt: .beginning, partitions: partitions,
        lease: .seconds(3)
      ) { recorded, _ in
        if case .written(let word) = recorded.event { say("did \(word)") }
      }
      try await follower.run()
    }

    private static func replicate(_ store: PostgresEventStore, path: String, isHalf: Bool) async throws {
      let local = try SQLiteEventStore(path: path)
      let replica = Replica(of: store, in: local)
      say("opened")
      try await replica.run { status in
        switch status.activity {
        case .current:
          say("has \(status.progress?.position ?? 0) \((try? local.revision().erasures) ?? -1)")
        case .catchingUp where isHalf:
          // What stands in the place of what was cut is there until the copy is past the compaction.
          let events = (try? local.events(.all, after: 0, through: nil, limit: .max)) ?? []
          if events.contains(where: { $0.type == "annals.cut" }) { raise(SIGKILL) }
        case .starting, .catchingUp, .waiting, .stopped: break
        }
      }
      local.close()
    }

    /// Writes a line at once, as a whole.
    private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
  }
#else
  @main
  struct PostgresChild {
    static func main() {}
  }
#endif
