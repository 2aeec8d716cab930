#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsSQLite
  import AnnalsTesting
  import Foundation
  import Networks

  /// The figures of the log in PostgreSQL, beside a server that `.ci/postgres-figures` starts.
  @main
  struct PostgresFigures {
    private static let figures: [(name: String, run: @Sendable (Server) async throws -> Void)] = [
      ("postgres-append", { try await append("postgres-append", $0, .asItIs) }),
      ("postgres-append-no-sync", { try await append("postgres-append-no-sync", $0, .none) }),
      ("postgres-writers", { try await writers("postgres-writers", $0, .asItIs) }),
      ("postgres-writers-slow-disk", { try await writers("postgres-writers-slow-disk", $0, .slow) }),
      ("postgres-processes", { try await processes("postgres-processes", $0, .asItIs) }),
      ("postgres-processes-slow-disk", { try await processes("postgres-processes-slow-disk", $0, .slowest) }),
      ("postgres-processes-standby", standby), ("postgres-compared", compared), ("postgres-hot-stream", hotStream),
      ("postgres-snapshot", snapshot),
      ("postgres-wake", wake), ("postgres-wait", waiting), ("replica-catch-up", catchUp),
      ("postgres-follower", follower),
    ]

    static func main() async {
      do {
        try await run(Array(CommandLine.arguments.dropFirst()))
      } catch {
        FileHandle.standardError.write(Data("postgresFigures: \(error)\n".utf8))
        exit(1)
      }
    }

    private static func run(_ names: [String]) async throws {
      if names.first == Processes.argument { return try await Processes.run(Array(names.dropFirst())) }
      if let load = names.first.flatMap(FaultLoad.init) { return try await load.run(Array(names.dropFirst())) }
      if names.first == Fault.argument { return try await Fault.run(Array(names.dropFirst()), Server()) }
      let known = figures.map(\.name)
      if let unknown = names.first(where: { !known.contains($0) }) {
        throw Server.Failed(
          description: "expected names of \(known.joined(separator: ", ")), or none for all; found \(unknown)")
      }
      let server = try Server()
      for figure in figures where names.isEmpty || names.contains(figure.name) { try await figure.run(server) }
    }

    /// A command's append, beside pgbench, which inserts through the same frontier by one call of a function.
    private static func append(_ name: String, _ server: Server, _ disk: Server.Disk) async throws {
      for clients in [1, 32] {
        var (ours, bare): ([Double], [Double]) = ([], [])
        for _ in 0..<5 {
          bare.append(try await server.bareInserts(clients: clients, disk))
          ours.append(try await server.appends(writers: clients, disk))
        }
        say(name, "\(clients) writers: \(rate(ours)), pgbench \(rate(bare))", ratio: median(ours) / median(bare))
      }
    }

    /// Many writers of one process, beside one.
    private static func writers(_ name: String, _ server: Server, _ disk: Server.Disk) async throws {
      var (many, one): ([Double], [Double]) = ([], [])
      for _ in 0..<5 {
        one.append(try await server.appends(writers: 1, disk))
        many.append(try await server.appends(writers: 32, disk))
      }
      say(name, "32: \(rate(many)), 1: \(rate(one))", ratio: median(many) / median(one))
    }

    /// 32 writers in several processes, compared with 32 writers in one process.
    private static func processes(_ name: String, _ server: Server, _ disk: Server.Disk) async throws {
      for isShared in [false, true] {
        let counts = isShared ? [1, 2, 16] : [1, 4, 16]
        var rates: [Int: [Double]] = [:]
        for _ in 0..<3 {
          for count in counts {
            let rate = try await Processes.commands(count, 32 / count, isShared: isShared, disk, server)
            rates[count, default: []].append(rate.commands)
          }
        }
        for count in counts.dropFirst() {
          let (many, one) = (rates[count] ?? [], rates[1] ?? [])
          let writers = "\(count) of \(32 / count) writers, \(isShared ? "shared" : "own") streams"
          say(
            name, "\(writers): \(rate(many)), one: \(rate(one))",
            ratio: median(many) / median(one))
        }
      }
    }

    /// 32 writers in several processes, if every commit waits for a standby whose network takes ten milliseconds.
    private static func standby(_ server: Server) async throws {
      let primary = try await Server(in: server.newFolder())
      let standby = try await Server(in: server.newFolder(), following: primary)
      let network = try FaultyProxy(to: primary.url, SplitMix64(seed: 1))
      network.faults = FaultyProxy.Faults(delays: 1_000, delay: 5_000...5_000)
      let outcome: Result<Void, any Error>
      do {
        try await standby.follow(through: network)
        try await standby.confirmCommits(of: primary)
        outcome = .success(try await processes("postgres-processes-standby", primary, .asItIs))
      } catch { outcome = .failure(error) }
      network.close()
      for server in [standby, primary] { try await server.control("halt") }
      try outcome.get()
    }

    /// Commands of 32 writers, compared with the same commands on logs without Annals.
    private static func compared(_ server: Server) async throws {
      let logs = try await CommandLog.install(on: server)
      for (streams, isShared) in [(1_000, false), (8, true)] {
        for processes in [1, 16] {
          var rates: [CommandLog: [Processes.Rate]] = [:]
          for _ in 0..<3 {
            for log in logs {
              let rate = try await Processes.commands(
                processes, 32 / processes, on: log, streams: streams, isShared: isShared, .asItIs, server)
              rates[log, default: []].append(rate)
            }
          }
          func text(_ log: CommandLog) -> String {
            let rates = rates[log] ?? []
            return "\(log.rawValue): \(rate(rates.map(\.commands))), \(Int(median(rates.map(\.conflicts)))) conflicts"
          }
          func commands(_ log: CommandLog) -> Double { median((rates[log] ?? []).map(\.commands)) }
          for log in logs where log != .annals {
            say(
              "postgres-compared",
              "\(processes) of \(32 / processes) writers, \(streams) streams: \(text(.annals)); \(text(log))",
              ratio: commands(.annals) / commands(log))
          }
        }
      }
    }

    /// Commands of 128 tasks that wait until a replica has their events, compared with commands that don't wait.
    private static func waiting(_ server: Server) async throws {
      let store = try await server.store()
      defer { store.close() }
      let replica = Replica(of: store, in: MemoryEventStore())
      let following = Task { try await replica.run() }
      func commands(waits: Bool) async throws -> Double {
        try await Processes.commands(tasks: 128, streams: 1_000, store) { receipt in
          if waits { try await replica.wait(for: receipt.position) }
        }
      }
      // The first commands read the streams.
      _ = try await commands(waits: true)
      var (waited, bare): ([Double], [Double]) = ([], [])
      for _ in 0..<5 {
        bare.append(try await commands(waits: false))
        waited.append(try await commands(waits: true))
      }
      following.cancel()
      _ = await following.result
      say("postgres-wait", "waiting: \(rate(waited)), not: \(rate(bare))", ratio: median(waited) / median(bare))
    }

    /// Commands of 32 tasks on one stream, compared with the commands of one task.
    private static func hotStream(_ server: Server) async throws {
      let store = try await server.store()
      defer { store.close() }
      var (many, one): ([Double], [Double]) = ([], [])
      for _ in 0..<5 {
        one.append(try await Processes.commands(tasks: 1, streams: 1, store))
        many.append(try await Processes.commands(tasks: 32, streams: 1, store))
      }
      say("postgres-hot-stream", "32 tasks: \(rate(many)), 1: \(rate(one))", ratio: median(many) / median(one))
    }

    /// Appends to many streams and to one stream while a snapshot is open for ten minutes, compared with other appends.
    private static func snapshot(_ server: Server) async throws {
      for streams in [5_000, 1] {
        func appends(_ count: Int) async throws -> [Double] {
          var rates: [Double] = []
          for _ in 0..<count { rates.append(try await server.appends(writers: 4, streams: streams, .none)) }
          return rates
        }
        // The first appends create the streams.
        let before = Array(try await appends(4).dropFirst())
        let held = Task { try await server.holdSnapshot() }
        try await Task.sleep(for: .seconds(1))
        var minutes: [Double] = []
        for _ in 0..<10 { minutes.append(median(try await appends(20))) }
        try await server.release()
        _ = await held.result
        let after = try await appends(3)
        say(
          "postgres-snapshot",
          "\(streams) streams: before \(rate(before)), each minute \(minutes.map { Int($0) }), after \(rate(after))",
          ratio: (minutes.last ?? 0) / median(before + after))
      }
    }

    /// From the answer of a commit until another store's subscription has the event.
    private static func wake(_ server: Server) async throws {
      let (writer, reader) = (try await server.store(), try await server.store())
      let (head, count) = (try await reader.head(), 500)
      let hearing = Task {
        var heard: [ContinuousClock.Instant] = []
        for try await batch in reader.subscription(after: head) {
          heard += batch.events.map { _ in .now }
          if heard.count >= count { break }
        }
        return heard
      }
      var committed: [ContinuousClock.Instant] = []
      for number in 0..<count {
        // So that the reader waits.
        try await Task.sleep(for: .milliseconds(number % 30 + 20))
        try await writer.append(Append([Server.event], to: "wake"))
        committed.append(.now)
      }
      var times = zip(try await hearing.value, committed).map { seconds($0 - $1) * 1_000 }
      times.sort()
      say(
        "postgres-wake",
        "median \(two(times[times.count / 2])) ms, the slowest \(two(times[times.count - 1])) ms, 99th of 100 in ms",
        ratio: times[times.count * 99 / 100])
    }

    /// A replica in a file from nothing, beside COPY of the same rows out of the server, and on into another table.
    private static func catchUp(_ server: Server) async throws {
      let store = try await server.store()
      let count = 100_000
      for start in stride(from: 0, to: count, by: 100) {
        try await store.append(
          Append(
            (0..<100).map { number in
              Append.Entry(stream: StreamName("book-\((start + number) % 5_000)"), event: Server.event)
            }))
      }
      let path = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)").path
      var (ours, out, both): ([Double], [Double], [Double]) = ([], [], [])
      for _ in 0..<5 {
        out.append(try await server.copyOut(to: path))
        both.append(try await server.copyOutAndIn(path))
        try FileManager.default.removeItem(atPath: path)
        let local = try SQLiteEventStore(path: path, observesExternalWriters: false)
        let start = ContinuousClock.now
        try await Replica(of: store, in: local).catchUp()
        ours.append(seconds(.now - start))
        local.close()
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
      }
      say(
        "replica-catch-up", "\(count) events: \(two(median(ours))) s, COPY out and in \(two(median(both))) s",
        ratio: median(both) / median(ours))
      say(
        "replica-catch-up", "the same, COPY into a file alone \(two(median(out))) s", ratio: median(out) / median(ours))
    }

    private enum Shelf: Event {
      case filled(number: Int)
    }

    /// Followers that do nothing with 10,000 events of 500 streams, beside reading these events.
    private static func follower(_ server: Server) async throws {
      let (store, count) = (try await server.store(schema: "shelves"), 10_000)
      for number in stride(from: 0, to: count, by: 100) {
        let entries = try (number..<number + 100).map { number in
          Append.Entry(stream: StreamName("shelf-\(number % 500)"), event: try NewEvent(Shelf.filled(number: number)))
        }
        try await store.append(Append(entries))
      }
      var (bare, found): ([Double], [String: [Double]]) = ([], [:])
      func timed(_ body: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await body()
        return Double(count) / seconds(.now - start)
      }
      for round in 1...5 {
        bare.append(
          try await timed {
            var last: Position = 0
            while true {
              let page = try await store.events(.all, after: last, limit: 1_000)
              guard let end = page.last?.position else { break }
              last = end
            }
          })
        for partitions in [1, 4] {
          let name = "event by event, \(partitions) partitions"
          let single = try RemoteFollower(
            name, version: round, of: Shelf.self, in: store, startingAt: .beginning, partitions: partitions
          ) { _, _ in }
          found[name, default: []].append(try await timed { _ = try await single.catchUp() })
          let batches = try RemoteFollower(
            name + "b", version: round, of: Shelf.self, in: store, startingAt: .beginning, partitions: partitions,
            batchSize: 100
          ) { _, _ in }
          found["a hundred at once, \(partitions) partitions", default: []].append(
            try await timed { _ = try await batches.catchUp() })
        }
      }
      for (name, rates) in found.sorted(by: { $0.key < $1.key }) {
        say("postgres-follower", "\(name): \(rate(rates)), reading \(rate(bare))", ratio: median(rates) / median(bare))
      }
    }

    private static func say(_ name: String, _ text: String, ratio: Double) {
      FileHandle.standardOutput.write(Data("\(name): \(two(ratio))  (\(text))\n".utf8))
    }

    private static func rate(_ values: [Double]) -> String { "\(Int(median(values))) a second" }
    private static func two(_ value: Double) -> String { String(format: "%.2f", value) }
    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
  }

  func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }
#else
  @main
  struct PostgresFigures {
    static func main() { print("build it with PostgreSQL: .ci/postgres-figures") }
  }
#endif
