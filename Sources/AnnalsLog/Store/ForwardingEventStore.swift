/// A store that wraps another store.
///
/// The protocol's extension forwards all members to the wrapped store, including the runtime and the capabilities, such
/// as ``EventStore/checkpoints`` and ``EventStore/erasing``. So a conforming type declares only ``wrapped`` and the
/// members that it changes:
///
///     final class CountingStore: ForwardingEventStore {
///       let wrapped: any EventStore
///       let commits = Atomic(0)
///
///       func commit(_ append: Append) throws -> Receipt {
///         commits.add(1, ordering: .relaxed)
///         return try wrapped.commit(append)
///       }
///       …
///     }
///
/// If your store shows different events than the wrapped store, also override the capabilities that depend on events,
/// or return `nil` from them. Otherwise, for example, ``EventStore/savedLists`` would return lists of the wrapped
/// store's events. Implement ``EventStore/statistics(streamLimit:)`` with ``LogStatistics/init(of:streamLimit:)``.
/// To show events in a different form, use an ``EventLogView``.
public protocol ForwardingEventStore: EventStore {
  /// The wrapped store.
  var wrapped: any EventStore { get }
}

extension ForwardingEventStore {
  /// The wrapped store's source.
  public var source: String { wrapped.source }
  /// The wrapped store's environment.
  public var environment: StoreEnvironment { wrapped.environment }
  /// The wrapped store's runtime, which calls the registered watchers after commits (``StoreRuntime/watch(_:)``).
  public var runtime: StoreRuntime { wrapped.runtime }
  /// The wrapped store's storage for checkpoints.
  public var checkpoints: (any CheckpointStore)? { wrapped.checkpoints }
  /// The wrapped store's storage for decider states.
  public var snapshots: (any SnapshotStore)? { wrapped.snapshots }
  /// The wrapped store's storage for drafts.
  public var drafts: (any DraftStore)? { wrapped.drafts }
  /// The wrapped store's storage for saved lists.
  public var savedLists: (any SavedListStore)? { wrapped.savedLists }
  /// The wrapped store's interface for lists that it updates in the transaction of every append.
  public var inlineLists: (any InlineListStore)? { wrapped.inlineLists }
  /// The wrapped store's interface for erasing personal data.
  public var erasing: (any ErasingStore)? { wrapped.erasing }
  /// The wrapped store's interface for compacting its log.
  public var compacting: (any CompactingStore)? { wrapped.compacting }
  /// The wrapped store's interface for committing several appends with one disk sync.
  ///
  /// The wrapped store commits a group without calling this store's ``EventStore/commit(_:)``. If that method must be
  /// called for every append, return `nil` from this property.
  public var grouping: (any GroupingStore)? { wrapped.grouping }
  /// The wrapped store's interface that notifies watchers of commits by other stores and processes.
  public var externalWriters: (any ExternalWriters)? { wrapped.externalWriters }

  /// Commits an append to the wrapped store.
  public func commit(_ append: Append) throws -> Receipt { try wrapped.commit(append) }

  /// Returns the statistics of the wrapped store's log.
  public func statistics(streamLimit: Int) throws -> LogStatistics {
    try wrapped.statistics(streamLimit: streamLimit)
  }

  /// Calls a closure with a snapshot of the wrapped store's log.
  public func read<T>(_ body: (any EventLog) throws -> T) throws -> T { try wrapped.read(body) }
}
