import AnnalsLog

/// A store that forwards every call to another store.
public final class ForwardingStore: ForwardingEventStore {
  public let wrapped: any EventStore

  /// Creates a store that wraps another store.
  ///
  /// - Parameter inner: The store to forward to.
  public init(_ inner: any EventStore) { wrapped = inner }
}
