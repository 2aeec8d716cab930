public import Foundation

/// What a store takes from the world: the time, new identifiers, a way to wait, where stops are reported, who measures,
/// how much it may keep in memory, and a hook for tests.
///
/// Replace any of them to make a run repeatable.
public struct StoreEnvironment: Sendable {
  /// A moment between two steps of executing a command, at which a test may act.
  public enum Moment: Hashable, Sendable {
    /// The streams have been read and nothing is decided yet.
    case didRead(attempt: Int)
    /// The command is decided and its events are about to be appended.
    case willAppend(attempt: Int)
  }

  /// Returns the time of new events, and the present for a reader who seeks to a time.
  public var now: @Sendable () -> Date
  /// Answers a new identifier that was never answered before.
  public var makeID: @Sendable () -> String {
    didSet { makesOrderedIDs = false }
  }
  /// Waits for a time, or until the task is cancelled, and then throws.
  public var sleep: @Sendable (Duration) async throws -> Void
  /// Runs between reading, deciding and appending; what it throws ends the command.
  public var hook: (@Sendable (Moment) throws -> Void)?
  /// Hears once of each list, follower or save that stops, on whatever thread it stops on.
  ///
  /// A controller's comes in the controller's isolation, before the delegate hears of it. Do not wait in it, and do not
  /// use the store there.
  public var report: @Sendable (StopReport) -> Void
  /// Hears what is done, and for how long; nil, as by default, if there is no one.
  ///
  /// It hears of remote stores, of followers and of replicas.
  public var monitor: (any StoreMonitor)?
  /// How many states of deciders the store keeps in memory at most; 0 keeps none.
  ///
  /// A command on a state that is kept reads only the events that came since. What was unused for longest is dropped
  /// of first. The budget counts states, of streams and of boundaries, and not their bytes: how large one state is
  /// depends on your domain alone.
  public var stateBudget: Int
  /// True if nothing else was asked to make identifiers, so that a store may make another one in an identifier's place.
  package private(set) var makesOrderedIDs: Bool
  /// So many events of others a list folds in its own isolation: another thread would not begin with them sooner.
  package var shortTail = 32
  /// So many events are folded on another thread at once, or one whole transaction: what comes meanwhile is for the
  /// next round, so that no delivery grows with how much there is to do.
  package var roundSize = 1_024
  /// So many pages of a saved list are read before the list lets go of them; one with as many rows as are on them is
  /// not kept in memory either, once it is saved.
  package var pageBudget = 1_024
  /// So many events are at least between rows that a list keeps for an erasure: as many are folded in no time.
  package var refoldGrain = 64

  /// Creates an environment.
  ///
  /// - Parameters:
  ///   - now: Answers the time of new events; by default the system's clock.
  ///   - makeID: Answers new identifiers; by default UUIDs of version 7, which begin with the time, in lower case.
  ///   - sleep: Waits for a time, for example before a follower tries an event again; by default by the system's clock.
  ///   - hook: Runs between reading, deciding and appending.
  ///   - report: Hears of each list, follower or save that stops; by default ``StopReport/log()``. `{ _ in }` switches
  ///     it off.
  ///   - stateBudget: How many states of deciders the store keeps in memory at most, by default 1,000; 0 keeps none.
  ///   - monitor: Hears what is done, and for how long.
  public init(
    now: @escaping @Sendable () -> Date = { Date() },
    makeID: (@Sendable () -> String)? = nil,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    hook: (@Sendable (Moment) throws -> Void)? = nil,
    report: @escaping @Sendable (StopReport) -> Void = { $0.log() },
    stateBudget: Int = 1_000,
    monitor: (any StoreMonitor)? = nil
  ) {
    precondition(stateBudget >= 0, "`stateBudget` must be at least 0 (was \(stateBudget))")
    self.stateBudget = stateBudget
    self.now = now
    makesOrderedIDs = makeID == nil
    self.makeID = makeID ?? { OrderedID.make().text }
    self.sleep = sleep
    self.hook = hook
    self.report = report
    self.monitor = monitor
  }
}
