/// Which rows a list shows, in which order, cut into which sections.
///
///     let request = FetchRequest<Book>(
///       filter: .where("affordable") { $0.price < 50 }, sort: [.ascending(\.title)], section: .by(\.shelf))
///
/// Its closures are called on the thread that makes a list, and where there are thousands of rows on several threads at
/// once. They must not wait for a lock that the caller of a fetch holds.
public struct FetchRequest<Row: Annals.Row>: Sendable {
  /// Which rows; nil for all.
  public var filter: RowFilter<Row>? { didSet { filterID = Identity() } }
  /// The order of the rows of a section, by the first key first; the id is always the last.
  public var sort: [SortKey<Row>] { didSet { keyer = RowKeyer(sort: sort, section: section, cut: keyer.cut) } }
  /// How the rows are cut into sections; nil for one section.
  public var section: Sectioning<Row>? { didSet { keyer = RowKeyer(sort: sort, section: section) } }
  /// The largest number of rows to show; nil for all.
  public var limit: Int?
  /// The number of rows to leave out at the beginning.
  public var offset: Int
  /// How many rows are read from a saved list at once, at least; 0 for a page, which has some sixteen.
  ///
  /// Rows of a list that a controller saved under its ``FetchedResultsController/cacheName`` are read when they are
  /// looked at.
  public var fetchBatchSize: Int
  /// The aggregates that the lists keep current, such as `[.count, .sum(\.price)]`; none by default.
  ///
  /// Lists of a request without aggregates pay nothing for them. Those of a list that was saved are not saved with it:
  /// if there are any, all rows are read at the start.
  public var aggregates: [Aggregate<Row>] {
    didSet { aggregator = Aggregator.of(aggregates, knowing: aggregator) }
  }
  /// The search that the lists keep an index for; nil, the default, for none.
  ///
  /// With it a search looks only at rows that may have what was typed: ``TextSearch``. The index is made when something
  /// is first searched, and kept in memory. All rows of a saved list are read for it.
  public var searchIndex: TextSearch<Row>? { didSet { textIndex = searchIndex?.makeIndex() } }
  /// The index: the same as long as the search is not set.
  private(set) var textIndex: TextIndex?
  /// What the aggregates keep; the same as long as they keep the same, nil if there are none.
  private(set) var aggregator: Aggregator?
  /// What gives rows their keys: the same as long as neither the order nor the sections are set.
  private(set) var keyer: RowKeyer
  /// The same as long as the filter is not set.
  private(set) var filterID = Identity()

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - filter: Which rows; nil for all.
  ///   - sort: The order of the rows of a section.
  ///   - section: How the rows are cut into sections; nil for one section.
  ///   - limit: The largest number of rows to show, 0 or more; nil for all.
  ///   - offset: The number of rows to leave out at the beginning, 0 or more.
  ///   - fetchBatchSize: How many rows are read from a saved list at once, at least; 0 for a page.
  ///   - aggregates: The aggregates that the lists keep current, such as `[.count, .sum(\.price)]`.
  ///   - searchIndex: The search that the lists keep an index for; nil for none.
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

extension FetchRequest {
  /// Tells the section of a row that is shown, where sections are ordered by first appearance; nil else.
  var appearingSection: (@Sendable (Row) -> SectionKey?)? {
    guard let section, section.rules.isByAppearance else { return nil }
    return { [filter] row in filter?.includes(row) ?? true ? section.id(row).name : nil }
  }
}
