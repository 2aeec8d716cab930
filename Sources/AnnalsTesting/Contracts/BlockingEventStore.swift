package import Annals
import Dispatch
import Synchronization

/// A remote store as one that answers at once: each call holds its thread until the answer is there.
///
/// It is for threads that may wait, which those of Swift's pool may not: the contract's rules run on one of their own.
/// A read is of one moment because it reads nothing after the position at which the log ended when it began.
package final class BlockingEventStore: EventStore {
  private let remote: any RemoteEventStore
  package let signal = CommitSignal()
  package var source: String { remote.source }
  package var environment: StoreEnvironment { remote.environment }

  package init(_ remote: any RemoteEventStore) { self.remote = remote }

  package func commit(_ append: Append) throws -> Receipt {
    try waiting { [remote] in try await remote.append(append) }
  }

  package func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    let reading = try waiting { [remote] in try await remote.ask([]) }
    return try body(Moment(remote: remote, end: reading.head, found: reading.revision))
  }

  package func receipt(ofCommand commandID: String) throws -> Receipt? {
    try waiting { [remote] in try await remote.receipt(ofCommand: commandID) }
  }

  /// What the log had up to a position.
  private struct Moment: EventLog {
    let remote: any RemoteEventStore
    let end: Position
    let found: LogRevision

    func head() -> Position { end }
    func revision() -> LogRevision { found }

    func version(of stream: StreamName) throws -> Int {
      try eventsBackwards(.stream(stream), after: 0, through: end, limit: 1).first?.version ?? 0
    }

    func position(of id: EventID) throws -> Position? {
      let position = try waiting { [remote] in try await remote.position(of: id) }
      return position.flatMap { $0 <= end ? $0 : nil }
    }

    func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
      let last = min(through ?? end, end)
      return try waiting { [remote] in
        try await remote.events(query, after: after, through: last, limit: limit)
      }
    }

    func eventsBackwards(
      _ query: EventQuery, after: Position, through: Position?, limit: Int
    ) throws -> [StoredEvent] {
      let last = min(through ?? end, end)
      return try waiting { [remote] in
        try await remote.eventsBackwards(query, after: after, through: last, limit: limit)
      }
    }

    func receipt(ofCommand commandID: String) throws -> Receipt? {
      try waiting { [remote] in try await remote.receipt(ofCommand: commandID) }
    }
  }
}

/// Holds the thread until a task has an answer.
func waiting<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) throws -> T {
  let answer = Mutex<Result<T, any Error>?>(nil)
  let done = DispatchSemaphore(value: 0)
  Task.detached(executorPreference: OwnThreads.shared) {
    let result: Result<T, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    answer.withLock { $0 = result }
    done.signal()
  }
  done.wait()
  guard let result = answer.withLock({ $0 }) else { preconditionFailure("a task that has signalled has its answer") }
  return try result.get()
}
