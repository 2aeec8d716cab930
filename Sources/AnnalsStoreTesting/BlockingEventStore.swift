import Annals
package import AnnalsLog
package import AnnalsRemote
import AnnalsTesting
import Dispatch
import Foundation
import Synchronization

/// A synchronous store that wraps a remote store, and blocks the calling thread until the response arrives.
///
/// Use it only on threads that can block. Threads of Swift's pool must not block, so the contract's rules run on a
/// separate thread. Every read is a consistent snapshot, because it returns no event after the position at which the
/// log ended when the read began.
package final class BlockingEventStore: EventStore {
  private let remote: any RemoteEventStore
  package let runtime = StoreRuntime()
  package var source: String { remote.source }
  package var environment: StoreEnvironment { remote.environment }

  package init(_ remote: any RemoteEventStore) { self.remote = remote }

  package func commit(_ append: Append) throws -> Receipt {
    try waiting { [remote] in try await remote.append(append) }
  }

  package func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    // If an erasure could remove values during the read, all events are read now.
    let reading = try waiting { [remote] in
      let mayChange = try await remote.erasing?.hasPersonalValues() ?? false
      return try await remote.ask(mayChange ? [.events(.all, after: 0, through: nil, limit: .max)] : [])
    }
    var known: [StoredEvent]?
    if case .events(let events)? = reading.answers.first { known = events }
    return try body(Moment(remote: remote, end: reading.head, found: reading.revision, known: known))
  }

  package func statistics(streamLimit: Int) throws -> LogStatistics {
    try waiting { [remote] in try await remote.statistics(streamLimit: streamLimit) }
  }

  package func receipt(ofCommand commandID: String) throws -> Receipt? {
    try waiting { [remote] in try await remote.receipt(ofCommand: commandID) }
  }

  package var erasing: (any ErasingStore)? { remote.erasing.map { Erasing(remote: remote, erasing: $0) } }

  private struct Erasing: ErasingStore {
    let remote: any RemoteEventStore
    let erasing: any RemoteErasingStore

    func commitErasure(of subject: String) throws -> ErasureReceipt {
      try waiting { [remote] in try await remote.erase(subject: subject) }
    }

    func hasPersonalValues() throws -> Bool { try waiting { [erasing] in try await erasing.hasPersonalValues() } }
  }

  /// The log up to a position.
  private struct Moment: ClockedLog {
    let remote: any RemoteEventStore
    let end: Position
    let found: LogRevision
    /// All events, if an erasure could remove values during the read, or `nil`.
    let known: [StoredEvent]?

    var now: Date { remote.environment.now() }
    func head() -> Position { end }
    func revision() -> LogRevision { found }

    func unchanged(since earlier: LogRevision) throws -> Position {
      if earlier == found { return end }
      guard earlier.compacted == found.compacted, let erasing = remote.erasing else { return 0 }
      let first = try waiting { [erasing] in try await erasing.erasures(after: earlier.erasures, limit: .max) }
        .map(\.first).min()
      return first.map { Position(min($0.rawValue - 1, end.rawValue)) } ?? 0
    }

    func version(of stream: StreamName) throws -> Int {
      try eventsBackwards(.stream(stream), after: 0, through: end, limit: 1).first?.version ?? 0
    }

    func position(of id: EventID) throws -> Position? {
      let position = try waiting { [remote] in try await remote.position(of: id) }
      return position.flatMap { $0 <= end ? $0 : nil }
    }

    func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
      let last = min(through ?? end, end)
      if let known { return Array(known.lazy.filter(Self.isAsked(query, after, last)).prefix(limit)) }
      return try waiting { [remote] in
        try await remote.events(query, after: after, through: last, limit: limit)
      }
    }

    func eventsBackwards(
      _ query: EventQuery, after: Position, through: Position?, limit: Int
    ) throws -> [StoredEvent] {
      let last = min(through ?? end, end)
      if let known { return Array(known.reversed().lazy.filter(Self.isAsked(query, after, last)).prefix(limit)) }
      return try waiting { [remote] in
        try await remote.eventsBackwards(query, after: after, through: last, limit: limit)
      }
    }

    func receipt(ofCommand commandID: String) throws -> Receipt? {
      try waiting { [remote] in try await remote.receipt(ofCommand: commandID) }
    }

    private static func isAsked(
      _ query: EventQuery, _ after: Position, _ last: Position
    ) -> (StoredEvent) -> Bool {
      { $0.position > after && $0.position <= last && query.matches($0) }
    }
  }
}

/// Blocks the thread until an async function has finished, and returns the function's result.
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
  guard let result = answer.withLock({ $0 }) else {
    preconditionFailure("an asynchronous call ended without a result. Please report this")
  }
  return try result.get()
}
