import Synchronization

/// A request that is prepared for building lists, with closures that take entries (``RowEntry``) instead of typed rows.
package final class PreparedRequest: Sendable {
  /// The type of the rows.
  let rowType: ObjectIdentifier
  package let keyer: RowKeyer
  /// An identity that changes only with the filter.
  package let filterID: Identity
  /// The parts of the filter, or an empty array if all rows pass.
  ///
  /// A row passes the filter only if it passes all parts.
  let filterParts: [FilterPart]
  /// The records of the first errors of the filter's predicates, or an empty array.
  package let filterFailures: [FilterFailure]
  /// The index for the request's search.
  package let textIndex: TextIndex?
  /// The aggregator for all rows, or `nil` if the request has no aggregates.
  package let aggregator: Aggregator?
  let offset: Int
  let limit: Int?
  /// The minimum number of rows to read from a saved list in one batch.
  let batchSize: Int
  /// A closure that returns whether a row passes the filter, or `nil` without a filter.
  package let includes: (@Sendable (RowEntry) -> Bool)?
  /// A closure that returns whether two rows have the same content.
  let isEqual: @Sendable (RowEntry, RowEntry) -> Bool
  /// A closure that returns an entry with the same row but without keys.
  let unkeyed: @Sendable (RowEntry) -> RowEntry

  /// The number of controllers with this request.
  ///
  /// The last release of a controller can be on any thread, so the number is atomic.
  private let controllers = Atomic<Int>(0)
  /// True if several controllers have this request, so that one of them can take over the list of another one.
  package var isShared: Bool { controllers.load(ordering: .relaxed) > 1 }

  /// The minimum number of changed rows for updating a list in one pass instead of row by row.
  let wideFrom: Int
  /// The minimum number of rows to process on several cores in parallel.
  let parallelFrom: Int

  /// Prepares a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - wideFrom: The minimum number of changed rows for updating a list in one pass instead of row by row.
  ///   - parallelFrom: The minimum number of rows to process on several cores in parallel, or `nil` for the default.
  package init<Row: AnnalsLists.Row>(_ request: ListRequest<Row>, wideFrom: Int = 64, parallelFrom: Int? = nil) {
    self.wideFrom = wideFrom
    self.parallelFrom = parallelFrom ?? Parallel.threshold
    rowType = ObjectIdentifier(Row.self)
    keyer = request.keyer
    filterID = request.filterID
    aggregator = request.aggregator
    offset = request.offset
    limit = request.limit
    batchSize = request.fetchBatchSize
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

  /// Counts a controller that has this request from now on.
  package func addController() { controllers.add(1, ordering: .relaxed) }

  /// Removes a controller from the count.
  package func removeController() { controllers.subtract(1, ordering: .relaxed) }

  /// Returns the rows that might match the request's search, or `nil` if no index can narrow down the rows.
  ///
  /// - Parameter ids: All rows.
  /// - Returns: Rows of `ids`, without duplicates, in no particular order.
  func candidates(in ids: SortedTree<ByID>) -> [RowEntry]? {
    guard let textIndex else { return nil }
    for case .search(let id, let terms) in filterParts where id === textIndex.search {
      return textIndex.candidates(terms, in: ids, isEqual: isEqual)
    }
    return nil
  }
}
