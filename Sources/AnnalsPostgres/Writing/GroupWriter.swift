#if Postgres
  import Annals
  import Synchronization

  /// A writer that commits appends in groups.
  ///
  /// Appends that arrive during a group's commit form the next group.
  ///
  /// A group is one transaction on the server and one round trip, so many writers share one sync of the server's disk.
  final class GroupWriter: Sendable {
    private struct Item: Sendable {
      let append: AppendSQL
      /// The time after which the append no longer waits for a lock, on the monotonic clock.
      let deadline: UInt64
      let answer: @Sendable (Result<Receipt, any Error>) -> Void
    }

    /// A collector for the results of appends that one caller queued together.
    private final class Answers: Sendable {
      private let found: Mutex<[Result<Receipt, any Error>?]>
      private let continuation: CheckedContinuation<[Result<Receipt, any Error>], Never>

      init(_ count: Int, _ continuation: CheckedContinuation<[Result<Receipt, any Error>], Never>) {
        found = Mutex(Array(repeating: nil, count: count))
        self.continuation = continuation
      }

      func set(_ answer: Result<Receipt, any Error>, _ index: Int) {
        let all = found.withLock { found in
          found[index] = answer
          return found.contains { $0 == nil } ? nil : found.compactMap { $0 }
        }
        if let all { continuation.resume(returning: all) }
      }
    }

    private struct Queue {
      enum State {
        case idle
        case writing
        /// The next group waits until the queue contains a number of appends, but not longer than until an alarm.
        case gathering(count: Int, alarm: UInt64)
      }

      var items: [Item] = []
      var state = State.idle
    }

    let pool: SQLPool
    let text: SchemaText
    let options: PostgresOptions
    private let durable: DurableEnd
    private let environment: StoreEnvironment
    /// The SQL call that appends a group, and the name of its prepared statement.
    private let (call, name): (String, String)
    /// True if the server's default transactions aren't read committed and writable, so every transaction must begin
    /// explicitly.
    private let mustBegin = Atomic(false)
    private let queue = Mutex(Queue())
    private static let (mostAppends, mostBytes) = (256, 4 << 20)

    init(
      _ pool: SQLPool, _ text: SchemaText, _ options: PostgresOptions, _ durable: DurableEnd,
      _ environment: StoreEnvironment
    ) {
      self.pool = pool
      self.text = text
      self.options = options
      self.durable = durable
      self.environment = environment
      call = GroupSQL.text(text.schema)
      name = SQLStatement.name(of: call)
    }

    /// Commits an append, possibly together with other callers' appends.
    func commit(_ append: AppendSQL) async throws -> Receipt {
      try await withCheckedThrowingContinuation { continuation in
        add([Item(append: append, deadline: options.lockDeadline) { continuation.resume(with: $0) }])
      }
    }

    /// Commits appends in order.
    ///
    /// A refused append doesn't prevent the appends after it.
    func commit(_ appends: [AppendSQL]) async -> [Result<Receipt, any Error>] {
      if appends.isEmpty { return [] }
      return await withCheckedContinuation { continuation in
        let answers = Answers(appends.count, continuation)
        let deadline = options.lockDeadline
        add(
          appends.enumerated().map { index, append in
            Item(append: append, deadline: deadline) { answers.set($0, index) }
          })
      }
    }

    private func add(_ items: [Item]) {
      let isFirst: Bool? = queue.withLock { queue in
        if queue.items.count >= SQLPool.mostWaiting { return nil }
        queue.items += items
        noteWaiting(queue)
        switch queue.state {
        case .writing: return false
        case .gathering(let count, _) where queue.items.count < count: return false
        case .idle, .gathering:
          queue.state = .writing
          return true
        }
      }
      guard let isFirst else {
        let error = EventStoreError(.crowded, options)
        for item in items { item.answer(.failure(error)) }
        return
      }
      if isFirst { write() }
    }

    /// Passes the number of waiting appends to the pool, whose thread calls the monitor.
    private func noteWaiting(_ queue: borrowing Queue) {
      pool.waitingAppends.store(queue.items.count, ordering: .relaxed)
    }

    /// Sends a group, and after each response the next group, until the queue is empty.
    ///
    /// The method needs no task. The caller that queues the first append sends the first group, and the pool's thread
    /// sends the following groups.
    private func write() {
      guard let group = next() else { return }
      environment.note(.appendGroup, .size(group.count))
      if mustBegin.load(ordering: .relaxed) { return commitLater(group, nil) }
      let statement = statement(group.map(\.append), isAgain: false, until: Self.deadline(of: group))
      let start = nowInNanoseconds()
      pool.send([statement] + flush) { outcome in
        if case .success(let all) = outcome, let rows = all.first, rows.count == group.count,
          rows.text(0, 0) != Self.isolation, self.confirms(rows, all)
        {
          // Send the next work to the server before waking the waiting callers.
          if !self.gathers(after: group, since: start) { self.write() }
          Self.answer(group, rows)
        } else {
          self.commitLater(group, outcome)
        }
      }
    }

    /// The duration of a group from which the next group waits for more appends, in nanoseconds.
    private static let slowGroup: UInt64 = 8_000_000
    /// The longest time that a group waits for more appends, in nanoseconds.
    ///
    /// A group can take seconds if another session holds a lock, but then the callers' next appends need no more time
    /// than usual.
    private static let mostGathering: UInt64 = 20_000_000

    /// Delays the next group after a slow group, so that the callers of the slow group can add their next appends.
    ///
    /// Without the delay, the appends of a process that are in progress at the same time form two groups, which wait
    /// for each other. So every append takes as long as two groups, and the server executes twice the transactions.
    /// With syncs of 10 ms, 32 writers made 1,284 appends a second without the delay, and 2,203 with it.
    ///
    /// - Returns: False if the next group must be sent now.
    private func gathers(after group: [Item], since start: UInt64) -> Bool {
      let now = nowInNanoseconds()
      let duration = now - min(start, now)
      if duration < Self.slowGroup { return false }
      let alarm = now + min(duration / 8, Self.mostGathering)
      let gathers = queue.withLock { queue in
        let count = queue.items.count + group.count
        if count < 2 || queue.items.count >= Self.mostAppends { return false }
        queue.state = .gathering(count: min(count, Self.mostAppends), alarm: alarm)
        return true
      }
      if gathers {
        pool.call(at: alarm) {
          let isDue = self.queue.withLock { queue in
            guard case .gathering(_, alarm) = queue.state else { return false }
            queue.state = .writing
            return true
          }
          if isDue { self.write() }
        }
      }
      return gathers
    }

    private static func answer(_ group: [Item], _ rows: SQLRows) {
      for (row, item) in group.enumerated() { item.answer(Result { try item.append.receipt(rows, row) }) }
    }

    /// The statement that waits until a group survives a failure of the server.
    private var flush: [SQLStatement] { durable.statement(isSeparate: true).map { [$0] } ?? [] }

    /// Returns true if a group survives a failure of the server, and records its end.
    ///
    /// Behind a pooler, the two transactions of a group can have different servers, for example after a failover.
    private func confirms(_ rows: SQLRows, _ all: [SQLRows]) -> Bool {
      if flush.isEmpty { return true }
      guard let flushed = all.last.flatMap({ DurableEnd.Moment($0) }),
        let committed = DurableEnd.Moment(rows, from: AppendSQL.columns), flushed.covers(committed)
      else { return false }
      let ends = (0..<rows.count).compactMap { row in rows.text(row, 0) == "done" ? rows.int(row, 1) : nil }
      durable.add(ends.max() ?? 0, at: flushed)
      return true
    }

    private static let replaced = SQLFailure.unconfirmed(
      "another server process, which might have lost the append, received the second transaction")

    /// Commits a group that wasn't committed at the first attempt, and then continues with the next group.
    private func commitLater(_ group: [Item], _ outcome: SQLWork.Outcome?) {
      Task {
        await commit(group, outcome)
        write()
      }
    }

    private func next() -> [Item]? {
      queue.withLock { queue in
        if queue.items.isEmpty {
          queue.state = .idle
          return nil
        }
        var (count, bytes) = (0, 0)
        // An append that follows another append is in the same group, because the server only knows this group.
        while count < queue.items.count,
          count < Self.mostAppends && bytes < Self.mostBytes || queue.items[count].append.link == .following
        {
          bytes += queue.items[count].append.size
          count += 1
        }
        let group = Array(queue.items[..<count])
        queue.items.removeFirst(count)
        noteWaiting(queue)
        return group
      }
    }

    private func commit(_ group: [Item], _ outcome: SQLWork.Outcome?) async {
      do throws(SQLFailure) {
        let deadline = Self.deadline(of: group)
        Self.answer(group, try await rows(of: group.map(\.append), isAgain: false, until: deadline, outcome))
      } catch {
        if error.isLockTimeout {
          // The server rolled back the whole group. Appends that haven't waited for long wait for the lock again.
          let rest = await expire(group)
          return rest.isEmpty ? () : await commit(rest, nil)
        }
        // One append might have failed the transaction, or the connection was lost. Resolve the appends one by one.
        var (away, previous): (SQLFailure?, Result<Receipt, any Error>?)
        for item in group {
          let result = await settle(item, after: previous, group.count, error, &away)
          item.answer(result)
          previous = result
        }
      }
    }

    /// Resolves an append of a group that failed as a whole.
    ///
    /// The server only knows the appends of the same call, so it would refuse an append that follows another append.
    private func settle(
      _ item: Item, after previous: Result<Receipt, any Error>?, _ count: Int, _ failure: SQLFailure,
      _ away: inout SQLFailure?
    ) async -> Result<Receipt, any Error> {
      var append = item.append
      if append.link == .following, case .success(let receipt)? = previous, !receipt.isRepeated { append.link = .first }
      do { return .success(try await settle(append, item.deadline, count, failure, &away)) } catch {
        // The message of the whole group might still reach the server, and would then commit both appends.
        if append.link == .following, (error as? EventStoreError)?.isConflict == true,
          case .failure(let unknown)? = previous,
          (unknown as? EventStoreError)?.code == .unknownOutcome
        {
          return .failure(unknown)
        }
        return .failure(error)
      }
    }

    /// Returns the time after which no append of a group waits for a lock.
    private static func deadline(of group: [Item]) -> UInt64 { group.map(\.deadline).max() ?? 0 }

    /// Fails the appends that have waited too long for a lock, including the appends that wait behind the group.
    ///
    /// - Returns: The group's other appends.
    private func expire(_ group: [Item]) async -> [Item] {
      let now = nowInNanoseconds()
      let late =
        group.filter { $0.deadline <= now }
        + queue.withLock { queue in
          let late = queue.items.filter { $0.deadline <= now }
          queue.items.removeAll { $0.deadline <= now }
          noteWaiting(queue)
          return late
        }
      if !late.isEmpty {
        let error = EventStoreError(await pool.lockFailure(in: text, for: .write), options)
        for item in late { item.answer(.failure(error)) }
      }
      return group.filter { $0.deadline > now }
    }

    /// The result of the server's function for a transaction with an isolation level other than read committed.
    private static let isolation = "isolation"

    private func statement(_ appends: [AppendSQL], isAgain: Bool, until deadline: UInt64) -> SQLStatement {
      let timeout = options.lockTimeout(until: deadline)
      return SQLStatement(
        call, GroupSQL(appends).values(isAgain: isAgain, lockTimeout: timeout), name: name)
    }

    /// Sends appends as one transaction, with a single statement if the server allows it.
    ///
    /// - Parameters:
    ///   - appends: The appends.
    ///   - isAgain: True if the appends were sent before, and might have been committed.
    ///   - deadline: The time after which the appends no longer wait for a lock, on the monotonic clock.
    ///   - outcome: The outcome of the statement, if it was already sent.
    /// - Returns: A row per append.
    /// - Throws: The reason for the failure. The appends weren't committed, or their outcome is unknown.
    func rows(
      of appends: [AppendSQL], isAgain: Bool, until deadline: UInt64, _ outcome: SQLWork.Outcome? = nil
    ) async throws(SQLFailure) -> SQLRows {
      let statement = statement(appends, isAgain: isAgain, until: deadline)
      if !mustBegin.load(ordering: .relaxed) {
        do throws(SQLFailure) {
          let answer: [SQLRows] = if let outcome { try outcome.get() } else { try await pool.run([statement] + flush) }
          if answer.first?.text(0, 0) != Self.isolation { return try checked(answer.first, appends, answer) }
          mustBegin.store(true, ordering: .relaxed)
        } catch {
          switch error {
          // The next attempt uses a new connection, which might reach the primary.
          case .standby: break
          // The database, the role or a pooler has different defaults.
          case .refused("25006", _): mustBegin.store(true, ordering: .relaxed)
          default: throw error
          }
        }
      }
      let begin = SQLStatement("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
      let answer = try await pool.run(
        [begin, SQLStatement(statement.text, statement.values), SQLStatement("COMMIT")] + flush)
      return try checked(answer.count >= 3 && answer[2].status == "COMMIT" ? answer[1] : nil, appends, answer)
    }

    private func checked(
      _ rows: SQLRows?, _ appends: [AppendSQL], _ all: [SQLRows]
    ) throws(SQLFailure) -> SQLRows {
      guard let rows, rows.count == appends.count else { throw .rolledBack }
      if !confirms(rows, all) { throw Self.replaced }
      return rows
    }
  }
#endif
