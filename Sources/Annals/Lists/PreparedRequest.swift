/// A request made ready: what the making of lists asks of it, for rows as entries.
package final class PreparedRequest: Sendable {
  /// The type of the rows.
  let rowType: ObjectIdentifier
  let keyer: RowKeyer
  /// The same as long as the filter is.
  let filterID: Identity
  /// What a row must pass, all of it; nothing if the request lets all rows through.
  let filterParts: [FilterPart]
  /// The first errors of the filter's predicates, or an empty array.
  let filterFailures: [FilterFailure]
  /// The index of the search that the request names.
  let textIndex: TextIndex?
  /// What the lists keep of all rows; nil if the request has no aggregates.
  let aggregator: Aggregator?
  let offset: Int
  let limit: Int?
  /// How many rows are read from a saved list at once.
  let batchSize: Int
  /// Tells whether the request lets a row through; nil if it lets all.
  let includes: (@Sendable (RowEntry) -> Bool)?
  /// Tells whether two rows have the same content.
  let isEqual: @Sendable (RowEntry, RowEntry) -> Bool
  /// The same row as an entry without keys.
  let unkeyed: @Sendable (RowEntry) -> RowEntry

  /// So many changed rows are no longer given their places one by one.
  let wideFrom: Int
  /// So many rows are worked on by several cores at once.
  let parallelFrom: Int

  /// Makes a request ready.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - wideFrom: So many changed rows are no longer given their places one by one.
  ///   - parallelFrom: So many rows are worked on by several cores at once; nil for as many as it is worth it for.
  package init<Row: Annals.Row>(_ request: FetchRequest<Row>, wideFrom: Int = 64, parallelFrom: Int? = nil) {
    (self.wideFrom, self.parallelFrom) = (wideFrom, parallelFrom ?? Parallel.threshold)
    rowType = ObjectIdentifier(Row.self)
    (keyer, filterID, aggregator) = (request.keyer, request.filterID, request.aggregator)
    (offset, limit, batchSize) = (request.offset, request.limit, request.fetchBatchSize)
    filterParts = request.filter?.parts ?? []
    filterFailures = request.filter?.failures ?? []
    textIndex = request.textIndex
    if let filter = request.filter {
      let body = filter.includes
      includes = { body(Rows<Row>.box($0).row) }
    } else {
      includes = nil
    }
    let known = HiddenNaN()
    isEqual = { Rows<Row>.box($0).row.isSame(as: Rows<Row>.box($1).row, known) }
    unkeyed = { Rows<Row>.Box(Rows<Row>.box($0).row, id: $0.id) }
  }

  /// The rows that the index of a search says may be shown; nil if the request has none, or it does not help.
  ///
  /// - Parameter ids: All rows.
  /// - Returns: Rows of `ids`, each once, in no particular order.
  func candidates(in ids: SortedTree<ByID>) -> [RowEntry]? {
    guard let textIndex else { return nil }
    for case .search(let id, let terms) in filterParts where id === textIndex.search {
      return textIndex.candidates(terms, in: ids, isEqual: isEqual)
    }
    return nil
  }
}
