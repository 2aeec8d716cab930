import Annals
public import AnnalsLog
package import AnnalsRemote
import Foundation
import Synchronization

/// A server in memory, so that tests of a service need no database.
///
/// Every ``MemoryRemoteStore`` is a connection of one process to a server. To test two instances of a service in one
/// test, connect both to the same server:
///
///     let server = MemoryRemoteServer()
///     let (one, two) = (MemoryRemoteStore(server), MemoryRemoteStore(server))
///
/// The server itself is an `EventStore` with the same log, which a test reads and changes without the network. An
/// append to the server is an append by another process: it wakes the subscriptions, followers and replicas of all
/// connections.
public final class MemoryRemoteServer: EventStore {
  /// The server's data.
  struct State: Sendable {
    var log: MemoryEventStore
    var rewritings = RewritingRecord()
    var followers = RemoteFollowers()
  }

  /// A copy of a server's data, which ``MemoryRemoteServer/restore(_:)`` brings back.
  public struct Backup: Sendable {
    fileprivate let state: State
  }

  /// The source in the identity of every event that is created on this server.
  public let source: String
  /// The server's dependencies, such as its clock and its identifier generator.
  ///
  /// The connections use the same environment.
  public let environment: StoreEnvironment
  /// The server's runtime, which notifies the connections of commits.
  public let runtime = StoreRuntime()
  private let state: Mutex<State>
  /// The time of the last erasure or compaction in microseconds since 1970, including those that a restored backup
  /// doesn't contain.
  private let lastRewriting = Mutex<Int64>(0)

  /// Creates a server with an empty log.
  ///
  /// - Parameters:
  ///   - source: The source of the events that are created on this server, by default a new URN.
  ///   - environment: The server's dependencies. Its clock also measures the leases of remote followers.
  public init(source: String? = nil, environment: StoreEnvironment = StoreEnvironment()) {
    let log = MemoryEventStore(source: source, environment: environment)
    self.source = log.source
    self.environment = environment
    state = Mutex(State(log: log))
  }

  /// The log without the record of its erasures and compactions.
  ///
  /// A test of this package can replace the log with another log.
  package var log: MemoryEventStore {
    get { state.withLock { $0.log } }
    set { state.withLock { $0 = State(log: newValue) } }
  }

  /// Commits an append, or throws an error and leaves the log unchanged.
  public func commit(_ append: Append) throws -> Receipt { try log.commit(append) }

  /// Calls a closure with a snapshot of the log, so that all reads in the closure are consistent.
  public func read<T>(_ body: (any EventLog) throws -> T) throws -> T { try log.read(body) }

  /// Returns statistics of the log's contents.
  public func statistics(streamLimit: Int) throws -> LogStatistics { try log.statistics(streamLimit: streamLimit) }

  /// The interface for erasing a person's data, which also records every erasure for the replicas.
  public var erasing: (any ErasingStore)? { Erasing(server: self) }

  private struct Erasing: ErasingStore {
    let server: MemoryRemoteServer

    func commitErasure(of subject: String) throws -> ErasureReceipt {
      try server.rewrite { try $0.erase(subject, at: $1) }
    }

    func hasPersonalValues() throws -> Bool { try server.log.erasing?.hasPersonalValues() ?? false }
  }

  /// Returns a copy of the server's data: the log, the record of its erasures and compactions, and the progress of
  /// remote followers.
  ///
  /// - Returns: The copy.
  /// - Complexity: O(1). The first change after the backup copies the log.
  public func backup() -> Backup {
    state.withLock { state in
      var copy = state
      copy.log = MemoryEventStore(copying: state.log)
      return Backup(state: copy)
    }
  }

  /// Replaces the server's data with a backup, as after a failover or the loss of a disk.
  ///
  /// Commits after the backup are lost. Replicas, followers and subscriptions that have read these commits then throw
  /// `EventStoreError` (`.replaced`).
  ///
  /// - Parameter backup: A backup of this server.
  public func restore(_ backup: Backup) {
    state.withLock { state in
      state = backup.state
      state.log = MemoryEventStore(copying: backup.state.log)
    }
    runtime.states.removeAll()
    runtime.announceOthers()
  }
}

extension MemoryRemoteServer {
  /// Returns the results of a connection's queries, all from one snapshot.
  func results(of questions: [LogQuery]) throws -> LogResponse {
    try state.withLock { state in
      let found = try state.log.reading(of: questions)
      return LogResponse(
        head: found.head, revision: found.revision, lineage: state.rewritings.lineage, answers: found.answers)
    }
  }

  /// The maximum number of events that a conflict brings.
  ///
  /// The number is small, so that commands also conflict without events.
  private static let mostEvents = 4

  /// Commits an append of a connection, and notifies all connections.
  ///
  /// - Parameters:
  ///   - append: The append.
  ///   - bringsEvents: True if a version conflict of a command is an `EventsConflict`.
  /// - Returns: The receipt.
  /// - Throws: `EventStoreError` or `EventsConflict` if the append is refused.
  func commitRemotely(_ append: Append, bringsEvents: Bool = false) throws -> Receipt {
    let receipt: Receipt
    do { receipt = try commit(append) } catch let error as EventStoreError {
      guard bringsEvents, append.revision != nil, let stream = error.stream, case .exact(let version)? = error.expected
      else { throw error }
      let found = try tail(of: stream, after: 0).events.filter { $0.version > version }
      if found.count > Self.mostEvents { throw error }
      throw EventsConflict(error) { found }
    }
    if receipt.count > 0, !receipt.isRepeated { runtime.announceOthers() }
    return receipt
  }

  /// Returns the result of a body that reads or changes the followers' progress at the current time.
  func withFollowers<T: Sendable>(_ body: (inout RemoteFollowers, Date) throws -> T) rethrows -> T {
    let now = environment.now()
    return try state.withLock { try body(&$0.followers, now) }
  }

  /// The record of the log's erasures and compactions.
  package var rewritings: RewritingRecord { state.withLock { $0.rewritings } }

  /// The number of leases of remote followers that expired and were replaced by a new lease.
  package var expiredLeases: Int { state.withLock { $0.followers.expiredLeases } }

  /// Erases or compacts, at a time that differs from the times of all earlier erasures and compactions.
  ///
  /// The time distinguishes an erasure from an erasure that a restored backup doesn't contain, even if a test's clock
  /// doesn't advance.
  func rewrite<T: Sendable>(_ body: (inout State, Date) throws -> T) rethrows -> T {
    let now = environment.now().microseconds
    let time = lastRewriting.withLock { last in
      last = max(now, last + 1)
      return last
    }
    return try state.withLock { try body(&$0, Date(microseconds: time)) }
  }

  /// Erases a subject's values for a connection, and notifies all connections.
  func eraseRemotely(_ subject: String) throws -> ErasureReceipt {
    // In this function, which isn't async, Swift selects the synchronous method.
    try erase(subject: subject, isolation: nil)
  }

  /// Compacts the log, and notifies all connections.
  @discardableResult
  package func compact(_ compaction: RemoteCompaction) throws -> LogCompaction {
    let done = try rewrite { try $0.compact(compaction, at: $1) }
    runtime.announceOthers()
    return done
  }
}
