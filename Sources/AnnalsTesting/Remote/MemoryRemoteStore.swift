import Annals
public import AnnalsLog
public import AnnalsRemote
import Synchronization

/// A remote store without a network: the connection of one process to a ``MemoryRemoteServer``.
///
/// Use it in the tests of a service, in place of `PostgresEventStore`. Commands, replicas, followers, erasures and
/// compactions work as on a server:
///
///     let remote = MemoryRemoteStore()
///     let replica = Replica(of: remote, in: MemoryEventStore())
///     try await replica.execute(.insert(book), on: Bookshop["main"])
///
/// A test can make calls fail, as with a ``FaultyStore``. The following call makes the next append take effect, and
/// throw the error `unknownOutcome`:
///
///     remote.fail(StoreFault(.append, way: .answerLost))
///
/// ``onCalls(_:)`` delays calls, or runs code while a call is on its way, for example the append of another process.
public final class MemoryRemoteStore: RemoteEventStore, RemoteGroupingStore {
  /// The direction in which a call passes the network that a ``MemoryRemoteStore`` replaces.
  public enum Leg: Hashable, Sendable, CaseIterable {
    /// The way to the server, before the call takes effect.
    case request
    /// The way back, after the call has taken effect.
    case response
  }

  /// A function that runs twice during every call of a store: once per direction.
  public typealias CallBody = @Sendable (StoreFault.Call, Leg) async throws -> Void

  private struct State {
    var calls = FaultedCalls()
    var body: CallBody?
  }

  /// The server to which this store is connected.
  public let server: MemoryRemoteServer
  /// The memory for executing commands.
  ///
  /// Every connection has its own memory, as every process has.
  public let commands = CommandMemory()
  private let state = Mutex(State())

  /// Connects to a server.
  ///
  /// - Parameter server: The server, by default a new server with an empty log.
  public init(_ server: MemoryRemoteServer = MemoryRemoteServer()) { self.server = server }

  /// The server's source.
  public var source: String { server.source }
  /// The server's environment.
  public var environment: StoreEnvironment { server.environment }

  /// Restarts the numbering of this connection's calls, and sets the fault to inject.
  ///
  /// - Parameter fault: The call that fails and the way it fails, or `nil` for no fault. With
  ///   `StoreFault(way: .notDone, lasts: true)`, all calls fail until ``mend()``, as if the server were unreachable.
  public func fail(_ fault: StoreFault?) { state.withLock { $0.calls = FaultedCalls(fault: fault) } }

  /// Removes the fault, so that calls no longer fail.
  public func mend() { state.withLock { $0.calls.fault = nil } }

  /// The calls to the server since the last call to ``fail(_:)``, in order.
  public var calls: [StoreFault.Call] { state.withLock { $0.calls.all } }

  /// The number of calls that have failed because of a fault since the last call to ``fail(_:)``.
  public var failed: Int { state.withLock { $0.calls.failed } }

  /// Sets a function to run on the way of every call to the server and back.
  ///
  /// For example, the function can wait, to test with a slow network. Before an append, it can append other events to
  /// the ``server``, to test a conflict:
  ///
  ///     remote.onCalls { call, leg in
  ///       try await Task.sleep(for: .milliseconds(20))
  ///       if call == .append, leg == .request { try await other.execute(.rename("Mine"), on: Board["1"]) }
  ///     }
  ///
  /// If the function throws on the way to the server, the call throws this error and has no effect. If it throws on the
  /// way back, the call has taken effect, and its response is lost. The call throws the function's error. After the
  /// call has taken effect, cancelling the caller's task doesn't cancel the function.
  ///
  /// - Parameter body: The function, which receives the kind of the call and the direction, or `nil` for no function.
  ///   Concurrent calls run the function concurrently. The function's own calls to this store run the function, too.
  public func onCalls(_ body: CallBody?) { state.withLock { $0.body = body } }

  /// Performs a call on the server, with the delays and failures of the network.
  ///
  /// - Parameters:
  ///   - call: The kind of the call.
  ///   - work: A function that performs the call on the server.
  /// - Returns: The function's result.
  /// - Throws: The error of the function, of a fault, or of the body of ``onCalls(_:)``.
  func pass<T: Sendable>(_ call: StoreFault.Call, _ work: () throws -> T) async throws -> T {
    let (way, body) = state.withLock { ($0.calls.pass(call), $0.body) }
    // Without this suspension, tests of concurrent commands couldn't interleave the calls.
    await Task.yield()
    try await body?(call, .request)
    switch way {
    case .notDone:
      throw EventStoreError.unreachable("a MemoryRemoteStore lost \(call.phrase) before the server received it")
    case .busy:
      throw EventStoreError(.busy, "a MemoryRemoteStore refused \(call.phrase), as if the log were locked. Retry")
    case .answerLost, nil: break
    }
    let result = try work()
    // The caller gets the receipt of a commit even if its task is cancelled, so the response isn't cancelled, either.
    if let body { try await Task { try await body(call, .response) }.value }
    guard way == .answerLost else { return result }
    let reason = "a MemoryRemoteStore lost the response to \(call.phrase)"
    throw call == .append ? EventStoreError.unknownOutcome(reason) : EventStoreError.unreachable(reason)
  }

  /// Commits an append on the server.
  ///
  /// - Parameter append: The append to commit.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: `EventStoreError`, or the error of a fault or of the body of ``onCalls(_:)``.
  public func commit(_ append: Append) async throws -> Receipt {
    try await pass(.append) { try server.commitRemotely(append) }
  }

  package func commitGroup(_ appends: [Append], isChain: Bool) async -> [Result<Receipt, any Error>] {
    do {
      return try await pass(.append) {
        var isCommitted = true
        let results = appends.enumerated().map { index, append in
          let result = Result {
            if isChain, !isCommitted {
              // A repeated command has its first receipt, even if its append isn't valid.
              if let first = try append.repeated(server.receipt(ofCommand:)) { return first }
              throw EventStoreError.decidedOnUncommitted(append.expectations.keys.first ?? "")
            }
            return try server.commitRemotely(append, bringsEvents: isChain && index == 0)
          }
          isCommitted = (try? result.get())?.isRepeated == false
          return result
        }
        // As for a single append, only the response of a call with an effect is lost.
        guard results.contains(where: { (try? $0.get()) != nil }) else { throw AllRefused(results: results) }
        return results
      }
    } catch let refused as AllRefused {
      return refused.results
    } catch { return appends.map { _ in .failure(error) } }
  }

  private struct AllRefused: Error {
    let results: [Result<Receipt, any Error>]
  }

  /// Returns the results of several queries, read from one snapshot of the server's log.
  ///
  /// - Parameter questions: The queries.
  /// - Returns: The log's end and revision, and the results in the order of the queries.
  /// - Throws: `EventStoreError`, or the error of a fault or of the body of ``onCalls(_:)``.
  public func ask(_ questions: [LogQuery]) async throws -> LogResponse {
    try await pass(.read) { try server.results(of: questions) }
  }

  /// Returns statistics of the log's contents, which the server counts.
  public func statistics(streamLimit: Int) async throws -> LogStatistics {
    try await pass(.read) { try server.statistics(streamLimit: streamLimit) }
  }

  /// Returns a sequence that yields after every commit on the server.
  ///
  /// The sequence has no timer, so it works with any clock.
  public func news() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let token = server.runtime.watchCommits { continuation.yield() }
    continuation.onTermination = { _ in token.cancel() }
    return stream
  }
}
