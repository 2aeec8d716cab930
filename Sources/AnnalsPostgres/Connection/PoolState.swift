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
    /// The time after which the store makes another attempt to connect, although the first attempt can still succeed.
    ///
    /// A firewall can silently drop a connection while the store opens it. The time doubles for the next attempt,
    /// because the server might only be slow.
    private var attemptTime = Self.leastAttemptTime
    private static let leastAttemptTime: UInt64 = 5_000_000_000
    /// The running check of silent connections.
    private var check: SilenceCheck?
    /// The failure of the last check, if it failed.
    private var checkFailure: SQLFailure?
    /// The server processes that held locks at the last check, and its time.
    private var lockHolders: (pids: Set<Int>, time: UInt64) = ([], 0)
    /// The server processes of connections that were closed while the server owed them a response.
    private var abandoned: [SQLConnection.Backend] = []
    private let hosts: SQLHosts
    /// The next host to connect to, and the number of failed hosts since the last successful connection.
    private var (host, failedHosts) = (0, 0)

    init(_ settings: SQLPool.Settings) {
      self.settings = settings
      hosts = SQLHosts(settings.conninfo, patience: settings.patience.inNanoseconds)
    }

    /// All connections, including the one that listens for notifications, and the one of a check.
    var all: [SQLConnection] { connections + [ears, check?.connection].compactMap { $0 } }

    /// The next time at which the thread must act even if no socket is ready.
    var nextTime: UInt64 {
      var next = all.reduce(UInt64.max) { min($0, $1.deadline, $1.attemptEnd) }
      next = queue.reduce(next) { min($0, $1.deadline) }
      if !queue.isEmpty, wantsConnection { next = min(next, nextTry) }
      if listener != nil, ears == nil { next = min(next, nextEars) }
      next = min(next, check?.nextTime ?? all.reduce(UInt64.max) { min($0, $1.nextCheck) })
      return next
    }

    /// Counts the connections and the waiting work for a monitor.
    ///
    /// - Parameter appends: The number of appends that wait for the group before them.
    /// - Returns: The levels.
    func levels(appends: Int) -> PoolLevels {
      var levels = PoolLevels(waiting: queue.count, appends: appends)
      levels.count(connections, ears: ears, isChecking: check != nil)
      return levels
    }

    private var wantsConnection: Bool {
      let timely = connections.filter { !$0.isLate }
      // A server that needs seconds for a connection must not get twice the attempts, so one at a time replaces them.
      if timely.count < connections.count, timely.contains(where: \.isConnecting) { return false }
      return timely.count < settings.size && timely.count { $0.isIdle || $0.isConnecting } < queue.count
    }

    /// Adds work to the queue, and fails work for which the queue has no room.
    mutating func add(_ work: [SQLWork]) {
      let room = max(0, SQLPool.mostWaiting - queue.count)
      queue += work.prefix(room)
      for work in work.dropFirst(room) { work.finish(.failure(.crowded)) }
    }

    /// Assigns work to idle connections, and opens new connections if too few exist.
    mutating func assign(_ now: UInt64) {
      if !abandoned.isEmpty, connections.contains(where: \.isIdle) {
        queue.insert(contentsOf: abandoned.map { .ending($0, deadline: now + settings.patience.inNanoseconds) }, at: 0)
        abandoned = []
      }
      for connection in connections where connection.isIdle && !queue.isEmpty {
        let work = queue.removeFirst()
        settings.environment.note(
          .connectionWait, .duration(.nanoseconds(Int64(now > work.came ? now - work.came : 0))))
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
      if connections.contains(where: \.isIdle) {
        (pause, failedHosts, lastProblem, checkFailure) = (0, 0, nil, nil)
        removeLateAttempts()
      }
      let ended = connections
      connections.removeAll { $0.isDead || $0.isRetired && $0.isIdle }
      for connection in ended {
        guard case .dead(let failure) = connection.phase else { continue }
        settings.environment.note(.connectionFailures, .count(1))
        switch failure {
        case .rejected:
          // The next attempt would be rejected as well.
          for work in queue { work.finish(.failure(failure)) }
          queue = []
        case .standby:
          // The other connections have the same standby. By now, the address might belong to the primary.
          for other in connections { other.retire() }
          connections.removeAll(where: \.isIdle)
          _ = passes(connection)
        case .unreachable, .interrupted, .full:
          lastProblem = failure
          // Even calls that aren't patient wait for a server that is full or starting, because its address is right.
          if !failure.isUnreachable { for work in queue { work.bePatient() } }
          if case .full = failure {
          } else if passes(connection) {
            // Try the next host immediately.
            nextTry = now
            continue
          }
          if failure.isUnreachable {
            for work in queue where !work.isPatient { work.finish(.failure(failure)) }
            queue.removeAll { !$0.isPatient }
          }
          pause = min(max(pause * 2, 20_000_000), 1_000_000_000)
          nextTry = now + pause
        default: break
        }
      }
      guard let ears else { return }
      if case .dead(let failure) = ears.phase {
        settings.environment.note(.connectionFailures, .count(1))
        switch failure {
        case .unreachable, .interrupted: _ = passes(ears)
        default: break
        }
        self.ears = nil
        isListening = false
        nextEars = now + 1_000_000_000
        return
      }
      if ears.isIdle, !isListening {
        isListening = true
        // The server doesn't notify the store of commits before the subscription, so read them after it.
        let work = SQLWork([settings.listen], deadline: .max, isPatient: true) { [listener] _ in listener?() }
        ears.begin(work, now, patience: settings.answerTimeout.inNanoseconds)
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
      settings.environment.note(
        .hostChanged, host: connection.place,
        "the next attempt to connect uses the host \(hosts.secrets.redacted(hosts.hosts[host].name)) instead of "
          + connection.place)
      failedHosts += 1
      return failedHosts % count != 0
    }

    /// Sends and receives on a connection, after which the pool knows how long the server needs to accept a connection.
    mutating func advance(_ connection: SQLConnection, _ now: UInt64, hasInput: Bool) {
      let wasConnecting = connection.isConnecting
      connection.advance(now, hasInput: hasInput)
      if wasConnecting, connection.isIdle { attemptTime = max(2 * (now - connection.began), Self.leastAttemptTime) }
    }

    /// Finds attempts to connect that take long, so that the pool makes another attempt.
    private mutating func findLateAttempts(_ now: UInt64) {
      let late = all.filter { $0.attemptEnd <= now }
      if late.isEmpty { return }
      attemptTime *= 2
      for connection in late { connection.isLate = true }
      // Work doesn't wait for these two connections, so one attempt at a time suffices.
      if let ears, ears.isLate {
        giveUp([ears])
        (self.ears, nextEars) = (nil, now)
      }
      if let check, check.connection.isLate {
        giveUp([check.connection])
        (self.check, checkFailure) = (nil, Self.lateCheck)
      }
    }

    /// Removes attempts that are no longer necessary, because another attempt has succeeded.
    private mutating func removeLateAttempts() {
      guard connections.contains(where: \.isLate) else { return }
      var removed = connections.filter { $0.isLate && $0.isConnecting }
      connections.removeAll { $0.isLate && $0.isConnecting }
      for connection in connections { connection.isLate = false }
      while connections.count > settings.size, let last = connections.lastIndex(where: \.isConnecting) {
        removed.append(connections.remove(at: last))
      }
      giveUp(removed)
    }

    /// Ends attempts to connect that other attempts replace.
    private func giveUp(_ attempts: [SQLConnection]) {
      if attempts.isEmpty { return }
      for connection in attempts { connection.giveUp() }
      settings.environment.note(.connectionFailures, .count(attempts.count))
    }

    private static let lateCheck = SQLFailure.unreachable("the server didn't respond")

    /// Fails connections and work that have timed out.
    mutating func expire(_ now: UInt64) {
      findLateAttempts(now)
      for connection in all where connection.deadline <= now {
        if connection.awaitsResponse, let backend = connection.backend {
          abandoned.append(backend)
          settings.environment.note(
            .abandoned, host: connection.place,
            "the server process \(backend.pid) at \(connection.place) might still execute statements of a closed "
              + "connection. If it waits for a synchronous standby, the store ends it")
        }
        connection.expire()
      }
      checkSilence(now)
      settle(now)
      for work in queue where work.deadline <= now { work.finish(.failure(waitingFailure(of: work, now))) }
      queue.removeAll { $0.deadline <= now }
    }

    /// Returns the failure of work that has waited for a connection for too long.
    private func waitingFailure(of work: SQLWork, _ now: UInt64) -> SQLFailure {
      let open = connections.filter { !$0.isConnecting }
      // If no connection was established, report the reason. The message "all are in use" would be misleading.
      if open.isEmpty {
        return lastProblem ?? .late(after: work.deadline > work.came ? work.deadline - work.came : 0)
      }
      guard open.allSatisfy(\.awaitsResponse) else { return .busy }
      if !lockHolders.pids.isEmpty, lockHolders.time >= work.came { return .blocked(by: lockHolders.pids.sorted()) }
      let silence = open.map { now > $0.lastContact ? now - $0.lastContact : 0 }.min() ?? 0
      if silence < SQLConnection.silence { return .busy }
      let seconds = silence / 1_000_000_000
      let checkFailure =
        checkFailure ?? (check.flatMap { $0.isLate(now) ? Self.lateCheck : nil })
      guard let checkFailure else { return .silent(seconds: seconds) }
      let reason =
        "no connection of this store has received a response for \(seconds) s, and no connection can be opened"
      switch checkFailure {
      case .unreachable(let message), .interrupted(let message): return .unreachable("\(reason): \(message)")
      case .full(let message): return .full("\(reason): \(message)")
      default: return .silent(seconds: seconds)
      }
    }

    /// Closes connections that will never receive a response, although the server is reachable.
    private mutating func checkSilence(_ now: UInt64) {
      let waiting = (connections + [ears].compactMap { $0 }).filter(\.awaitsResponse)
      if check == nil, let silent = waiting.first(where: { $0.nextCheck <= now }) {
        check = SilenceCheck(connect(now, host: silent.host))
      }
      guard let check else { return }
      let findings: SilenceCheck.Findings
      switch check.advance(now, waiting) {
      case .pending: return
      case .failed(let failure):
        settings.environment.note(.connectionFailures, .count(1))
        (checkFailure, findings) = (failure, SilenceCheck.Findings())
      case .found(let found): (checkFailure, findings) = (nil, found)
      }
      self.check = nil
      lockHolders = (findings.lockHolders, now)
      let lost = waiting.filter { connection in
        guard connection.lastContact < findings.began, !check.hasProgress(connection), let backend = connection.backend
        else { return false }
        return findings.stalled.contains(backend.pid) && backend.server == check.connection.backend?.server
      }
      for connection in waiting { connection.delayCheck(now) }
      if lost.isEmpty { return }
      // The network might also have dropped the connections that were idle since the check began. Their last responses
      // can be later than the last contact of a dropped connection. If they stayed open, the next call would need a
      // second check of 1.5 s.
      for connection in all where connection.isIdle && connection.lastContact < findings.began { connection.lose() }
      for connection in lost { connection.lose() }
      settle(now)
      if connections.count < settings.size { connections.append(check.connection) }
    }

    /// Fails all waiting work, and releases the connections.
    mutating func end() {
      for work in queue { work.finish(.failure(.closed)) }
      for connection in all { connection.close() }
      queue = []
      connections = []
      (ears, check) = (nil, nil)
    }

    private func connect(_ now: UInt64, host: Int? = nil) -> SQLConnection {
      let time = hosts.hosts.isEmpty ? settings.patience.inNanoseconds : hosts.time
      // With several hosts, the next host gets its turn instead of another attempt.
      let attemptEnd = hosts.hosts.isEmpty ? now + attemptTime : .max
      return SQLConnection(
        settings.conninfo, hosts, host: host ?? self.host, began: now, attemptEnd: attemptEnd, deadline: now + time,
        settings.environment
      ) { handle in
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
