#if Postgres
  import Annals
  import CAnnalsPQ

  /// The state of an ``SQLPool``'s thread: its connections, and the work that waits for a connection.
  struct PoolState {
    private let settings: SQLPool.Settings
    private var queue: [SQLWork] = []
    var listener: (@Sendable () -> Void)?
    private var connections: [SQLConnection] = []
    private var ears: SQLConnection?
    private var isListening = false
    /// The time of the next connection attempt, and the pause between that attempt and the following one.
    private var nextTry: UInt64 = 0
    private var pause: UInt64 = 0
    private var nextEars: UInt64 = 0
    private let hosts: SQLHosts
    /// The next host to connect to, and the number of failed hosts since the last successful connection.
    private var (host, failedHosts) = (0, 0)

    init(_ settings: SQLPool.Settings) {
      self.settings = settings
      hosts = SQLHosts(settings.conninfo, patience: settings.patience.inNanoseconds)
    }

    /// All connections, including the one that listens for notifications.
    var all: [SQLConnection] { connections + (ears.map { [$0] } ?? []) }

    /// The next time at which the thread must act even if no socket is ready.
    var nextTime: UInt64 {
      var next = all.reduce(UInt64.max) { min($0, $1.deadline) }
      next = queue.reduce(next) { min($0, $1.deadline) }
      if !queue.isEmpty, wantsConnection { next = min(next, nextTry) }
      if listener != nil, ears == nil { next = min(next, nextEars) }
      return next
    }

    private var wantsConnection: Bool {
      connections.count < settings.size && connections.count { $0.isIdle || $0.isConnecting } < queue.count
    }

    /// Adds work to the queue, and fails work for which the queue has no room.
    mutating func add(_ work: [SQLWork]) {
      let room = max(0, SQLPool.mostWaiting - queue.count)
      queue += work.prefix(room)
      for work in work.dropFirst(room) { work.finish(.failure(.crowded)) }
    }

    /// Assigns work to idle connections, and opens new connections if too few exist.
    mutating func assign(_ now: UInt64) {
      for connection in connections where connection.isIdle && !queue.isEmpty {
        let work = queue.removeFirst()
        settings.note(.connectionWait, .duration(.nanoseconds(Int64(now > work.came ? now - work.came : 0))))
        connection.begin(work, now, patience: settings.answerTimeout.inNanoseconds)
      }
      if !queue.isEmpty, wantsConnection, now >= nextTry { connections.append(connect(now)) }
      if listener != nil, ears == nil, now >= nextEars {
        ears = connect(now)
        isListening = false
        nextEars = now + 1_000_000_000
      }
      settle(now)
    }

    /// Removes failed connections, and decides when and where to reconnect.
    mutating func settle(_ now: UInt64) {
      if connections.contains(where: \.isIdle) { (pause, failedHosts, lastProblem) = (0, 0, nil) }
      let ended = connections
      connections.removeAll { $0.isDead || $0.isRetired && $0.isIdle }
      for connection in ended {
        guard case .dead(let failure) = connection.phase else { continue }
        settings.note(.connectionFailures, .count(1))
        switch failure {
        case .rejected:
          // The next attempt would be rejected as well.
          for work in queue { work.finish(.failure(failure)) }
          queue = []
        case .standby:
          // The other connections have the same standby. By now, the address might belong to the primary.
          for other in connections { other.isRetired = true }
          connections.removeAll(where: \.isIdle)
          _ = passes(connection)
        case .unreachable where passes(connection):
          // Try the next host immediately.
          nextTry = now
          lastProblem = failure
        case .unreachable, .full:
          // Calls that aren't patient don't wait for an unreachable server. But a full server is reachable, so even
          // these calls wait for a free connection.
          if case .unreachable = failure {
            for work in queue where !work.isPatient { work.finish(.failure(failure)) }
            queue.removeAll { !$0.isPatient }
          }
          pause = min(max(pause * 2, 20_000_000), 1_000_000_000)
          nextTry = now + pause
          lastProblem = failure
        default: break
        }
      }
      guard let ears else { return }
      if case .dead(let failure) = ears.phase {
        if case .unreachable = failure { _ = passes(ears) }
        self.ears = nil
        isListening = false
        nextEars = now + 1_000_000_000
        return
      }
      if ears.isIdle, !isListening {
        isListening = true
        ears.begin(
          SQLWork([settings.listen], deadline: .max, isPatient: true, nil), now,
          patience: settings.answerTimeout.inNanoseconds)
        // The server doesn't notify the store of commits before the subscription, so read them now.
        listener?()
      }
      if ears.takeNotifications() > 0 { listener?() }
    }

    private var lastProblem: SQLFailure?

    /// Switches to the next host if the current host's connection failed.
    ///
    /// - Returns: True if a host remains that wasn't tried since the last successful connection.
    private mutating func passes(_ connection: SQLConnection) -> Bool {
      let count = hosts.hosts.count
      if count < 2 { return false }
      // Several connections to the same host might have been in progress.
      if connection.host != host { return true }
      host = (host + 1) % count
      failedHosts += 1
      return failedHosts % count != 0
    }

    /// Fails connections and work that have timed out.
    mutating func expire(_ now: UInt64) {
      for connection in all where connection.deadline <= now { connection.expire() }
      settle(now)
      // If no connection was established, report the reason. The message "all are in use" would be misleading.
      let problem: SQLFailure =
        connections.allSatisfy(\.isConnecting)
        ? lastProblem ?? .unreachable("the server didn't respond in time (see PostgresOptions.patience)") : .busy
      for work in queue where work.deadline <= now { work.finish(.failure(problem)) }
      queue.removeAll { $0.deadline <= now }
    }

    /// Fails all waiting work, and releases the connections.
    mutating func end() {
      for work in queue { work.finish(.failure(.closed)) }
      for connection in all { connection.expire() }
      queue = []
      connections = []
      ears = nil
    }

    private func connect(_ now: UInt64) -> SQLConnection {
      let time = hosts.hosts.isEmpty ? settings.patience.inNanoseconds : hosts.time
      return SQLConnection(settings.conninfo, hosts, host: host, deadline: now + time) { handle in
        let version = PQserverVersion(handle)
        if version < 120_000 {
          return .rejected(
            "Annals requires PostgreSQL 12 or later, but this server runs PostgreSQL \(version / 10_000)",
            remedy: "update the server, or choose another server")
        }
        let encoding = PQparameterStatus(handle, "server_encoding").map { String(cString: $0) } ?? "UTF8"
        if encoding != "UTF8" {
          return .rejected(
            "expected a database with the encoding UTF8, found \(encoding)", remedy: "create a database with UTF8")
        }
        return nil
      }
    }
  }
#endif
