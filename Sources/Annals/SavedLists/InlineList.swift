/// A list that is folded and saved in the transaction of every append: where the append is, the list is too.
///
/// ``EventStore/keepList(of:request:cacheName:)`` makes one. As soon as an append has returned, ``results`` shows it,
/// on any thread. A controller with the same projection, request and cache name begins with it, in any process, and has
/// nothing to fold. Every append pays for it with the folding and the pages that change.
///
/// The list is kept up to date for as long as you hold this, and for appends of the store that made it. What other
/// processes append is folded with this store's next append.
public final class InlineList<Row: Annals.Row>: Sendable {
  private let folder: InlineFolder<Row>

  init(_ folder: InlineFolder<Row>) { self.folder = folder }

  /// The list after the last append that was committed.
  public var results: Results<Row> { folder.results }

  /// The event that cannot be folded, and why; nil if there is none.
  ///
  /// Appends continue all the same. The list stands before that event until it is made by better code.
  public var failure: ProjectionError? { folder.failure }

  /// What became of the saved list.
  public var cacheReport: CacheReport { folder.cacheReport }
}

extension EventStore {
  /// Keeps a list that is folded and saved in the transaction of every append.
  ///
  /// - Parameters:
  ///   - projection: Makes the rows.
  ///   - request: Which rows, in which order, cut into which sections; its parts have names.
  ///   - cacheName: The name that the list is saved under.
  /// - Returns: The list, at the log's end, and kept there for as long as you hold it.
  /// - Throws: ``FetchRequestError`` if a part of the request has no name or the projection no identity;
  ///   ``EventStoreError``, with the code `unsupported` if the store cannot keep lists; ``EventCodingError``.
  /// - Complexity: O(n) for the n events since the list was saved last.
  public func keepList<P: Projection>(
    of projection: P, request: FetchRequest<P.Row>, cacheName: String
  ) throws -> InlineList<P.Row> {
    guard let inlineLists else { throw EventStoreError.unsupported("inline lists", by: Self.self) }
    guard let savedLists else { throw EventStoreError.unsupported("saved lists", by: Self.self) }
    let folder = try InlineFolder(self, savedLists, projection, request, cacheName: cacheName)
    try inlineLists.add(folder)
    return InlineList(folder)
  }
}
