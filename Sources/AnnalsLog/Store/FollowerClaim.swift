import Synchronization

/// The exclusive right to run a follower.
///
/// As long as the claim is held, no other caller can claim the follower. A ``CheckpointStore`` creates the claim. The
/// claim ends when ``release()`` is called or the claim is deallocated. The store can also release the claim, for
/// example because the app is about to be suspended.
public final class FollowerClaim: Sendable {
  private let end: Mutex<(@Sendable () -> Void)?>

  /// Creates a claim.
  ///
  /// - Parameter end: A closure that ends the claim in the store, so that another caller can claim the follower. The
  ///   closure is called once, by the first ``release()``.
  public init(end: @escaping @Sendable () -> Void) { self.end = Mutex(end) }

  deinit { release() }

  /// True until the claim is released.
  public var isHeld: Bool { end.withLock { $0 != nil } }

  /// Ends the claim.
  ///
  /// Later calls have no effect.
  public func release() {
    let end = end.withLock { end in
      defer { end = nil }
      return end
    }
    end?()
  }
}

/// A table of the followers that are claimed in this process, for use in a custom ``CheckpointStore``.
///
/// The table is enough to implement ``CheckpointStore/claim(follower:)`` if only one store can open the log.
public final class FollowerClaims: Sendable {
  private let followers = Mutex<Set<ExactString>>([])

  /// Creates a table without claimed followers.
  public init() {}

  /// Claims a follower.
  ///
  /// - Parameter follower: The follower's name.
  /// - Returns: The claim.
  /// - Throws: ``EventStoreError`` (`.followerBusy`) if the follower is already claimed.
  public func claim(_ follower: String) throws -> FollowerClaim {
    let name = ExactString(follower)
    guard followers.withLock({ $0.insert(name).inserted }) else {
      throw EventStoreError.followerBusy(follower, in: "this process")
    }
    return FollowerClaim { [self] in _ = followers.withLock { $0.remove(name) } }
  }
}

extension EventStoreError {
  /// The error for a follower that another runner has claimed.
  package static func followerBusy(_ follower: String, in runner: String, path: String? = nil) -> EventStoreError {
    EventStoreError(
      .followerBusy,
      "\(path.map { "\($0): " } ?? "")the follower \"\(follower)\" is already running in \(runner). Only one runner at "
        + "a time can handle a follower's events, so retry later, or run the follower in only one place")
  }
}
