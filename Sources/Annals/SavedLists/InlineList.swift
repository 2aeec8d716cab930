/// A list that every append updates and saves, so that an append commits its events and the updated list in one
/// transaction.
///
/// Create it with ``EventStore/keepList(of:request:cacheName:)``. As soon as an append has returned, ``results``
/// includes the appended events, on any thread. A controller in any process that has the same projection, request and
/// cache name loads this list when it starts, and doesn't need to apply any events. However, every append takes longer,
/// because it also applies its events to the list and saves the changed parts of the list.
///
/// The list stays current for as long as you retain this object. It is updated immediately only if you append to the
/// store that created it. Events that other processes append are applied with this store's next append.
public final class InlineList<Row: Annals.Row>: Sendable {
  private let folder: InlineFolder<Row>

  init(_ folder: InlineFolder<Row>) { self.folder = folder }

  /// The list after the last committed append.
  public var results: Results<Row> { folder.results }

  /// The error for an event that the projection can't apply, or `nil`.
  ///
  /// Appends succeed despite this error, but the list remains at the position before that event. After you have
  /// corrected the projection's code, the list becomes current when the corrected program calls
  /// ``EventStore/keepList(of:request:cacheName:)``.
  public var failure: ProjectionError? { folder.failure }

  /// A report on how the list was loaded and saved.
  public var cacheReport: CacheReport { folder.cacheReport }
}

extension EventStore {
  /// Creates a list that every append to this store updates and saves in the append's transaction.
  ///
  /// - Parameters:
  ///   - projection: The projection that builds the rows.
  ///   - request: The filter, the sort keys and the sections of the list. They must all have names, such as
  ///     `.where("affordable") { … }`, because the names identify the saved list. Sort keys and sections that use a
  ///     stored property already have a name.
  ///   - cacheName: The name under which the list is saved.
  /// - Returns: The list. It stays current for as long as you retain it.
  /// - Throws: ``ListRequestError`` if the request's filter, a sort key or the sectioning has no name, or if the
  ///   projection has no identity. ``EventStoreError`` (`.unsupported`) if the store can't save lists or can't update
  ///   them in its appends. Another ``EventStoreError`` or an ``EventCodingError`` if the events can't be read.
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
