#if Postgres
  import Foundation
  import Networks

  /// A fault of a server, a network or a process, while several processes execute commands.
  struct Fault: Sendable {
    /// The argument that runs the faults instead of the figures: `faults [--seconds N] [NAME…]`.
    static let argument = "faults"

    /// A reason why this machine can't have a fault.
    struct Skipped: Error {
      let reason: String
    }

    enum Servers {
      case one
      /// A primary with a standby.
      case pair
      /// A server whose folder is a small disk in memory.
      case smallDisk
    }

    enum Network {
      case direct
      /// A proxy connects one writer.
      case oneWriter
      /// A proxy connects all writers and the watcher.
      case all
    }

    let name: String
    var servers = Servers.one
    var network = Network.direct
    /// The role of the writers, if it isn't the owner.
    var role: String?
    /// True if the fault loses commits, as documented.
    var losesCommits = false
    /// The version of the service's processes.
    ///
    /// After a fault of the older version, the watcher is restarted with the newer version.
    var version = FaultLoad.Version.first
    /// Prepares the servers before the load.
    var prepare: (@Sendable (FaultScene) async throws -> Void)?
    /// Injects the fault and removes it.
    let inject: @Sendable (FaultScene) async throws -> Void

    private static let all = [
      Fault(name: "kill-server") { scene in
        try scene.killServer()
        try await scene.startServer()
      },
      Fault(name: "crash-server") { try await $0.server.control("crash") },
      Fault(name: "restart-server") { scene in
        try await scene.server.control("stop")
        try await scene.server.control("start")
      },
      Fault(name: "end-backends") { scene in
        for _ in 0..<20 {
          try await scene.server.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'Annals'")
          try await Task.sleep(for: .milliseconds(400))
        }
      },
      Fault(name: "kill-process") { scene in
        scene.end(0, by: SIGKILL)
        try await scene.waitForCommands()
        scene.end(1, by: SIGKILL)
      },
      Fault(name: "end-process") { scene in
        scene.end(0, by: SIGTERM)
        try await scene.waitForCommands()
        scene.end(1, by: SIGTERM)
      },
      Fault(name: "cut-connections", network: .all) { scene in
        for _ in 0..<25 {
          scene.proxy?.cutExisting()
          try await Task.sleep(for: .milliseconds(300))
        }
      },
      Fault(name: "lose-responses", network: .all) { scene in
        for _ in 0..<8 {
          scene.proxy?.hangResponses()
          try await Task.sleep(for: .milliseconds(200))
          scene.proxy?.cutExisting()
          try await scene.waitForCommands()
        }
      },
      Fault(name: "latency", network: .oneWriter) { scene in
        // Half of the latency in each direction.
        scene.proxy?.faults = FaultyProxy.Faults(delays: 1_000, delay: 25_000...25_000)
        try await Task.sleep(for: .seconds(8))
      },
      Fault(name: "refuse-connections", network: .all) { scene in
        try scene.proxy?.redirect(to: "host=/nowhere")
        scene.proxy?.cutExisting()
        try await Task.sleep(for: .seconds(4))
        try scene.proxy?.redirect(to: scene.server.url)
      },
      Fault(name: "hang-existing", network: .all) { $0.proxy?.hangExisting() },
      Fault(name: "failover", servers: .pair, prepare: { try await $0.standby?.confirmCommits(of: $0.server) }) {
        try await $0.failOver()
      },
      Fault(name: "full-disk", servers: .smallDisk) { scene in
        try await scene.fillDisk()
        try await scene.startServer()
      },
      Fault(name: "lossy-failover", servers: .pair, losesCommits: true) { scene in
        try await scene.endReplication()
        try await scene.waitForCommands()
        try await scene.failOver()
      },
      Fault(name: "french-restart", prepare: { try await $0.speakFrench() }) { scene in
        for _ in 0..<2 {
          try await scene.server.control("crash")
          try await scene.waitForCommands()
        }
      },
      Fault(name: "held-lock") { scene in
        try await scene.holding { try await scene.server.holdFrontier() }
      },
      Fault(name: "open-snapshot") { scene in
        try await scene.holding { try await scene.server.holdSnapshot() }
      },
      Fault(name: "new-event", version: .older) { try await $0.deploy() },
      Fault(
        name: "connection-limit", role: "limited",
        prepare: { try await $0.server.sql("CREATE ROLE limited LOGIN IN ROLE annals") }
      ) { scene in
        try await scene.server.sql("ALTER ROLE limited CONNECTION LIMIT 2")
        try await scene.server.sql(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'limited'")
        // At least one of the three processes has no connection.
        try await Task.sleep(for: .seconds(15))
        try await scene.server.sql("ALTER ROLE limited CONNECTION LIMIT -1")
      },
    ]

    /// Runs faults, prints a table with their counts, and throws if a promise of the log was broken.
    static func run(_ arguments: [String], _ main: Server) async throws {
      var (names, duration) = (arguments, Duration.seconds(5))
      if let index = names.firstIndex(of: "--seconds") {
        guard index + 1 < names.count, let seconds = Int(names[index + 1]), seconds > 0 else {
          throw Server.Failed(description: "expected a number of seconds after --seconds, found \(arguments)")
        }
        duration = .seconds(seconds)
        names.removeSubrange(index...index + 1)
      }
      let known = all.map(\.name)
      if let unknown = names.first(where: { !known.contains($0) }) {
        throw Server.Failed(
          description: "expected names of \(known.joined(separator: ", ")), or none for all; found \(unknown)")
      }
      say(
        "| fault | receipts | missing | twice | refused but executed | unknown | gaps | subscription | follower "
          + "| repeated | replica | longest pause | errors |")
      say("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
      var (passed, skipped, wrong): ([String], [String], [String]) = ([], [], [])
      for fault in all where names.isEmpty || names.contains(fault.name) {
        do {
          let counts = try await fault.counts(duration, main)
          say("| \(fault.name) | \(counts) |")
          if counts.isWrong(losesCommits: fault.losesCommits) {
            wrong.append(fault.name)
          } else {
            passed.append(fault.name)
          }
        } catch let reason as Skipped {
          say("SKIPPED: \(fault.name), because \(reason.reason)")
          skipped.append(fault.name)
        } catch {
          say("FAILED: \(fault.name): \(error)")
          wrong.append(fault.name)
        }
      }
      say("\(passed.count) passed, \(skipped.count) skipped, \(wrong.count) failed")
      if !wrong.isEmpty { throw Server.Failed(description: "expected no broken promises, found some in \(wrong)") }
    }

    private func counts(_ duration: Duration, _ main: Server) async throws -> FaultCounts {
      let scene = try await FaultScene(self, main)
      let counts: FaultCounts
      do { counts = try await scene.run(duration) } catch {
        await scene.end()
        throw error
      }
      await scene.end()
      return counts
    }

    private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
  }
#endif
