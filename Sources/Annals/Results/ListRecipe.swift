/// A request made ready: what the making of lists asks of it, for rows as entries.
final class ListRecipe: Sendable {
  let keying: Keying
  /// The same as long as the filter is.
  let filtering: Filtering
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
  /// The request, a `FetchRequest` of the rows' type.
  let request: any Sendable

  /// What tells a filter from every other: a closure has no identity.
  final class Filtering: Sendable {}

  init<Row: Annals.Row>(_ request: FetchRequest<Row>) {
    (keying, filtering) = (request.keying, request.filtering)
    (offset, limit, batchSize) = (request.offset, request.limit, request.fetchBatchSize)
    self.request = request
    if let filter = request.filter {
      let body = filter.includes
      includes = { body(Rows<Row>.box($0).row) }
    } else {
      includes = nil
    }
    isEqual = { Rows<Row>.box($0).row == Rows<Row>.box($1).row }
    unkeyed = { Rows<Row>.Box(Rows<Row>.box($0).row, id: $0.id) }
  }
}

/// What a list is, whatever its rows are.
final class ListStorage: Sendable {
  let recipe: ListRecipe
  /// All rows and sections.
  let list: SectionedList
  /// The sections as they are shown, cut by limit and offset.
  let shown: SortedTree<BySection>
  /// True if parts of the list may not have been read.
  let isOnPages: Bool

  /// Makes the list that was saved.
  init(_ recipe: ListRecipe, saved list: SectionedList) {
    (self.recipe, self.list, isOnPages) = (recipe, list, true)
    shown = list.window(offset: recipe.offset, limit: recipe.limit)
  }

  /// Makes the list of rows.
  ///
  /// - Parameters:
  ///   - recipe: The request.
  ///   - rows: The rows, of which those without keys get them. Those with the keys of another request are made anew.
  ///   - facts: What the projection said of sections.
  ///   - appearances: When sections first had a row.
  ///   - known: A list that may have much in common with this one.
  /// - Complexity: O(k log n) if `known` is a list of the same request and of rows of which k were others, O(n log n) else.
  init(
    _ recipe: ListRecipe, _ rows: SortedTree<ByID>, _ facts: SortedTree<BySectionFacts>,
    _ appearances: [SectionKey: Position], knowing known: ListStorage?
  ) {
    let keying = recipe.keying
    let old = known?.recipe.keying === keying ? known : nil
    var (ids, changes) = (rows, rows.changes(since: old?.list.ids ?? SortedTree()))
    var (places, writer) = (SectionPlaces(old), KeyWriter(capacity: 64))
    for index in changes.indices {
      guard let entry = changes[index].new, entry.keying != keying.number else { continue }
      let own = entry.keying == 0 ? entry : recipe.unkeyed(entry)
      keying.key(own, after: changes[index].old, &places, &writer)
      if own !== entry {
        changes[index].new = own
        ids.insert(own)
      }
    }
    let source = SectionedList.Source(rules: keying.rules, facts: facts, appearances: appearances)
    // From a quarter of the rows on, sorting all of them is cheaper than finding a place for each.
    if let old, old.recipe.filtering === recipe.filtering, changes.count < max(64, ids.count / 4) {
      list = SectionedList(old.list, changed: changes, to: ids, from: source, includes: recipe.includes)
    } else {
      list = SectionedList(ids, from: source, includes: recipe.includes)
    }
    self.recipe = recipe
    isOnPages = known?.isOnPages ?? false
    shown = list.window(offset: recipe.offset, limit: recipe.limit)
  }
}
