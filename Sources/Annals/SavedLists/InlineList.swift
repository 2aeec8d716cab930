/// A list that every append updates and saves in its own transaction, so that the events and the updated list are
/// committed together.
///
/// Create it with ``EventStore/keepList(of:request:cacheName:)``. As soon as an append has returned, ``results``
/// includes the appended events, on any thread. If a controller in any process has the same projection, request and
/// cache name, it starts with this list and has no events to fold. In return, every append takes longer, because it
/// folds its events and writes changed pages of the list.
///
/// The list stays current for as long as you retain this object, but only appends to the store that created the list
/// update it immediately. Events from other processes are folded with this store's next append.
public final class InlineList<Row: Annals.Row>: Sendable {
  private let folder: InlineFolder<Row>

  init(_ folder: InlineFolder<Row>) { self.folder = folder }

  /// The list after the last committed append.
  public var results: Results<Row> { folder.results }

  /// The error for an event that can't be folded, or `nil`.
  ///
  /// Appends succeed despite this error. The list remains at the position before that event. The list is rebuilt after
  /// you correct the projection's code.
  public var failure: ProjectionError? { folder.failure }

  /// The state of the saved list.
  public var cacheReport: CacheReport { folder.cacheReport }
}

extension EventStore {
  /// Creates a list that every append updates and saves in its own transaction.
  ///
  /// - Parameters:
  ///   - projection: The projection that builds the rows.
  ///   - request: The request that defines the rows, their order and their sections. Its parts must have names.
  ///   - cacheName: The name under which the list is saved.
  /// - Returns: The list. It stays current for as long as you retain it.
  /// - Throws: ``ListRequestError`` if a part of the request has no name or the projection has no identity.
  ///   ``EventStoreError`` (`.unsupported`) if the store can't save lists, or another ``EventStoreError`` or
  ///   ``EventCodingError`` if the events can't be read.
  /// - Complexity: O(n) for the n events since the list was last saved.
  public func keepList<P: Projection>(
    of projection: P, request: ListRequest<P.Row>, cacheName: String
  ) throws -> InlineList<P.Row> {
    guard let inlineLists else { throw EventStoreError.unsupported("inline lists", by: Self.self) }
    guard let savedLists else { throw EventStoreError.unsupported("saved lists", by: Self.self) }
    let folder = try InlineFolder(self, savedLists, projection, request, cacheName: cacheName)
    try inlineLists.add(folder)
    return InlineList(folder)
  }
}
