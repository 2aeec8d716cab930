#if Postgres
  import Annals
  import CAnnalsPQ

  /// What the thread of an ``SQLPool`` has: connections, and the work that waits for one.
  struct PoolState {
    private let settings: SQLPool.Settings
    var queue: [SQLWork] = []
    var listener: (@Sendable () -> Void)?
    private var connections: [SQLConnection] = []
    private var ears: SQLConnection?
    private var isListening = false
    /// When the next try to connect may begin, and how long the one after it waits.
    private var nextTry: UInt64 = 0
    private var pause: UInt64 = 0
    private var nextEars: UInt64 = 0
    private let hosts: SQLHosts
    /// The host to connect to next, and how many failed since one was reached.
    private var (host, failedHosts) = (0, 0)

    init(_ settings: SQLPool.Settings) {
      self.settings = settings
      hosts = SQLHosts(settings.conninfo, patience: settings.patience.inNanoseconds)
    }

    /// All connections that wait for their sockets.
    var all: [SQLConnection] { connections + (ears.map { [$0] } ?? []) }

    /// When there is something to do without any socket.
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

    /// Gives work to connections that are free, and makes new ones where there are too few.
    mutating func assign(_ now: UInt64) {
      for connection in connections where connection.isIdle && !queue.isEmpty {
        let work = queue.removeFirst()
        settings.note(.connectionWait, .duration(.nanoseconds(Int64(now > work.came ? now - work.came : 0))))
        connection.begin(work, now, patience: settings.answerTimeout.inNanoseconds)
      }
      if !queue.isEmpty, wantsConnection, now >= nextTry { connections.append(connect(now)) }
      if listener != nil, ears == nil, now >= nextEars {
        (ears, isListening) = (connect(now), false)
        nextEars = now + 1_000_000_000
      }
      settle(now)
    }

    /// Looks at what became of the connections.
    mutating func settle(_ now: UInt64) {
      if connections.contains(where: \.isIdle) { (pause, failedHosts, lastProblem) = (0, 0, nil) }
      let ended = connections
      connections.removeAll { $0.isDead }
      for connection in ended {
        guard case .dead(let failure) = connection.phase else { continue }
        settings.note(.connectionFailures, .count(1))
        switch failure {
        case .rejected:
          // The next try would be refused as well.
          for work in queue { work.finish(.failure(failure)) }
          queue = []
        case .unreachable where passes(connection):
          // The next host is tried at once.
          nextTry = now
          lastProblem = failure
        case .unreachable, .full:
          // A server that is full is there: also who does not wait for one that is away waits for others to leave it.
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
        (self.ears, isListening) = (nil, false)
        nextEars = now + 1_000_000_000
        return
      }
      if ears.isIdle, !isListening {
        isListening = true
        ears.begin(
          SQLWork([settings.listen], deadline: .max, isPatient: true, nil), now,
          patience: settings.answerTimeout.inNanoseconds)
        // What was committed before we listened is read now.
        listener?()
      }
      if ears.takeNotifications() > 0 { listener?() }
    }

    private var lastProblem: SQLFailure?

    /// Passes the host of a connection that could not be made.
    ///
    /// - Returns: True if there is another one that was not tried since one was reached.
    private mutating func passes(_ connection: SQLConnection) -> Bool {
      let count = hosts.hosts.count
      if count < 2 { return false }
      // Several connections may have been under way to the same host.
      if connection.host != host { return true }
      (host, failedHosts) = ((host + 1) % count, failedHosts + 1)
      return failedHosts % count != 0
    }

    /// Ends what takes too long.
    mutating func expire(_ now: UInt64) {
      for connection in all where connection.deadline <= now { connection.expire() }
      settle(now)
      // Who waited while none was made hears why: "all are in use" would send them the wrong way.
      let problem: SQLFailure =
        connections.allSatisfy(\.isConnecting)
        ? lastProblem ?? .unreachable("the server did not answer in time") : .busy
      for work in queue where work.deadline <= now { work.finish(.failure(problem)) }
      queue.removeAll { $0.deadline <= now }
    }

    /// Answers all that wait, and lets go of the connections.
    mutating func end() {
      for work in queue { work.finish(.failure(.closed)) }
      for connection in all { connection.expire() }
      (queue, connections, ears) = ([], [], nil)
    }

    private func connect(_ now: UInt64) -> SQLConnection {
      let time = hosts.hosts.isEmpty ? settings.patience.inNanoseconds : hosts.time
      return SQLConnection(settings.conninfo, hosts, host: host, deadline: now + time) { handle in
        let version = PQserverVersion(handle)
        if version < 120_000 {
          return .rejected("expected PostgreSQL 12 or later, found \(version / 10_000); update the server")
        }
        let encoding = PQparameterStatus(handle, "server_encoding").map { String(cString: $0) } ?? "UTF8"
        if encoding != "UTF8" {
          return .rejected("expected a database with the encoding UTF8, found \(encoding); make one that has it")
        }
        return nil
      }
    }
  }
#endif
