#if Postgres
  import AnnalsRemote
  import AnnalsLog
  public import Annals
  import Synchronization

  /// An event store in PostgreSQL, for many processes on many machines.
  ///
  ///     let store = try await PostgresEventStore(url: "postgresql://books@db.example.com/books?sslmode=verify-full")
  ///     try await store.execute(.insert(book), on: Bookshop["main"])
  ///
  /// All calls are `async`. A single thread of the store waits for the server, so no other thread blocks. Positions
  /// have no gaps, and increase in commit order. On the server, concurrent appends share a transaction.
  ///
  /// If the connection is lost during an append, the store reconnects and finds out whether the append was committed.
  /// If the append wasn't committed, the store commits it now. So no append is committed twice. If the store can't find
  /// out whether the append was committed, the call throws `EventStoreError` (`.unknownOutcome`).
  ///
  /// `Docs/PostgreSQL.md` describes the server's requirements.
  public final class PostgresEventStore: RemoteEventStore, RemoteGroupingStore {
    /// The source part of the identities (`EventID`) of events that are created in this store.
    public let source: String
    /// The store's dependencies, including its clock, its identifier generator and a closure that tests can run at
    /// every step of a command.
    public let environment: StoreEnvironment
    /// The cached decider states and the queues of waiting commands, one queue per stream.
    ///
    /// The library uses this object to execute commands.
    public let commands = CommandMemory()
    /// The storage for followers' progress, in the same database schema as the log.
    public var checkpoints: (any RemoteCheckpointStore)? {
      PostgresCheckpoints(log: repeatable)
    }
    /// The interface for erasing personal data (`RemoteErasingStore`).
    ///
    /// An erasure is one transaction. Concurrent appends wait until this transaction ends.
    ///
    /// The database role needs the privilege to update `annals_personal`. The server keeps the erased values' bytes in
    /// its files for some time. `Docs/PostgreSQLOperations.md` lists these files.
    public var erasing: (any RemoteErasingStore)? {
      PostgresErasing(log: repeatable)
    }
    /// The interface for compacting the log, which removes or replaces events (`RemoteCompactingStore`).
    ///
    /// A compaction is one transaction, and doesn't block appends.
    ///
    /// The database role needs additional privileges, which `Docs/PostgreSQL.md` lists.
    public var compacting: (any RemoteCompactingStore)? {
      PostgresCompacting(log: repeatable)
    }
    let options: PostgresOptions
    let pool: SQLPool
    let text: SchemaText
    /// A runner for the statements that are repeated after a lost connection.
    var repeatable: RepeatableSQL { RepeatableSQL(store: self, pool: pool, text: text, options: options) }
    let writer: GroupWriter
    let durable: DurableEnd
    /// The durability of acknowledged appends, which can be lower than the requested durability.
    ///
    /// The value depends on the server's settings when the log was opened. For example, a server with `fsync = off`
    /// guarantees only `Durability.process`.
    public let reachedDurability: Durability
    private let notifier: Notifier

    /// Opens the log in a database schema, or creates a log if the schema doesn't contain one.
    ///
    /// ``PostgresOptions/setup`` decides whether opening can create a log, and whether it can migrate a log of an older
    /// format.
    ///
    /// - Parameters:
    ///   - url: A URL `postgresql://user@host/database?…`, or keywords `host=… dbname=…`, in libpq's format. Values
    ///     that the URL doesn't contain are read from libpq's environment variables (`PGHOST`, `PGPASSWORD`,
    ///     `PGSSLMODE`, …) and libpq's files. If the string is empty, all values are read from these variables and
    ///     files. The parameter `annals_schema` of a URL replaces the schema in the options:
    ///     `postgresql://user@host/database?annals_schema=shop`.
    ///   - options: The database schema, the durability, the number of connections and other settings.
    ///   - environment: The store's dependencies, including its clock, its identifier generator and a closure that
    ///     tests can run at every step of a command.
    /// - Throws: `EventStoreError`, for example `.unreachable`, `.refused`, `.notALog` or `.newerFormat`. The code is
    ///   `.olderFormat` if the log has to be migrated first, and `.io` if the log doesn't exist and the options don't
    ///   allow its creation.
    public init(
      url: String, options: PostgresOptions = PostgresOptions(), environment: StoreEnvironment = StoreEnvironment()
    ) async throws {
      let place = try PostgresPlace(url, options)
      let (options, text) = (place.options, place.text)
      var environment = environment
      environment.labels["schema"] = options.schema
      let pool = try place.pool(environment)
      do {
        let found = try await SchemaMaker(pool: pool, text: text, options: options, environment: environment).open()
        source = found.source
        reachedDurability = found.isUnsynced ? .process : options.durability
      } catch {
        pool.close()
        throw error
      }
      self.options = options
      self.environment = environment
      self.pool = pool
      self.text = text
      durable = DurableEnd(options.durability)
      writer = GroupWriter(pool, text, options, durable, environment)
      notifier = Notifier(pool, text)
    }

    deinit { pool.close() }

    /// Refuses new calls, and waits until the running calls have ended, so that you can close the store.
    ///
    ///     try? await store.drain()
    ///     store.close()
    ///
    /// New calls throw `EventStoreError` (`.closed`). A command that is already running isn't interrupted, even if it
    /// waits for its turn or for a connection. ``PostgresOptions/patience`` and ``PostgresOptions/answerTimeout`` limit
    /// the time of a running call, but a call that waits for another connection's lock can take longer. To stop
    /// waiting, cancel the task. ``close()`` then ends the remaining calls.
    ///
    /// First end the tasks that use the store continuously: cancel the tasks of subscriptions, followers and replicas,
    /// and wait for them. Otherwise they end with `.closed`, and a follower keeps its lease until the lease expires.
    ///
    /// You can call the method several times, also after ``close()``.
    ///
    /// - Throws: `CancellationError` if the task was cancelled while calls were still running. The store still refuses
    ///   new calls.
    public func drain() async throws { try await commands.calls.drain() }

    /// Closes the connections, so that later calls throw `EventStoreError` (`.closed`).
    ///
    /// Running calls fail. An append that was already sent to the server throws `.unknownOutcome`, because it might be
    /// committed. To let running calls end, call ``drain()`` first.
    public func close() {
      commands.calls.refuse()
      pool.close()
    }

    /// Commits an append, or throws an error.
    ///
    /// After an error, the log is unchanged. The only exception is `EventStoreError` with the code `.unknownOutcome`,
    /// because such an append might have been committed.
    public func commit(_ append: Append) async throws -> Receipt {
      let receipt = try await commands.calls.counting {
        try await writer.commit(try AppendSQL(append, source: source, environment))
      }.reaching(reachedDurability)
      if options.notifies, receipt.count > 0, !receipt.isRepeated { notifier.ring() }
      return receipt
    }

    /// Commits appends in order, each as a separate transaction of the log, with only a few messages to the server.
    package func commitGroup(_ appends: [Append], isChain: Bool) async -> [Result<Receipt, any Error>] {
      var (ready, refusal): ([AppendSQL], (any Error)?) = ([], nil)
      for append in appends where refusal == nil {
        do {
          var append = try AppendSQL(append, source: source, environment)
          if isChain { append.link = ready.isEmpty ? .first : .following }
          ready.append(append)
        } catch { refusal = error }
      }
      let reached = reachedDurability
      let committed: [Result<Receipt, any Error>]
      do { committed = try await commands.calls.counting { await writer.commit(ready) } } catch {
        committed = ready.map { _ in .failure(error) }
      }
      let found = committed.map { $0.map { $0.reaching(reached) } }
      let hasAdded = found.contains { result in
        guard case .success(let receipt) = result else { return false }
        return receipt.count > 0 && !receipt.isRepeated
      }
      if hasAdded { notifyOthers() }
      return found + (refusal.map { [.failure($0)] } ?? [])
    }

    /// Returns the results of several queries, which need only one round trip to the server.
    public func ask(_ questions: [LogQuery]) async throws -> LogResponse {
      let answers = questions.map { QuestionSQL($0, text.schema) }
      var statements = [
        SQLStatement(
          "SELECT head, erasures, lineage, compactions, horizon, \(durable.columns) FROM \(text.schema).annals_log "
            + "WHERE one")
      ]
      for answer in answers { statements += answer.statements }
      let operation = StoreOperation(.read, details: ["questions": "\(questions.count)"])
      let rows = try await environment.monitored(operation) {
        try await commands.calls.counting { try await read(statements) }
      }
      guard let head = rows[0].int(0, 0), let erasures = rows[0].int(0, 1), let lineage = rows[0].int(0, 2),
        let compactions = rows[0].int(0, 3), let horizon = rows[0].int(0, 4)
      else {
        throw EventStoreError(
          .replaced,
          "the log in the schema \"\(options.schema)\" was removed while the log was open: the view annals_log no "
            + "longer has a row; reopen the log")
      }
      var place = 1
      let revision = LogRevision(
        erasures: erasures, compacted: CompactedHistory(count: compactions, horizon: Position(horizon)))
      let found = try answers.map { answer in
        defer { place += answer.statements.count }
        let found = try answer.answer(Array(rows[place..<place + answer.statements.count]))
        guard case .stream(let tail) = found else { return found }
        return .stream(StreamTail(version: tail.version, revision: revision, batches: tail.batches))
      }
      return LogResponse(head: Position(head), revision: revision, lineage: lineage, answers: found)
    }

    /// Notifies other processes of a commit, if ``PostgresOptions/notifies`` is true.
    func notifyOthers() { if options.notifies { notifier.ring() } }

    /// Returns a sequence that yields at the end of every ``PostgresOptions/pollInterval``, so that its readers check
    /// for new events.
    ///
    /// If ``PostgresOptions/notifies`` is true, the call also starts to listen for other writers' notifications. Every
    /// notification wakes the store's subscriptions directly, so the sequence doesn't yield at a notification.
    public func news() -> AsyncStream<Void> {
      if options.notifies { pool.listen { [commands] in commands.announce() } }
      let (sleep, interval) = (environment.sleep, options.pollInterval)
      return AsyncStream { continuation in
        let task = Task {
          while !Task.isCancelled {
            do { try await sleep(interval) } catch { break }
            continuation.yield()
          }
          continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
      }
    }

    /// Runs statements that read the log, after a statement that reads its end.
    ///
    /// The method reads the log once more if the server might have lost events since the first time.
    func read(_ statements: [SQLStatement]) async throws -> [SQLRows] {
      let deadline = options.lockDeadline
      while true {
        let rows = try await repeatable.run(statements, .reading)
        if try await isConfirmed(rows[0], until: deadline) { return rows }
      }
    }

    /// Waits until the events up to the log's end survive a failure of the server.
    ///
    /// - Parameters:
    ///   - end: The log's end, four other columns, and the columns of ``durable``.
    ///   - deadline: The time after which the call doesn't retry, on the monotonic clock.
    /// - Returns: False if the server might have lost the events during the wait.
    /// - Throws: `EventStoreError` (`.unreachable`) if the server doesn't confirm the events until the deadline.
    private func isConfirmed(_ end: SQLRows, until deadline: UInt64) async throws -> Bool {
      guard let position = end.int(0, 0), let flush = durable.statement(),
        let moment = DurableEnd.Moment(end, from: 5)
      else { return true }
      if !durable.mustWait(for: position, at: moment, isDurable: end.text(0, 8) == "t") { return true }
      let reason: String
      do throws(SQLFailure) {
        let rows = try await pool.run([flush])
        // After a crash or a failover, the server confirms only the events that are left.
        if let flushed = rows.first.flatMap({ DurableEnd.Moment($0) }), flushed.covers(moment) {
          durable.add(position, at: flushed)
          return true
        }
        reason = "the server process of the read has ended"
      } catch {
        switch error {
        case .lost(let message): reason = message
        case .refused(let state, let message) where state.hasPrefix("57P"): reason = message
        default: throw EventStoreError(error, options)
        }
      }
      if nowInNanoseconds() >= deadline { throw EventStoreError(.unconfirmed(reason), options) }
      return false
    }
  }

  /// A notifier of other processes, which combines commits within a short time, and never runs inside an append.
  private final class Notifier: Sendable {
    private let pool: SQLPool
    private let statement: SQLStatement
    private let state = Mutex(State.silent)

    private enum State {
      case silent
      case ringing
      /// Another commit happened after the last notification.
      case again
    }

    init(_ pool: SQLPool, _ text: SchemaText) {
      self.pool = pool
      // A notification locks the whole server until the end of its commit, so the commit doesn't wait for the disk.
      let call = "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, '')"
      statement = SQLStatement(call, [.text(text.channelName)], name: SQLStatement.name(of: call))
    }

    func ring() {
      let mustBegin = state.withLock { state in
        defer { state = state == .silent ? .ringing : .again }
        return state == .silent
      }
      if mustBegin { Task { await notify() } }
    }

    private func notify() async {
      var isDue = true
      while isDue {
        let start = ContinuousClock.now
        // If the notification is lost, other processes notice the commit at the end of their poll interval.
        _ = try? await pool.run([statement])
        // On a busy server, 16 processes otherwise sent a notification for every group of appends. With these pauses,
        // they append 7 % more events.
        let pause = (ContinuousClock.now - start) * 8
        try? await Task.sleep(for: min(max(pause, .milliseconds(5)), .milliseconds(50)))
        isDue = state.withLock { state in
          defer { state = state == .again ? .ringing : .silent }
          return state == .again
        }
      }
    }
  }
#endif
