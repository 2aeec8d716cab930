/// A description of a list: the rows to show, the sort order of the rows, and their sections.
///
///     let request = ListRequest<Book>(
///       filter: .where("affordable") { $0.price < 50 }, sort: [.ascending(\.title)], section: .by(\.shelf))
///
/// The request's closures are called on the thread that builds a list. For thousands of rows, they are called on
/// several threads in parallel. If you hold a lock while you fetch a list, the closures must not wait for this lock,
/// because the fetch waits for the closures.
public struct ListRequest<Row: AnnalsLists.Row>: Sendable {
  /// The filter that selects the rows, or `nil` for all rows.
  public var filter: RowFilter<Row>? { didSet { filterID = Identity() } }
  /// The sort keys for the rows of every section.
  ///
  /// Rows with equal sort keys are sorted by their ids.
  public var sort: [SortKey<Row>] { didSet { keyer = RowKeyer(sort: sort, section: section, cut: keyer.cut) } }
  /// The rule that groups rows into sections, or `nil` to show all rows in one section.
  public var section: Sectioning<Row>? { didSet { keyer = RowKeyer(sort: sort, section: section) } }
  /// The maximum number of rows to show, or `nil` to show all rows.
  public var limit: Int?
  /// The number of rows to skip at the beginning of the list.
  public var offset: Int
  /// The minimum number of rows to read from a saved list in one batch, or 0 to read one page (about sixteen rows).
  ///
  /// This property affects only a list that was loaded from a saved list (``FetchedResultsController/cacheName``),
  /// because such a list reads a row only when you access it.
  public var fetchBatchSize: Int
  /// The aggregates that the lists keep current, such as `[.count, .sum(\.price)]`, by default none.
  ///
  /// A request without aggregates has no overhead. Aggregates aren't saved with a list, so if the request has
  /// aggregates, all rows of a saved list are read at launch.
  public var aggregates: [Aggregate<Row>] {
    didSet { aggregator = Aggregator.of(aggregates, knowing: aggregator) }
  }
  /// The text search for which the lists keep an index, by default `nil`.
  ///
  /// With an index, a list checks only the rows that might match a search string, as described in ``TextSearch``. The
  /// index is built at the first search and kept in memory. To build the index, all rows of a saved list are read.
  public var searchIndex: TextSearch<Row>? { didSet { textIndex = searchIndex?.makeIndex() } }
  /// The search index.
  ///
  /// It changes only when ``searchIndex`` is assigned.
  private(set) var textIndex: TextIndex?
  /// The aggregator, or `nil` without aggregates.
  ///
  /// It changes only if the aggregates differ.
  private(set) var aggregator: Aggregator?
  /// The keyer that computes the rows' keys.
  ///
  /// It changes only when ``sort`` or ``section`` is assigned.
  package private(set) var keyer: RowKeyer
  /// An identity that changes only when ``filter`` is assigned.
  private(set) var filterID = Identity()

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - filter: The filter that selects the rows, or `nil` for all rows.
  ///   - sort: The sort keys for the rows of every section.
  ///   - section: The rule that groups rows into sections, or `nil` to show all rows in one section.
  ///   - limit: The maximum number of rows to show, at least 0, or `nil` to show all rows.
  ///   - offset: The number of rows to skip at the beginning of the list, at least 0.
  ///   - fetchBatchSize: The minimum number of rows to read from a saved list in one batch, or 0 to read one page
  ///     (about sixteen rows).
  ///   - aggregates: The aggregates that the lists keep current, such as `[.count, .sum(\.price)]`.
  ///   - searchIndex: The text search for which the lists keep an index, or `nil`.
  public init(
    filter: RowFilter<Row>? = nil, sort: [SortKey<Row>] = [], section: Sectioning<Row>? = nil, limit: Int? = nil,
    offset: Int = 0, fetchBatchSize: Int = 0, aggregates: [Aggregate<Row>] = [],
    searchIndex: TextSearch<Row>? = nil
  ) {
    self.filter = filter
    self.sort = sort
    self.section = section
    self.limit = limit
    self.offset = offset
    self.fetchBatchSize = fetchBatchSize
    self.aggregates = aggregates
    aggregator = Aggregator.of(aggregates, knowing: nil)
    self.searchIndex = searchIndex
    textIndex = searchIndex?.makeIndex()
    keyer = RowKeyer(sort: sort, section: section)
  }
}

extension ListRequest {
  /// Replaces the identities of the request's parts by the identities of an equal request.
  mutating func share(_ other: PreparedRequest) {
    (keyer, filterID, aggregator, textIndex) = (other.keyer, other.filterID, other.aggregator, other.textIndex)
  }

  /// A closure that returns the section of a row that passes the filter, or `nil` for other rows.
  ///
  /// The closure is `nil` unless sections are ordered by first appearance.
  package var appearingSection: (@Sendable (Row) -> SectionKey?)? {
    guard let section, section.rules.isByAppearance else { return nil }
    return { [filter] row in filter?.includes(row) ?? true ? section.id(row).name : nil }
  }
}
