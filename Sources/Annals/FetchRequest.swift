/// Which rows a list shows, in which order, cut into which sections.
public struct FetchRequest<Row: Annals.Row>: Sendable {
  /// Which rows; nil for all.
  public var filter: RowFilter<Row>?
  /// The order of the rows of a section, by the first key first; the id is always the last.
  public var sort: [SortKey<Row>]
  /// How the rows are cut into sections; nil for one section.
  public var section: Sectioning<Row>?
  /// The largest number of rows to show; nil for all.
  public var limit: Int?
  /// The number of rows to leave out at the beginning.
  public var offset: Int

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - filter: Which rows; nil for all.
  ///   - sort: The order of the rows of a section.
  ///   - section: How the rows are cut into sections; nil for one section.
  ///   - limit: The largest number of rows to show, 0 or more; nil for all.
  ///   - offset: The number of rows to leave out at the beginning, 0 or more.
  public init(
    filter: RowFilter<Row>? = nil, sort: [SortKey<Row>] = [], section: Sectioning<Row>? = nil, limit: Int? = nil,
    offset: Int = 0
  ) {
    self.filter = filter
    self.sort = sort
    self.section = section
    self.limit = limit
    self.offset = offset
  }
}
