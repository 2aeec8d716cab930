#if Postgres
  import Annals
  import AnnalsPostgres
  import AnnalsTesting
  import Dispatch
  import Foundation
  import Networks
  import Synchronization

  /// A separate server and the processes of a load, for one fault.
  final class FaultScene: Sendable {
    static let (processes, tasks) = (3, 8)

    private typealias Process = Task<Void, any Error>

    /// The server, or the primary.
    let server: Server
    let standby: Server?
    let proxy: FaultyProxy?
    private let fault: Fault
    private let folder: String
    /// The journals of the writers, and of the newer writers of a deployment.
    private let journals: [String]
    /// The journals of the watcher, and of the newer watcher of a deployment.
    private let watcherJournals: [String]
    private let writers = Mutex<[Int: Process]>([:])
    private let watchers = Mutex<[Process]>([])
    /// The writers that were ended, with their signals.
    private let ended = Mutex<[Int: Int32]>([:])

    /// Starts the servers of a fault.
    ///
    /// - Throws: ``Fault/Skipped`` if this machine can't have the servers.
    init(_ fault: Fault, _ main: Server) async throws {
      self.fault = fault
      folder = try main.newFolder()
      let (first, second) = (try main.newFolder(), try main.newFolder())
      journals = (0..<Self.processes * 2).map { [folder] in "\(folder)/writer-\($0)" }
      watcherJournals = (0..<2).map { [folder] in "\(folder)/watcher-\($0)" }
      if fault.servers == .smallDisk {
        do {
          _ = try await main.program("mount", "-t", "tmpfs", "-o", "size=400m", "annals", first)
        } catch { throw Fault.Skipped(reason: "\(error)".trimmingCharacters(in: .whitespacesAndNewlines)) }
      }
      server = try await Server(in: first)
      standby = fault.servers == .pair ? try await Server(in: second, following: server) : nil
      proxy = fault.network == .direct ? nil : try FaultyProxy(to: server.url, SplitMix64(seed: 1))
    }

    /// Ends the servers.
    func end() async {
      proxy?.close()
      // A fault can have ended the server.
      for server in [standby, server] { try? await server?.control("halt") }
      if fault.servers == .smallDisk { _ = try? await server.program("umount", server.folder) }
    }

    // MARK: - The load

    /// Executes commands, injects the fault in the middle, and ends all processes gracefully.
    ///
    /// - Parameter duration: The time for which commands are executed after the fault.
    /// - Returns: The counts of the journals.
    /// - Throws: ``Fault/Skipped``, or an error if the processes don't recover from the fault.
    func run(_ duration: Duration) async throws -> FaultCounts {
      // The processes find the log.
      try await server.store().close()
      try await fault.prepare?(self)
      for number in 0..<Self.processes { startWriter(number, fault.version) }
      startWatcher(fault.version)
      do {
        try await wait("every process has executed commands") { [self] in
          journals.prefix(Self.processes).allSatisfy { Self.count(.done, $0) > 100 }
            && Self.count(.read, watcherJournals[0]) > 0
        }
        let start = DispatchTime.now().uptimeNanoseconds
        try await fault.inject(self)
        try await waitForCommands()
        try await Task.sleep(for: duration)
        let writers = writers.withLock { $0 }
        for number in writers.keys { end(number, by: SIGTERM) }
        for writer in writers.values { try await writer.value }
        let events = try await events()
        var counts = FaultCounts(journals: journals, start: start, events: events)
        if fault.version == .older {
          try await endWatcher()
          startWatcher(.newer)
        }
        try await wait("the subscription and the followers have all events") { [self] in
          FaultCounts.isComplete(watcherJournals.flatMap(FaultJournal.lines), through: events.count)
        }
        try await endWatcher()
        counts.watch(watcherJournals.flatMap(FaultJournal.lines))
        try checkVersions()
        return counts
      } catch {
        for journal in journals + watcherJournals {
          if let process = Self.process(journal) { _ = kill(process, SIGKILL) }
        }
        let processes = writers.withLock { Array($0.values) } + watchers.withLock { $0 }
        for process in processes { _ = await process.result }
        throw error
      }
    }

    private func startWriter(_ number: Int, _ version: FaultLoad.Version) {
      let url = number == 0 || fault.network == .all ? proxy?.url ?? url : url
      let writer = Task { [self] in
        do {
          _ = try await server.program(
            CommandLine.arguments[0], FaultLoad.writer.rawValue, url, journals[number], version.rawValue, "\(number)",
            "\(Self.tasks)")
        } catch { if ended.withLock({ $0[number] }) != SIGKILL { throw error } }
      }
      writers.withLock { $0[number] = writer }
    }

    private func startWatcher(_ version: FaultLoad.Version) {
      let url = fault.network == .all ? proxy?.url ?? url : url
      watchers.withLock { watchers in
        let journal = watcherJournals[watchers.count]
        watchers.append(
          Task { [server] in
            _ = try await server.program(
              CommandLine.arguments[0], FaultLoad.watcher.rawValue, url, journal, version.rawValue)
          })
      }
    }

    /// Ends the latest watcher gracefully.
    private func endWatcher() async throws {
      let watchers = watchers.withLock { $0 }
      if let process = Self.process(watcherJournals[watchers.count - 1]) { _ = kill(process, SIGTERM) }
      try await watchers.last?.value
    }

    private var url: String {
      guard let standby else {
        return fault.role.map { server.url.replacing("//annals@", with: "//\($0)@") } ?? server.url
      }
      return "postgresql://annals@/annals?host=\(server.folder),\(standby.folder)&target_session_attrs=read-write"
    }

    private func events() async throws -> [StoredEvent] {
      let store = try await PostgresEventStore(url: url.replacing("//\(fault.role ?? "annals")@", with: "//annals@"))
      defer { store.close() }
      return try await store.events(.all, after: 0, limit: .max)
    }

    private static func process(_ journal: String) -> Int32? {
      FaultJournal.lines(journal).first.flatMap { $0.values.first }.flatMap { Int32($0) }
    }

    private static func count(_ word: FaultJournal.Word, _ journal: String) -> Int {
      FaultJournal.lines(journal).count { $0.word == word }
    }

    private func wait(_ condition: String, until isMet: @Sendable () async throws -> Bool) async throws {
      let end = ContinuousClock.now + Server.limit
      while try await !isMet() {
        if ContinuousClock.now > end {
          let errors = FaultCounts(journals: journals + watcherJournals, start: 0, events: []).errors
          throw Server.Failed(description: "expected after \(Server.limit): \(condition); errors: \(errors)")
        }
        try await Task.sleep(for: .milliseconds(100))
      }
    }

    // MARK: - Faults

    /// The numbers of commands with receipts, of the writers that weren't ended.
    private var commands: [Int] {
      let (started, ended) = (writers.withLock { Set($0.keys) }, ended.withLock { $0 })
      return journals.indices.map { number in
        started.contains(number) && ended[number] == nil ? Self.count(.done, journals[number]) : .max
      }
    }

    /// Waits until every writer has executed more commands, and calls a closure between the attempts.
    func waitForCommands(_ attempt: @Sendable () async throws -> Void = {}) async throws {
      let before = commands
      try await wait("every writer executes commands after the fault") { [self] in
        try await attempt()
        return zip(before, commands).allSatisfy { before, now in now == .max || now > before + 30 }
      }
    }

    /// Ends a writer's process, and does nothing if it was already ended.
    func end(_ writer: Int, by signal: Int32) {
      let isFirst = ended.withLock { ended in
        defer { ended[writer] = ended[writer] ?? signal }
        return ended[writer] == nil
      }
      if isFirst, let process = Self.process(journals[writer]) { _ = kill(process, signal) }
    }

    /// Replaces the writers by writers of a newer version, one after the other.
    ///
    /// The older version must continue its work that doesn't need the newer version's event.
    func deploy() async throws {
      startWriter(Self.processes, .newer)
      try await wait("the older version's commands, follower and list report the newer version's event") { [self] in
        let lines = (journals.prefix(Self.processes) + [watcherJournals[0]]).flatMap(FaultJournal.lines)
        return ["command", "follower", "list"].allSatisfy { call in
          lines.contains { $0.word == .error && $0.values == [Substring(call), "unknownEvent"] }
        }
      }
      let before = olderProgress
      try await wait("the older version continues with all other events") { [self] in
        zip(before, olderProgress).allSatisfy { before, now in now > before + 20 }
      }
      for number in 0..<Self.processes {
        if number > 0 { startWriter(Self.processes + number, .newer) }
        try await waitForCommands()
        end(number, by: SIGTERM)
      }
    }

    /// The numbers of steps of the older version that don't need the newer version's event.
    private var olderProgress: [Int] {
      let watcher = FaultJournal.lines(watcherJournals[0])
      let notes = journals.prefix(Self.processes).map { journal in
        FaultJournal.lines(journal).count { $0.word == .done && Int($0.values[0]).map(FaultLoad.isNote) == true }
      }
      return notes
        + [
          watcher.count { $0.word == .read }, watcher.count { $0.word == .listed },
          watcher.count {
            $0.word == .followed && !$0.values[1].hasPrefix("mixed") && !$0.values[1].hasPrefix("plain")
          },
        ]
    }

    /// Throws if a process of the newer version doesn't know an event, or if a watcher hasn't compared its copy.
    private func checkVersions() throws {
      for (index, _) in watchers.withLock({ $0 }).enumerated()
      where Self.count(.differences, watcherJournals[index]) != 1 {
        throw Server.Failed(description: "expected a comparison of watcher \(index)'s copy, found none")
      }
      let newer = journals.dropFirst(Self.processes) + watcherJournals.dropFirst()
      for line in newer.flatMap(FaultJournal.lines) where line.word == .error && line.values.last == "unknownEvent" {
        throw Server.Failed(description: "expected that the newer version knows every event, found \(line)")
      }
    }

    /// Kills the server's main process, whose other processes then end.
    func killServer() throws {
      let text = try String(contentsOfFile: server.folder + "/data/postmaster.pid", encoding: .utf8)
      guard let process = text.split(separator: "\n").first.flatMap({ Int32($0) }) else {
        throw Server.Failed(description: "expected a process in postmaster.pid, found \(text)")
      }
      _ = kill(process, SIGKILL)
    }

    /// Starts the server as soon as the rest of its processes has ended, if it doesn't run.
    func startServer() async throws {
      // It fails while the server runs.
      try await waitForCommands { [server] in try? await server.control("start") }
    }

    /// Ends replication, so that a failover loses commits.
    func endReplication() async throws {
      try await standby?.sql("ALTER SYSTEM SET primary_conninfo = ''")
      try await standby?.sql("SELECT pg_reload_conf()")
      try await wait("the standby receives no commits") { [standby] in
        try await standby?.sql("SELECT count(*) FROM pg_stat_wal_receiver") == "0\n"
      }
    }

    /// Ends the primary like the loss of its machine, and promotes the standby.
    func failOver() async throws {
      try await server.control("halt")
      try await standby?.control("promote")
    }

    /// Changes the language of the server's messages, and skips the fault if it can't.
    func speakFrench() async throws {
      do {
        try await server.sql("ALTER SYSTEM SET lc_messages = 'fr_FR.UTF-8'")
      } catch {
        throw Fault.Skipped(
          reason: "the system lacks the locale fr_FR.UTF-8 (localedef -i fr_FR -f UTF-8 fr_FR.UTF-8)")
      }
      try await server.control("crash")
      let log = try String(contentsOfFile: server.folder + "/log", encoding: .utf8)
      if !log.contains("le système de bases de données") {
        throw Fault.Skipped(reason: "the server's programs have no French messages")
      }
    }

    /// Runs SQL that keeps a transaction open, and ends the transaction later than a store's patience.
    func holding(_ body: @escaping @Sendable () async throws -> Void) async throws {
      let held = Task { try await body() }
      try await Task.sleep(for: .seconds(15))
      try await server.release()
      // The cancelled statement throws.
      _ = await held.result
    }

    /// Fills the server's disk until no writer executes commands, and frees it.
    func fillDisk() async throws {
      let path = server.folder + "/filler"
      _ = FileManager.default.createFile(atPath: path, contents: nil)
      let file = try FileHandle(forWritingTo: URL(filePath: path))
      try await wait("the full disk stops all commands") { [self] in
        // The server can free a part of its space.
        while (try? file.write(contentsOf: Data(count: 1 << 16))) != nil {}
        let before = commands
        try await Task.sleep(for: .seconds(3))
        return commands == before
      }
      try file.close()
      try FileManager.default.removeItem(atPath: path)
    }
  }
#endif
