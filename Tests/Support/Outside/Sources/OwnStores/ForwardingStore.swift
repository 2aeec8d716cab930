import AnnalsLog

/// A store around another one, which forwards everything: begin a wrapper of your own with a copy of it.
///
/// Forward the `signal` of the store inside, because `externalWriters` announces through it.
public final class ForwardingStore: EventStore {
  private let inner: any EventStore

  /// Creates a store around another one.
  ///
  /// - Parameter inner: The store to forward to.
  public init(_ inner: any EventStore) { self.inner = inner }

  public var source: String { inner.source }
  public var environment: StoreEnvironment { inner.environment }
  public var runtime: StoreRuntime { inner.runtime }

  public func commit(_ append: Append) throws -> Receipt { try inner.commit(append) }
  public func read<T>(_ body: (any EventLog) throws -> T) throws -> T { try inner.read(body) }

  public var checkpoints: (any CheckpointStore)? { inner.checkpoints }
  public var snapshots: (any SnapshotStore)? { inner.snapshots }
  public var drafts: (any DraftStore)? { inner.drafts }
  public var savedLists: (any SavedListStore)? { inner.savedLists }
  public var inlineLists: (any InlineListStore)? { inner.inlineLists }
  public var erasing: (any ErasingStore)? { inner.erasing }
  public var compacting: (any CompactingStore)? { inner.compacting }
  public var grouping: (any GroupingStore)? { inner.grouping }
  public var externalWriters: (any ExternalWriters)? { inner.externalWriters }
}
