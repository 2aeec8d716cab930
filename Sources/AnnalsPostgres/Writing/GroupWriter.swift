#if Postgres
  import Annals
  import Synchronization

  /// Commits appends in groups: what comes while a group is under way goes into the next one.
  ///
  /// A group is one transaction of the server and one round trip, so that many writers share one sync of its disk.
  final class GroupWriter: Sendable {
    private struct Item: Sendable {
      let append: AppendSQL
      let answer: @Sendable (Result<Receipt, any Error>) -> Void
    }

    /// Gathers the answers of appends that were queued together.
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
      var items: [Item] = []
      var isWriting = false
    }

    private let pool: SQLPool
    private let text: SchemaText
    private let options: PostgresOptions
    private let environment: StoreEnvironment
    private let queue = Mutex(Queue())
    private static let (mostAppends, mostBytes) = (256, 4 << 20)

    init(_ pool: SQLPool, _ text: SchemaText, _ options: PostgresOptions, _ environment: StoreEnvironment) {
      (self.pool, self.text, self.options, self.environment) = (pool, text, options, environment)
    }

    /// Commits an append with others.
    func commit(_ append: AppendSQL) async throws -> Receipt {
      try await withCheckedThrowingContinuation { continuation in
        add([Item(append: append) { continuation.resume(with: $0) }])
      }
    }

    /// Commits appends in their order; one that is refused does not keep those after it.
    func commit(_ appends: [AppendSQL]) async -> [Result<Receipt, any Error>] {
      if appends.isEmpty { return [] }
      return await withCheckedContinuation { continuation in
        let answers = Answers(appends.count, continuation)
        add(appends.enumerated().map { index, append in Item(append: append) { answers.set($0, index) } })
      }
    }

    private func add(_ items: [Item]) {
      let mustBegin = queue.withLock { queue in
        queue.items += items
        defer { queue.isWriting = true }
        return !queue.isWriting
      }
      if mustBegin { Task { await self.write() } }
    }

    /// Commits groups until there is nothing left.
    private func write() async {
      while let group = next() { await commit(group) }
    }

    private func next() -> [Item]? {
      queue.withLock { queue in
        if queue.items.isEmpty {
          queue.isWriting = false
          return nil
        }
        var (count, bytes) = (0, 0)
        while count < min(queue.items.count, Self.mostAppends), bytes < Self.mostBytes {
          bytes += queue.items[count].append.size
          count += 1
        }
        defer { queue.items.removeFirst(count) }
        return Array(queue.items[..<count])
      }
    }

    private func commit(_ group: [Item]) async {
      environment.note(.appendGroup, .size(group.count))
      do {
        let rows = try await send(group.map(\.append), isAgain: false)
        for (item, rows) in zip(group, rows) {
          item.answer(Result { try item.append.receipt(rows) })
        }
      } catch {
        // One of them may have spoilt the transaction, or the connection was lost: each is answered for itself.
        var away: SQLFailure?
        for item in group {
          do { item.answer(.success(try await settle(item.append, group.count, error, &away))) } catch {
            item.answer(.failure(error))
          }
        }
      }
    }

    /// Sends appends as one transaction.
    private func send(_ appends: [AppendSQL], isAgain: Bool) async throws(SQLFailure) -> [SQLRows] {
      let calls = appends.map { $0.statement(text.schema, options.durability, isAgain: isAgain) }
      // The isolation is said each time, because a database may have another default.
      let begin = SQLStatement("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
      let rows = try await pool.run([begin] + calls + [SQLStatement("COMMIT")])
      guard rows.count == calls.count + 2, rows[rows.count - 1].status == "COMMIT" else {
        throw .refused(state: "", message: "the server took the transaction back")
      }
      return Array(rows[1...calls.count])
    }

    private func unknownOutcome(_ failure: SQLFailure) -> EventStoreError {
      EventStoreError(
        .unknownOutcome,
        "the connection was lost while an append was committed, and it could not be asked since whether it is there: "
          + "\(EventStoreError(failure, options).message); try again with the same command's id later")
    }

    /// Answers an append of a group that failed.
    ///
    /// An append that was sent on a connection that was lost may be committed, or still be on its way. It is sent again
    /// with its identities: under the frontier the server sees whether it is there.
    private func settle(
      _ append: AppendSQL, _ count: Int, _ failure: SQLFailure, _ away: inout SQLFailure?
    ) async throws -> Receipt {
      var (failure, wasLost) = (failure, false)
      var tries = 0
      if let away {
        // The one before it has waited for the server as long as a call waits. This one need not wait again.
        if case .lost = failure { throw unknownOutcome(away) }
        throw EventStoreError(away, options)
      }
      while true {
        switch failure {
        case .lost(let message):
          wasLost = true
          guard append.canBeSettled else {
            throw EventStoreError(
              .unknownOutcome,
              "the connection was lost while an append was committed (\(message)), and it cannot be known whether it "
                + "is there, because all of its events have identities of yours; look for one of them, or give the "
                + "append a command's id")
          }
        case .refused(let state, _):
          // The server stops or starts, or chose this transaction to end a deadlock; or another of the group failed.
          guard tries == 0 && count > 1 || state.hasPrefix("57P") || state.hasPrefix("40") else {
            // What refuses this try says nothing of the one that was lost, which may still be committed.
            throw wasLost ? unknownOutcome(failure) : EventStoreError(failure, options)
          }
        default:
          away = failure
          throw wasLost ? unknownOutcome(failure) : EventStoreError(failure, options)
        }
        tries += 1
        if tries > 20 { throw wasLost ? unknownOutcome(failure) : EventStoreError(failure, options) }
        do {
          return try append.receipt(try await send([append], isAgain: wasLost)[0])
        } catch let error as SQLFailure { failure = error }
      }
    }
  }
#endif
