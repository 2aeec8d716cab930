#if Postgres
  import Annals

  /// The numbers of waiting calls and of connections at one moment.
  struct PoolLevels: Equatable {
    /// The number of calls and groups of appends that wait for a connection.
    var waiting = 0
    /// The number of appends that wait for the group before them.
    var appends = 0
    private var idle = 0
    private var used = 0
    private var opening = 0
    private var listening = 0
    private var checking = 0

    init(waiting: Int = 0, appends: Int = 0) { (self.waiting, self.appends) = (waiting, appends) }

    /// Counts the connections.
    ///
    /// - Parameters:
    ///   - connections: The connections for calls.
    ///   - ears: The connection that listens for notifications.
    ///   - isChecking: True if another connection checks the server's processes.
    mutating func count(_ connections: [SQLConnection], ears: SQLConnection?, isChecking: Bool) {
      for connection in connections {
        switch connection.phase {
        case .connecting, .identifying: opening += 1
        case .idle: idle += 1
        case .working, .recovering: used += 1
        case .dead: break
        }
      }
      if let ears, !ears.isDead { if ears.isConnecting { opening += 1 } else { listening += 1 } }
      if isChecking { checking += 1 }
    }

    /// True if a call is waiting or running.
    var isActive: Bool { waiting + appends + used + opening > 0 }

    /// Passes the levels that differ from earlier levels to a monitor.
    func note(since earlier: PoolLevels?, to environment: StoreEnvironment) {
      func note(_ name: StoreMeasurement.Name, _ level: KeyPath<PoolLevels, Int>, _ labels: [String: String] = [:]) {
        if self[keyPath: level] == earlier?[keyPath: level] { return }
        environment.note(name, .level(self[keyPath: level]), labels)
      }
      note(.connectionQueue, \.waiting)
      note(.appendQueue, \.appends)
      note(.connections, \.idle, ["state": "idle"])
      note(.connections, \.used, ["state": "used"])
      note(.connections, \.opening, ["state": "opening"])
      note(.connections, \.listening, ["state": "listening"])
      note(.connections, \.checking, ["state": "checking"])
    }
  }

  /// The part of a pool's thread that passes levels to the monitor.
  ///
  /// The levels can change thousands of times per second, so a sample of them is taken ten times per second. After the
  /// last call has ended, one more sample is taken, so that an idle pool doesn't wake its thread.
  struct PoolGauges {
    private let environment: StoreEnvironment
    private var last: PoolLevels?
    /// The time of the next sample.
    private(set) var nextTime: UInt64 = .max
    /// The time between two samples, in nanoseconds.
    private static let interval: UInt64 = 100_000_000

    init(_ environment: StoreEnvironment) { self.environment = environment }

    /// Takes a sample if it's due, and plans the next sample.
    mutating func update(_ now: UInt64, _ levels: @autoclosure () -> PoolLevels) {
      guard environment.monitor != nil, nextTime == .max || nextTime <= now else { return }
      let levels = levels()
      if nextTime == .max {
        if levels != last { nextTime = now + Self.interval }
        return
      }
      note(levels)
      // More appends can begin to wait without an event on the thread.
      nextTime = levels.isActive ? now + Self.interval : .max
    }

    /// Passes the levels of a closed pool to the monitor.
    mutating func end() { note(PoolLevels()) }

    private mutating func note(_ levels: PoolLevels) {
      levels.note(since: last, to: environment)
      last = levels
    }
  }
#endif
