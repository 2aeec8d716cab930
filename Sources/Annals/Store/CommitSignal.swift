import Synchronization

/// Notifies those who watch a store that something was committed.
///
/// A store holds one and does nothing else with it; ``EventStore/append(_:isolation:)`` announces commits with it. A
/// signal says only that there may be more: read the store when you get one.
public final class CommitSignal: Sendable {
  /// A watch, which lasts until it is cancelled or no longer held.
  public final class Token: Sendable {
    private let onCancel: Mutex<(@Sendable () -> Void)?>

    /// Creates a watch.
    ///
    /// - Parameter onCancel: Ends what the watch stands for; called once.
    public init(_ onCancel: @escaping @Sendable () -> Void) {
      self.onCancel = Mutex(onCancel)
    }

    /// Ends the watch; a call that is under way runs to its end.
    public func cancel() {
      let end = onCancel.withLock { end in
        defer { end = nil }
        return end
      }
      end?()
    }

    deinit { cancel() }
  }

  private struct Watchers {
    var next = 0
    var bodies: [Int: @Sendable ((any Actor)?) -> Void] = [:]
  }

  private let watchers = Mutex(Watchers())

  /// Creates a signal that has no watchers yet.
  public init() {}

  /// Watches the signal.
  ///
  /// - Parameter body: Called after each commit, on the committing thread, with the isolation of the caller that
  ///   committed; no lock is held meanwhile. It must not wait for another isolation.
  /// - Returns: The watch; it ends when you no longer hold it.
  public func watch(_ body: @escaping @Sendable ((any Actor)?) -> Void) -> Token {
    let number = watchers.withLock { watchers in
      watchers.next += 1
      watchers.bodies[watchers.next] = body
      return watchers.next
    }
    return Token { [self] in watchers.withLock { $0.bodies[number] = nil } }
  }

  /// Notifies all watchers, in the order in which they began to watch.
  ///
  /// - Parameter isolation: The isolation of the caller that committed, nil if none is known.
  public func announce(from isolation: (any Actor)?) {
    let bodies = watchers.withLock { $0.bodies.sorted { $0.key < $1.key } }
    for (_, body) in bodies { body(isolation) }
  }
}
