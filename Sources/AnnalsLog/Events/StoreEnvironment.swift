public import Foundation

/// A store's replaceable dependencies, such as its clock, its generator of identifiers and its failure reports.
///
/// For example, replace the clock and the generator in a test, so that every run has the same result.
public struct StoreEnvironment: Sendable {
  /// A closure that returns the current time.
  ///
  /// A store uses the current time for new events. It also compares the current time with a requested point in time, to
  /// find out whether this point is in the past (``EventLog/position(at:)``).
  public var now: @Sendable () -> Date
  /// A closure that returns a new identifier, for example for an event.
  ///
  /// The identifier must differ from all earlier identifiers.
  public var makeID: @Sendable () -> String {
    didSet { makesOrderedIDs = false }
  }
  /// A closure that waits for a duration, or throws if the task is cancelled.
  public var sleep: @Sendable (Duration) async throws -> Void
  /// A closure that a test can use to run code at every `CommandStep` of a command.
  ///
  /// If the closure throws, the command fails.
  public var hook: (@Sendable (CommandStep) throws -> Void)?
  /// A closure that receives a report when a list, a follower, a save or a filter fails.
  ///
  /// In debug builds, the closure also receives a report when a projection changes or deletes a row that doesn't exist,
  /// or inserts a row that exists already.
  ///
  /// The closure is called once for every failure, on the thread of the failed work.
  ///
  /// A controller calls the closure in its own isolation, before it notifies its delegate. Don't wait in the
  /// closure, and don't use the store in it.
  public var report: @Sendable (FailureReport) -> Void
  /// A monitor that receives measurements, and wraps operations in tracing spans.
  ///
  /// Remote stores, followers and replicas call the monitor. By default, the value is `nil`.
  public var monitor: (any StoreMonitor)?
  /// The labels that a store adds to all its measurements and operations, for example its database schema.
  package var labels: [String: String] = [:]
  /// The maximum number of decider states that the store keeps in memory, or 0 to keep none.
  ///
  /// If a decider's state is in memory, a command reads only new events. The least recently used states are released
  /// first. A `Decider` has one state per stream, and a `BoundaryDecider` has one state per query. The budget limits
  /// only the number of states. The memory that they need also depends on the size of your deciders' states.
  public var stateBudget: Int
  /// True if `makeID` wasn't replaced, so that a store is allowed to use another generated identifier instead.
  package private(set) var makesOrderedIDs: Bool
  /// The maximum number of other writers' events that a list applies in its own isolation, because starting a separate
  /// thread would take longer.
  package var shortTail = 32
  /// The number of events that a background thread applies to a list in one round.
  ///
  /// A transaction with more events is applied completely in one round.
  ///
  /// Events that arrive during a round are left to the next round, so that no delivery grows with the amount of work.
  package var roundSize = 1_024
  /// The number of pages of a saved list that can be read before the list releases them.
  ///
  /// In addition, a list with more rows than fit on these pages is released from memory after it is saved.
  package var pageBudget = 2_048
  /// The minimum number of events between two copies of a list's rows that are kept in case of an erasure.
  ///
  /// After an erasure, the list is rebuilt from such a copy. More copies aren't needed, because applying fewer events
  /// than this number is fast.
  package var refoldGrain = 64

  /// Creates an environment.
  ///
  /// - Parameters:
  ///   - now: A closure that returns the current time. The default reads the system's clock.
  ///   - makeID: A closure that returns a new identifier, for example for an event. The default returns lowercase UUIDs
  ///     of version 7, which begin with the current time.
  ///   - sleep: A closure that waits for a duration, for example before a follower retries an event. The default is
  ///     `Task.sleep(for:)`.
  ///   - hook: A closure that a test can use to run code at every `CommandStep` of a command.
  ///   - report: A closure that receives a report when a list, a follower, a save or a filter fails. The default calls
  ///     ``FailureReport/log()``. Use `{ _ in }` to disable reports.
  ///   - stateBudget: The maximum number of decider states that the store keeps in memory, or 0 to keep none. The
  ///     default is 1,000.
  ///   - monitor: A monitor that receives measurements and wraps operations in tracing spans, or `nil`.
  public init(
    now: @escaping @Sendable () -> Date = { Date() },
    makeID: (@Sendable () -> String)? = nil,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    hook: (@Sendable (CommandStep) throws -> Void)? = nil,
    report: @escaping @Sendable (FailureReport) -> Void = { $0.log() },
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
