import Synchronization

/// The parts of a store object that exist only while the process runs, such as its watchers and threads.
///
/// The runtime contains the watchers of commits, the threads on which the store's asynchronous calls run, and the
/// decider states that the store keeps in memory. Every custom store has one runtime. A store that wraps another store
/// uses the wrapped store's runtime.
///
/// A watcher is a closure that you register with ``watch(_:)``. The methods `append` and `execute` announce their
/// commits to the watchers. An announcement only means that new events might exist, so read the store after an
/// announcement.
public final class StoreRuntime: Sendable {
  /// A token that keeps a watcher registered until you cancel or release the token.
  public final class Token: Sendable {
    private let onCancel: Mutex<(@Sendable () -> Void)?>

    /// Creates a token.
    ///
    /// - Parameter onCancel: A closure that removes the watcher. It's called once, when the token is cancelled or
    ///   released.
    public init(_ onCancel: @escaping @Sendable () -> Void) {
      self.onCancel = Mutex(onCancel)
    }

    /// Removes the watcher.
    ///
    /// If the watcher is running at this moment, the method doesn't wait until the watcher returns.
    public func cancel() {
      let end = onCancel.withLock { end in
        defer { end = nil }
        return end
      }
      end?()
    }

    deinit { cancel() }
  }

  /// The reason and the isolation of an announcement.
  package enum Announcement: Sendable {
    /// An announcement on the committing thread, in the caller's isolation.
    case commit(from: (any Actor)?)
    /// An announcement to the watchers of a floating branch, on the thread that committed to the branch's base.
    case below(from: (any Actor)?)
    /// An announcement on the store's own thread, while the caller waits for a later announcement in its isolation.
    case ahead(of: (any Actor)?)
    /// An announcement in the isolation of the caller that waited.
    case returned(to: (any Actor)?)
  }

  private struct Watchers {
    var next = 0
    // In the order of their registration.
    var bodies: [(number: Int, body: @Sendable (Announcement) -> Void)] = []
    var returns: [(number: Int, body: @Sendable (isolated (any Actor)?) async -> Void)] = []
    var erasures: [(number: Int, body: @Sendable () -> Void)] = []
  }

  private let watchers = Mutex(Watchers())
  /// The threads on which the store's asynchronous calls run.
  ///
  /// A store that wraps another store shares the wrapped store's runtime, and therefore its threads.
  package let lanes = WorkLanes()
  /// The decider states that the store keeps in memory.
  package let states = DeciderStates()
  /// The types in use on the store and on its branches.
  package let names: UsedNames
  #if DEBUG
    /// The mistakes of projections that were reported.
    private let reportedMistakes = Mutex<Set<String>>([])

    /// Returns true for the first report of a projection's mistake, so that no mistake is reported twice.
    package func isFirstReport(of mistake: String) -> Bool {
      reportedMistakes.withLock { $0.insert(mistake).inserted }
    }
  #endif

  /// Creates a runtime without watchers.
  public init() { names = UsedNames() }

  /// Creates a runtime for a branch, which shares the base's types in use.
  package init(ofBranchOf base: StoreRuntime) { names = base.names }

  /// Registers a closure to call after every commit.
  ///
  /// After a commit by a synchronous method, the closure is called once, on the committing caller's thread. After a
  /// commit by an `async` method, the closure is called twice. The first call is made on the store's own thread with
  /// the argument `nil`. It reaches watchers immediately, even if the committing caller's isolation is busy. The second
  /// call is made in the committing caller's isolation, before the `async` method returns.
  ///
  /// - Parameter body: The closure to call after every commit. Its argument is the isolation of the committing caller,
  ///   or `nil` if the isolation is unknown. No lock is held during the call. The closure must not block its thread to
  ///   wait for another isolation.
  /// - Returns: A token. The closure stays registered until you release the token.
  public func watch(_ body: @escaping @Sendable ((any Actor)?) -> Void) -> Token {
    watchAll { announcement in
      switch announcement {
      case .commit(let caller), .below(let caller), .returned(let caller): body(caller)
      case .ahead: body(nil)
      }
    }
  }

  /// Registers a closure to call once per commit, as early as possible.
  package func watchCommits(_ body: @escaping @Sendable () -> Void) -> Token {
    watchAll { announcement in
      if case .returned = announcement { return }
      body()
    }
  }

  /// Registers a closure to call for every announcement.
  package func watchAll(_ body: @escaping @Sendable (Announcement) -> Void) -> Token {
    let number = watchers.withLock { watchers in
      watchers.next += 1
      watchers.bodies.append((watchers.next, body))
      return watchers.next
    }
    return Token { [self] in watchers.withLock { $0.bodies.removeAll { $0.number == number } } }
  }

  /// Registers a closure to call after the commit of an asynchronous call, before that call returns to its caller.
  ///
  /// - Parameter body: The closure to call in the caller's isolation. The caller waits until the closure returns.
  /// - Returns: A token. The watch ends when you release the token.
  package func watchReturns(_ body: @escaping @Sendable (isolated (any Actor)?) async -> Void) -> Token {
    let number = watchers.withLock { watchers in
      watchers.next += 1
      watchers.returns.append((watchers.next, body))
      return watchers.next
    }
    return Token { [self] in watchers.withLock { $0.returns.removeAll { $0.number == number } } }
  }

  /// Registers a closure to call before this process erases data, removes streams or replaces all events.
  ///
  /// - Parameter body: The closure to call, on the caller's or the store's thread. The change starts after the closure
  ///   returns.
  /// - Returns: A token. The watch ends when you release the token.
  package func watchErasures(_ body: @escaping @Sendable () -> Void) -> Token {
    let number = watchers.withLock { watchers in
      watchers.next += 1
      watchers.erasures.append((watchers.next, body))
      return watchers.next
    }
    return Token { [self] in watchers.withLock { $0.erasures.removeAll { $0.number == number } } }
  }

  /// Lets watchers read the existing events one last time before they are erased, removed or replaced.
  package func prepareErasure() {
    let bodies = watchers.withLock { $0.erasures }
    for (_, body) in bodies { body() }
  }

  /// Notifies all watchers, in the isolation of a caller that waited for a commit.
  package func announceReturn(isolation: isolated (any Actor)?) async {
    announce(.returned(to: isolation))
    let bodies = watchers.withLock { $0.returns }
    for (_, body) in bodies { await body(isolation) }
  }

  /// Notifies all watchers, in the order of their registration.
  ///
  /// - Parameter isolation: The isolation of the committing caller, or `nil` if unknown.
  public func announce(from isolation: (any Actor)?) { announce(.commit(from: isolation)) }

  /// Notifies all watchers of a commit by another store or process.
  ///
  /// The notification arrives on a thread that belongs to no caller. So a controller without isolation doesn't deliver
  /// its changes on that thread, even if the controller was used on that thread before.
  package func announceOthers() { announce(.ahead(of: nil)) }

  package func announce(_ announcement: Announcement) {
    let bodies = watchers.withLock { $0.bodies }
    for (_, body) in bodies { body(announcement) }
  }
}
