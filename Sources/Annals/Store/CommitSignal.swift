import Synchronization

/// Notifies those who watch a store that something was committed.
///
/// A store holds one and does nothing else with it; `append` and `execute` announce commits with it. A signal says only
/// that there may be more: read the store when you get one.
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

  /// What is said of a commit, and where.
  enum Announcement: Sendable {
    /// On the committing thread, in the isolation of the caller.
    case commit(from: (any Actor)?)
    /// On the store's own thread; the caller waits, and is notified when it is back in its isolation.
    case ahead(of: (any Actor)?)
    /// In the isolation of the caller that waited.
    case returned(to: (any Actor)?)
  }

  private struct Watchers {
    var next = 0
    var bodies: [Int: @Sendable (Announcement) -> Void] = [:]
    var returns: [Int: @Sendable (isolated (any Actor)?) async -> Void] = [:]
    var erasures: [Int: @Sendable () -> Void] = [:]
  }

  private let watchers = Mutex(Watchers())
  /// The threads of the store's asynchronous calls.
  ///
  /// All that wrap a store share its signal, and so its threads.
  let lanes = WorkLanes()
  /// The states of deciders that the store keeps in memory.
  let states = DeciderStates()
  /// The types that are used on the store, and on the branches of it.
  let names: UsedNames

  /// Creates a signal that has no watchers yet.
  public init() { names = UsedNames() }

  /// Creates the signal of a branch.
  init(ofBranchOf base: CommitSignal) { names = base.names }

  /// Watches the signal.
  ///
  /// A commit of an asynchronous call is announced twice: on the store's thread without isolation, so that others do
  /// not wait for the caller, and then with the caller's isolation, in it, before the call returns.
  ///
  /// - Parameter body: Called after each commit, on the committing thread, with the isolation of the caller that
  ///   committed; no lock is held meanwhile. It must not wait for another isolation.
  /// - Returns: The watch; it ends when you no longer hold it.
  public func watch(_ body: @escaping @Sendable ((any Actor)?) -> Void) -> Token {
    watchAll { announcement in
      switch announcement {
      case .commit(let caller), .returned(let caller): body(caller)
      case .ahead: body(nil)
      }
    }
  }

  /// Watches the signal, and hears of each commit once, as early as can be.
  func watchCommits(_ body: @escaping @Sendable () -> Void) -> Token {
    watchAll { announcement in
      if case .returned = announcement { return }
      body()
    }
  }

  /// Watches everything that is announced.
  func watchAll(_ body: @escaping @Sendable (Announcement) -> Void) -> Token {
    let number = watchers.withLock { watchers in
      watchers.next += 1
      watchers.bodies[watchers.next] = body
      return watchers.next
    }
    return Token { [self] in watchers.withLock { $0.bodies[number] = nil } }
  }

  /// Watches the return of callers that waited for a commit.
  ///
  /// - Parameter body: Called in the isolation of the caller, which waits for it.
  /// - Returns: The watch; it ends when you no longer hold it.
  func watchReturns(_ body: @escaping @Sendable (isolated (any Actor)?) async -> Void) -> Token {
    let number = watchers.withLock { watchers in
      watchers.next += 1
      watchers.returns[watchers.next] = body
      return watchers.next
    }
    return Token { [self] in watchers.withLock { $0.returns[number] = nil } }
  }

  /// Watches erasures that are about to be made by this process.
  ///
  /// - Parameter body: Called before each of them, on the thread of the caller or of the store, which wait for it.
  /// - Returns: The watch; it ends when you no longer hold it.
  func watchErasures(_ body: @escaping @Sendable () -> Void) -> Token {
    let number = watchers.withLock { watchers in
      watchers.next += 1
      watchers.erasures[watchers.next] = body
      return watchers.next
    }
    return Token { [self] in watchers.withLock { $0.erasures[number] = nil } }
  }

  /// Lets those who still have to read something of the events that are there do so, before an erasure.
  func prepareErasure() {
    let bodies = watchers.withLock { $0.erasures.sorted { $0.key < $1.key } }
    for (_, body) in bodies { body() }
  }

  /// Notifies all watchers, in the isolation of a caller that waited for a commit.
  func announceReturn(isolation: isolated (any Actor)?) async {
    announce(.returned(to: isolation))
    let bodies = watchers.withLock { $0.returns.sorted { $0.key < $1.key } }
    for (_, body) in bodies { await body(isolation) }
  }

  /// Notifies all watchers, in the order in which they began to watch.
  ///
  /// - Parameter isolation: The isolation of the caller that committed, nil if none is known.
  public func announce(from isolation: (any Actor)?) { announce(.commit(from: isolation)) }

  /// Notifies all watchers of a commit by another store or process.
  ///
  /// It comes on a thread that is no caller's: a controller without isolation is not delivered to there, also if its
  /// user had that thread before.
  package func announceOthers() { announce(.ahead(of: nil)) }

  func announce(_ announcement: Announcement) {
    let bodies = watchers.withLock { $0.bodies.sorted { $0.key < $1.key } }
    for (_, body) in bodies { body(announcement) }
  }
}
