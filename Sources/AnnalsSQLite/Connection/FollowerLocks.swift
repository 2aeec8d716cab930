import AnnalsLog
import Synchronization

/// The claims of a log's followers, which are locks on files next to the log.
///
/// The system releases a lock when its process ends, even if the process is killed. So no clock is needed to recognize
/// the claim of a process that no longer exists, and an idle process renews nothing. Each store has its own open file,
/// so the locks also exclude two stores of one process.
final class FollowerLocks: Sendable {
  private struct State {
    var next = 0
    /// The claims, which end when their followers are deallocated.
    var held: [Int: Weak] = [:]
    var isClosed = false
  }

  private struct Weak {
    weak var claim: FollowerClaim?
  }

  private let place: LogLocation
  private let suspension: Suspension
  private let state = Mutex(State())

  init(_ place: LogLocation, suspension: Suspension) {
    self.place = place
    self.suspension = suspension
  }

  /// Claims a follower without waiting.
  func claim(_ follower: String) throws -> FollowerClaim {
    let path = path(of: follower)
    let lock = try lock(path, follower)
    let claim = state.withLock { state -> FollowerClaim? in
      // The lock might have been acquired after `suspend` or `close` released all locks.
      if state.isClosed || suspension.isOn { return nil }
      let number = state.next
      state.next += 1
      let claim = FollowerClaim { [weak self] in
        FileSystem.unlock(lock, path)
        self?.forget(number)
      }
      state.held[number] = Weak(claim: claim)
      return claim
    }
    guard let claim else {
      FileSystem.unlock(lock, path)
      try suspension.check(place.path)
      throw EventStoreError(.closed, "\(place.path): the store is closed, so it can't run followers; open a new store")
    }
    return claim
  }

  private func forget(_ number: Int) { _ = state.withLock { $0.held.removeValue(forKey: number) } }

  /// Releases all claims.
  func release() { for claim in state.withLock({ $0.held.values.map(\.claim) }) { claim?.release() } }

  /// Releases all claims, and refuses new claims.
  func close() {
    state.withLock { $0.isClosed = true }
    release()
  }

  /// The path of a follower's lock file.
  ///
  /// A follower's name can contain any characters and can be longer than a file's name, so the path contains the name's
  /// hash (FNV-1a). Two followers with equal hashes would only wait for each other.
  private func path(of follower: String) -> String {
    let hash = follower.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    return "\(place.file)-follower-\(String(hash, radix: 16))"
  }

  private func lock(_ path: String, _ follower: String) throws -> Int32 {
    try suspension.check(place.path)
    do {
      guard let original = try FileSystem.existing(place.file) else { throw FileSystem.Failure.missing }
      let program = CommandLine.arguments.first?.split(separator: "/").last ?? ""
      switch try FileSystem.lock(path, like: original, note: "\(FileSystem.processNumber) (\(program))") {
      case .locked(let descriptor): return descriptor
      case .held(let note):
        let runner = note.map { "process \($0)" } ?? "another process"
        throw EventStoreError.followerBusy(follower, in: runner, path: place.path)
      }
    } catch let failure as FileSystem.Failure {
      throw EventStoreError(
        .io, "\(path): the lock for the follower \"\(follower)\" can't be acquired: \(failure.sentence)")
    }
  }
}
