#if Postgres
  import Annals
  import CAnnalsPQ
  import Foundation
  import Synchronization

  #if canImport(Darwin)
    import Darwin
  #elseif canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// A bounded number of connections to the server, and the thread that drives them.
  ///
  /// Work is done in the order of its arrival. A call doesn't block a thread of Swift's concurrency pool, because this
  /// pool's own thread waits for all sockets together.
  final class SQLPool: Sendable {
    struct Settings: Sendable {
      var conninfo: String
      /// The maximum number of connections.
      var size: Int
      /// The maximum time that work waits for a connection.
      var patience: Duration
      /// The maximum time without data from the server during a response.
      var answerTimeout: Duration
      /// The statement that starts to listen for notifications.
      var listen: SQLStatement
      /// The environment with the monitor, which the pool's thread calls.
      var environment = StoreEnvironment()
    }

    /// The maximum number of reads that wait for a connection, and the maximum number of appends that wait for a group.
    ///
    /// Further calls fail immediately. If the server is overloaded, an early error is better than an error after
    /// ``Settings/patience``. A fast server executes this number of appends in about a second.
    static let mostWaiting = 10_000

    private struct Inbox {
      var work: [SQLWork] = []
      var alarms: [Alarm] = []
      var isClosed = false
      var listener: (@Sendable () -> Void)?
    }

    /// A closure that the pool's thread calls at a time on the monotonic clock.
    private struct Alarm: Sendable {
      let time: UInt64
      let body: @Sendable () -> Void
    }

    let settings: Settings
    /// The number of appends that wait for the group before them.
    let waitingAppends = Atomic(0)
    private let inbox = Mutex(Inbox())
    private let wake: WakePipe

    /// Starts the thread.
    ///
    /// The first connection is opened only when work arrives.
    init(_ settings: Settings) throws {
      self.settings = settings
      wake = try WakePipe()
      let thread = Thread { [inbox = Unowned(self)] in inbox.pool.run() }
      thread.name = "Annals.postgres"
      thread.stackSize = 1 << 20
      thread.start()
    }

    /// A reference that passes the pool to its thread.
    ///
    /// The thread retains the pool until the pool is closed.
    private struct Unowned: Sendable {
      let pool: SQLPool
      init(_ pool: SQLPool) { self.pool = pool }
    }

    /// Sends statements in one message and awaits their results.
    ///
    /// - Parameters:
    ///   - statements: The statements, which succeed or fail together.
    ///   - isPatient: False to fail the call if no server accepts the first attempt to connect, instead of retrying
    ///     until the call times out. If a server accepts an attempt, the call retries in both cases.
    ///   - patience: The maximum time to wait for a connection, or `nil` for the time in the settings.
    /// - Returns: The rows of every statement.
    /// - Throws: The reason for the failure.
    func run(
      _ statements: [SQLStatement], isPatient: Bool = true, patience: Duration? = nil
    ) async throws(SQLFailure) -> [SQLRows] {
      let outcome: SQLWork.Outcome = await withCheckedContinuation { continuation in
        send(statements, isPatient: isPatient, patience: patience) { continuation.resume(returning: $0) }
      }
      return try outcome.get()
    }

    /// Sends statements in one message.
    ///
    /// - Parameters:
    ///   - statements: The statements, which succeed or fail together.
    ///   - isPatient: False to fail the call if no server accepts the first attempt to connect, instead of retrying
    ///     until the call times out. If a server accepts an attempt, the call retries in both cases.
    ///   - patience: The maximum time to wait for a connection, or `nil` for the time in the settings.
    ///   - body: A closure that receives the outcome, usually on the pool's thread. It must be short, because the
    ///     thread waits for it.
    func send(
      _ statements: [SQLStatement], isPatient: Bool = true, patience: Duration? = nil,
      _ body: @escaping @Sendable (SQLWork.Outcome) -> Void
    ) {
      let deadline = nowInNanoseconds() + (patience ?? settings.patience).inNanoseconds
      let work = SQLWork(statements, deadline: deadline, isPatient: isPatient, body)
      let isClosed = inbox.withLock { inbox in
        if !inbox.isClosed { inbox.work.append(work) }
        return inbox.isClosed
      }
      if isClosed { work.finish(.failure(.closed)) } else { wake.ring() }
    }

    /// Starts to listen for notifications, on a separate connection.
    func listen(_ body: @escaping @Sendable () -> Void) {
      inbox.withLock { $0.listener = body }
      wake.ring()
    }

    /// Calls a closure on the pool's thread at a time on the monotonic clock, up to two milliseconds late.
    ///
    /// If the pool is closed before, the thread calls the closure when it ends. If the pool was closed earlier, the
    /// method calls the closure itself.
    func call(at time: UInt64, _ body: @escaping @Sendable () -> Void) {
      let isClosed = inbox.withLock { inbox in
        if !inbox.isClosed { inbox.alarms.append(Alarm(time: time, body: body)) }
        return inbox.isClosed
      }
      if isClosed { body() } else { wake.ring() }
    }

    /// Closes the connections and ends the thread.
    ///
    /// Waiting work fails with an error.
    func close() {
      inbox.withLock { $0.isClosed = true }
      wake.ring()
    }

    // MARK: On the thread

    private func run() {
      var state = PoolState(settings)
      var gauges = PoolGauges(settings.environment)
      while true {
        let now = nowInNanoseconds()
        let (work, alarms, nextAlarm, isClosed, listener) = inbox.withLock { inbox in
          let isClosed = inbox.isClosed
          let due = inbox.alarms.filter { isClosed || $0.time <= now }
          inbox.alarms.removeAll { isClosed || $0.time <= now }
          defer { inbox.work = [] }
          // An alarm that is added later also rings the pipe.
          let next = inbox.alarms.reduce(UInt64.max) { min($0, $1.time) }
          return (inbox.work, due, next, isClosed, inbox.listener)
        }
        state.add(work)
        if isClosed {
          state.end()
          for alarm in alarms { alarm.body() }
          return gauges.end()
        }
        for alarm in alarms { alarm.body() }
        state.listener = listener
        state.assign(now)
        gauges.update(now, state.levels(appends: waitingAppends.load(ordering: .relaxed)))
        wait(for: &state, now, until: min(gauges.nextTime, nextAlarm))
        state.expire(nowInNanoseconds())
      }
    }

    private func wait(for state: inout PoolState, _ now: UInt64, until time: UInt64) {
      let connections = state.all
      var polled = [pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0)]
      for connection in connections {
        let interest = connection.interest
        let events = (interest.reads ? POLLIN : 0) | (interest.writes ? POLLOUT : 0)
        polled.append(pollfd(fd: interest.socket, events: Int16(events), revents: 0))
      }
      let next = min(state.nextTime, time)
      let timeout = next == .max ? -1 : next <= now ? 0 : Int32(min((next - now) / 1_000_000 + 1, 60_000))
      // A signal can interrupt the wait before any socket is ready.
      if poll(&polled, nfds_t(polled.count), timeout) <= 0 { return }
      if polled[0].revents != 0 { wake.clear() }
      let later = nowInNanoseconds()
      for (connection, event) in zip(connections, polled.dropFirst()) where event.revents != 0 {
        state.advance(connection, later, hasInput: event.revents & Int16(POLLIN) != 0)
      }
      state.settle(later)
    }
  }

  /// A pipe that wakes the thread.
  private final class WakePipe: Sendable {
    let reading: Int32
    private let writing: Int32

    init() throws {
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else {
        throw SQLFailure.unreachable(
          "the system can't create a pipe for the store's thread: \(String(cString: strerror(errno))) (close files, or "
            + "raise the limit with ulimit -n)")
      }
      reading = ends[0]
      writing = ends[1]
      for end in ends {
        _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      }
    }

    deinit {
      close(reading)
      close(writing)
    }

    /// Wakes the thread by writing a byte to the pipe.
    ///
    /// If the pipe is full, the thread wakes without another byte.
    func ring() {
      var byte: UInt8 = 1
      _ = write(writing, &byte, 1)
    }

    func clear() {
      var bytes = [UInt8](repeating: 0, count: 256)
      while read(reading, &bytes, bytes.count) > 0 {}
    }
  }

  extension Duration {
    /// The duration in whole nanoseconds, at most about 292 years.
    var inNanoseconds: UInt64 {
      let (seconds, attoseconds) = components
      return UInt64(max(0, min(seconds, 9_000_000_000))) * 1_000_000_000 + UInt64(max(0, attoseconds) / 1_000_000_000)
    }
  }
#endif
