import Annals
import AnnalsLog
public import AnnalsRemote

extension MemoryRemoteStore {
  /// The server's storage for the progress of remote followers.
  ///
  /// The server's clock (`StoreEnvironment.now`) measures the leases.
  public var checkpoints: (any RemoteCheckpointStore)? { Checkpoints(store: self) }
  /// The server's interface for erasing personal data.
  public var erasing: (any RemoteErasingStore)? { Erasing(store: self) }
  /// The server's interface for compacting its log.
  public var compacting: (any RemoteCompactingStore)? { Compacting(store: self) }

  private struct Checkpoints: RemoteCheckpointStore {
    let store: MemoryRemoteStore

    func claim(_ claim: LeaseClaim) async throws -> LeaseShare {
      try await store.pass(.checkpoint) { try store.server.withFollowers { try $0.claim(claim, at: $1) } }
    }

    func save(_ progress: FollowerProgress, under lease: FollowerLease) async throws -> Bool {
      try await store.pass(.checkpoint) {
        store.server.withFollowers { followers, _ in
          followers.save(progress, under: lease)
        }
      }
    }

    func release(_ lease: FollowerLease) async throws {
      try await store.pass(.checkpoint) { store.server.withFollowers { followers, _ in followers.release(lease) } }
    }

    func leave(_ follower: FollowerID, worker: String) async throws {
      try await store.pass(.checkpoint) {
        store.server.withFollowers { followers, _ in
          followers.leave(follower, worker: worker)
        }
      }
    }

    func states(ofFollowersNamed name: String) async throws -> [FollowerState] {
      try await store.pass(.checkpoint) { store.server.withFollowers { $0.states(named: name, at: $1) } }
    }

    func resume(
      _ stream: StreamName, of follower: FollowerID, at position: Position, skipping isSkipped: Bool
    ) async throws -> Bool {
      try await store.pass(.checkpoint) {
        store.server.withFollowers { followers, _ in
          followers.resume(stream, of: follower, at: position, skipping: isSkipped)
        }
      }
    }

    func forget(_ follower: FollowerID) async throws {
      try await store.pass(.checkpoint) { store.server.withFollowers { followers, _ in followers.forget(follower) } }
    }
  }

  private struct Erasing: RemoteErasingStore {
    let store: MemoryRemoteStore

    func commitErasure(of subject: String) async throws -> ErasureReceipt {
      try await store.pass(.erasure) { try store.server.eraseRemotely(subject) }
    }

    func hasPersonalValues() async throws -> Bool {
      try await store.pass(.erasure) { try store.server.erasing?.hasPersonalValues() ?? false }
    }

    func erasures(after number: Int, limit: Int) async throws -> [LogErasure] {
      try await store.pass(.erasure) {
        Array(store.server.rewritings.erasures.lazy.filter { $0.number > number }.prefix(limit))
      }
    }
  }

  private struct Compacting: RemoteCompactingStore {
    let store: MemoryRemoteStore

    func commitCompaction(_ compaction: RemoteCompaction) async throws -> LogCompaction {
      try await store.pass(.compaction) { try store.server.compact(compaction) }
    }

    func compactions(after number: Int, limit: Int) async throws -> [LogCompaction] {
      try await store.pass(.compaction) {
        Array(store.server.rewritings.compactions.lazy.filter { $0.number > number }.prefix(limit))
      }
    }

    func formerEvents(since number: Int, after position: Position, limit: Int) async throws -> [RewrittenEvent] {
      try await store.pass(.compaction) {
        store.server.rewritings.formerEvents(since: number, after: position, limit: limit)
      }
    }
  }
}
