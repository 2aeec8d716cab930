import Annals
import AnnalsLog
import AnnalsRemote
import Synchronization

enum FollowedEvent: Event {
  case written(text: String)
}

extension Duration {
  /// A lease that no worker loses, also on a machine whose other tests let it wait for its next heartbeat.
  static var unlosable: Duration { .seconds(3_600) }
}

/// What followers' code was given, and what it does then.
final class FollowedNotes: Sendable {
  struct Call: Hashable, Sendable, CustomStringConvertible {
    let stream: StreamName
    let version: Int
    let text: String
    let context: RemoteFollower<FollowedEvent>.Context

    var description: String { "\(stream):\(version)\(context.isReplay ? " replay" : "")" }
  }

  struct Poison: Error {}

  private let calls = Mutex<[Call]>([])
  private let poison = Mutex<Set<String>>([])

  /// The texts at which the code throws.
  var poisonous: Set<String> {
    get { poison.withLock { $0 } }
    set { poison.withLock { $0 = newValue } }
  }

  var all: [Call] { calls.withLock { $0 } }
  /// The calls since the last time, as texts.
  var taken: [String] {
    calls.withLock { calls in
      defer { calls = [] }
      return calls.map(\.description)
    }
  }

  /// Notes an event, and throws if it is poisonous.
  func handle(_ recorded: Recorded<FollowedEvent>, _ context: RemoteFollower<FollowedEvent>.Context) throws {
    guard case .written(let text) = recorded.event else { return }
    if poisonous.contains(text) { throw Poison() }
    calls.withLock {
      $0.append(Call(stream: recorded.stream, version: recorded.version, text: text, context: context))
    }
  }

  /// The streams in which an event was handled before one that comes before it, or not at all.
  func problems(_ store: FarStore) -> [String] {
    var problems: [String] = []
    var done: [StreamName: Int] = [:]
    for call in all {
      let known = done[call.stream] ?? 0
      if call.version > known + 1 { problems.append("\(call) came after version \(known)") }
      done[call.stream] = max(known, call.version)
    }
    let events = store.log.events(.all, after: 0, through: nil, limit: .max)
    for (stream, events) in Dictionary(grouping: events, by: \.stream) where done[stream] ?? 0 < events.count {
      problems.append("\(stream) was handled up to version \(done[stream] ?? 0) of \(events.count)")
    }
    return problems
  }
}

extension FarStore {
  /// Writes texts into streams, each an append of its own.
  func write(_ texts: (StreamName, String)...) throws {
    for (stream, text) in texts { try write(text, to: stream) }
  }

  func write(_ text: String, to stream: StreamName) throws {
    _ = try log.commit(
      Append([NewEvent(type: "FollowedWritten", payload: #"{"text":"\#(text)"}"#)], to: stream))
    commands.announce()
  }
}

/// A store of checkpoints on a network of its own, which can be cut.
struct CutCheckpoints: RemoteCheckpointStore {
  let store: any RemoteCheckpointStore
  let network = Network()

  final class Network: Sendable {
    private let cut = Mutex(false)
    var isCut: Bool {
      get { cut.withLock { $0 } }
      set { cut.withLock { $0 = newValue } }
    }
  }

  private func pass() throws {
    if network.isCut { throw EventStoreError(.io, "the network is cut") }
  }

  func claim(_ claim: LeaseClaim) async throws -> LeaseShare {
    try pass()
    return try await store.claim(claim)
  }

  func save(_ progress: FollowerProgress, under lease: FollowerLease) async throws -> Bool {
    try pass()
    return try await store.save(progress, under: lease)
  }

  func release(_ lease: FollowerLease) async throws {
    try pass()
    try await store.release(lease)
  }

  func leave(_ follower: FollowerID, worker: String) async throws {
    try pass()
    try await store.leave(follower, worker: worker)
  }

  func states(ofFollowersNamed name: String) async throws -> [FollowerState] {
    try pass()
    return try await store.states(ofFollowersNamed: name)
  }

  func resume(
    _ stream: StreamName, of follower: FollowerID, at position: Position, skipping isSkipped: Bool
  ) async throws -> Bool {
    try pass()
    return try await store.resume(stream, of: follower, at: position, skipping: isSkipped)
  }

  func forget(_ follower: FollowerID) async throws {
    try pass()
    try await store.forget(follower)
  }
}
