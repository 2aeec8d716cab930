/// A description of the rows that a list shows, their order and their sections.
///
///     let request = ListRequest<Book>(
///       filter: .where("affordable") { $0.price < 50 }, sort: [.ascending(\.title)], section: .by(\.shelf))
///
/// The request's closures are called on the thread that builds a list. For thousands of rows, they are called on
/// several threads in parallel. The closures must not wait for a lock that the caller of a fetch holds.
public struct ListRequest<Row: Annals.Row>: Sendable {
  /// The filter that selects the rows, or `nil` for all rows.
  public var filter: RowFilter<Row>? { didSet { filterID = Identity() } }
  /// The sort keys for the rows of a section, to which the id is added as an implicit last key.
  public var sort: [SortKey<Row>] { didSet { keyer = RowKeyer(sort: sort, section: section, cut: keyer.cut) } }
  /// The sectioning that groups rows into sections, or `nil` for one section.
  public var section: Sectioning<Row>? { didSet { keyer = RowKeyer(sort: sort, section: section) } }
  /// The maximum number of rows to show, or `nil` for all.
  public var limit: Int?
  /// The number of rows to skip at the beginning.
  public var offset: Int
  /// The minimum number of rows to read from a saved list in one batch, or 0 to read one page (about sixteen rows).
  ///
  /// If the list was loaded from a saved list (``FetchedResultsController/cacheName``), rows are read only when they
  /// are accessed.
  public var fetchBatchSize: Int
  /// The aggregates that the lists keep current, such as `[.count, .sum(\.price)]`, by default none.
  ///
  /// A request without aggregates has no overhead. Aggregates aren't saved with a list, so if the request has
  /// aggregates, a saved list reads all its rows at launch.
  public var aggregates: [Aggregate<Row>] {
    didSet { aggregator = Aggregator.of(aggregates, knowing: aggregator) }
  }
  /// The search for which the lists keep an index, by default `nil`.
  ///
  /// With an index, a search checks only the rows that might match, as described in ``TextSearch``. The index is built
  /// at the first search and kept in memory. To build the index, all rows of a saved list are read.
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
  private(set) var keyer: RowKeyer
  /// An identity that changes only when ``filter`` is assigned.
  private(set) var filterID = Identity()

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - filter: The filter that selects the rows, or `nil` for all rows.
  ///   - sort: The sort keys for the rows of a section.
  ///   - section: The sectioning that groups rows into sections, or `nil` for one section.
  ///   - limit: The maximum number of rows to show, at least 0, or `nil` for all.
  ///   - offset: The number of rows to skip at the beginning, at least 0.
  ///   - fetchBatchSize: The minimum number of rows to read from a saved list in one batch, or 0 to read one page.
  ///   - aggregates: The aggregates that the lists keep current, such as `[.count, .sum(\.price)]`.
  ///   - searchIndex: The search for which the lists keep an index, or `nil`.
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
  /// A closure that returns the section of a row that passes the filter, or `nil` for other rows.
  ///
  /// The closure is `nil` unless sections are ordered by first appearance.
  var appearingSection: (@Sendable (Row) -> SectionKey?)? {
    guard let section, section.rules.isByAppearance else { return nil }
    return { [filter] row in filter?.includes(row) ?? true ? section.id(row).name : nil }
  }
}
