/// A sectioned, sorted list at one position: an immutable value, and a collection of its sections.
///
/// Taking, copying, keeping and sending it costs nothing, however long it is: lists share what they have in common.
public struct Results<Row: Annals.Row>: Sendable {
  /// The position of the log that the list shows.
  public let position: Position
  /// Which rows the list shows, in which order, cut into which sections.
  public let request: FetchRequest<Row>
  /// All rows and sections.
  let list: SectionedList
  /// The sections as they are shown, cut by limit and offset.
  let shown: SortedTree<BySection>

  /// Makes the list that a request asks for.
  ///
  /// - Parameters:
  ///   - request: Which rows, in which order, cut into which sections. Rows alone do not know which section appeared first:
  ///     here, an order of sections by first appearance is that by key.
  ///   - rows: The projection's rows.
  ///   - position: The position that the rows have been folded up to.
  /// - Complexity: O(n log n) for n rows.
  public init(_ request: FetchRequest<Row>, of rows: Rows<Row>, at position: Position) {
    // Somebody else may look at these rows: the list's own get the keys.
    let ids = SortedTree<ByID>(sorted: rows.ids.map { Self.unkeyed($0) })
    self.init(request, ids, rows, at: position, appearances: [:], knowing: nil)
  }

  /// Makes the list of a request, knowing the positions at which its sections first had a row.
  ///
  /// The rows belong to the caller alone: those that have no keys yet get them. `rows` then has the list's boxes, so that what
  /// they and the list share is known at the next time.
  ///
  /// - Complexity: O(k log n) if `known` is a list of the same request and of rows of which k were others, O(n log n) else.
  package init(
    _ request: FetchRequest<Row>, of rows: inout Rows<Row>, at position: Position,
    appearances: [SectionKey: Position] = [:], knowing known: Results?
  ) {
    self.init(request, rows.ids, rows, at: position, appearances: appearances, knowing: known)
    rows.adopt(list.ids)
  }

  private init(
    _ request: FetchRequest<Row>, _ ids: SortedTree<ByID>, _ rows: Rows<Row>, at position: Position,
    appearances: [SectionKey: Position], knowing known: Results?
  ) {
    let (keying, filter) = (request.keying, request.filter)
    let rules = request.section?.rules ?? .whole
    let source = SectionedList.Source(rules: rules, facts: rows.facts(of: rules.cut), appearances: appearances)
    let old = known.flatMap { $0.request.keying === keying ? $0.list : nil }

    var (ids, changes) = (ids, [(old: RowEntry?, new: RowEntry?)]())
    ids.difference(from: old?.ids ?? SortedTree()) { change in
      switch change {
      case .removed(let entry, _): changes.append((entry, nil))
      case .added(let entry, _): changes.append((nil, entry))
      case .replaced(let before, _, let after, _): changes.append((before, after))
      }
    }
    var (places, writer) = (SectionPlaces(old), KeyWriter())
    for index in changes.indices {
      guard let entry = changes[index].new, entry.keying != keying.number else { continue }
      let box = entry.keying == 0 ? Rows<Row>.box(entry) : Self.unkeyed(entry)
      keying.key(box, after: changes[index].old, &places, &writer)
      if box !== entry {
        changes[index].new = box
        ids.insert(box)
      }
    }

    let includes: (RowEntry) -> Bool = { filter?.includes(Rows<Row>.box($0).row) ?? true }
    var list: SectionedList
    // From a quarter of the rows on, sorting all of them is cheaper than finding a place for each.
    if let old, known?.request.filtering === request.filtering, changes.count < Swift.max(64, ids.count / 4) {
      list = old
      list.update(changes, to: ids, from: source, includes: includes)
    } else {
      list = SectionedList(ids, from: source, includes: includes)
    }
    self.position = position
    self.request = request
    self.list = list
    shown = list.window(offset: request.offset, limit: request.limit)
  }

  private static func unkeyed(_ entry: RowEntry) -> Rows<Row>.Box {
    Rows<Row>.Box(Rows<Row>.box(entry).row, id: entry.id)
  }
}

extension Results: RandomAccessCollection {
  /// The index of the first section.
  public var startIndex: Int { 0 }
  /// The index after the last section.
  public var endIndex: Int { shown.count }

  /// The section at an index.
  ///
  /// - Parameter index: The section's index, 0 or more and less than the number of sections.
  /// - Complexity: O(log s) for s sections.
  public subscript(index: Int) -> ResultsSection<Row> { ResultsSection(shown[index]) }

  /// Goes through the sections in order.
  ///
  /// - Returns: The iterator.
  public func makeIterator() -> AnyIterator<ResultsSection<Row>> {
    var sections = shown.makeIterator()
    return AnyIterator { sections.next().map { ResultsSection($0) } }
  }
}

extension Results: Equatable {
  /// Tells whether two lists show the same sections and rows, at whatever positions.
  ///
  /// - Complexity: O(k log n) for lists that share all but k rows.
  public static func == (left: Results, right: Results) -> Bool {
    left.shown.isIdentical(to: right.shown)
      || left.count == right.count
        && zip(left.shown, right.shown).allSatisfy { $0 === $1 || ResultsSection<Row>($0) == ResultsSection<Row>($1) }
  }
}
