/// A sectioned, sorted list at one position: an immutable value, and a collection of its sections.
///
/// Taking, copying, keeping and sending it costs nothing, however long it is: lists share what they have in common.
///
///     for section in controller.results {
///       print(section.title, section.map(\.title))
///     }
public struct Results<Row: Annals.Row>: Sendable {
  /// The position of the log that the list shows.
  public let position: Position
  /// Everything else, in one object, so that taking the list counts one reference.
  let storage: ListStorage

  /// All rows and sections.
  var list: SectionedList { storage.list }
  /// The sections as they are shown, cut by limit and offset, the collapsed ones without rows.
  var shown: SortedTree<BySection> { storage.shown }

  /// Makes the list that a request asks for.
  ///
  /// - Parameters:
  ///   - request: Which rows, in which order, cut into which sections. Rows alone do not know which section appeared
  ///     first: here, an order of sections by first appearance is that by key.
  ///   - rows: The projection's rows.
  ///   - position: The position that the rows have been folded up to.
  /// - Complexity: O(n log n) for n rows.
  public init(_ request: FetchRequest<Row>, of rows: Rows<Row>, at position: Position) {
    let prepared = PreparedRequest(request)
    // Others may read these rows: the list's own get the keys.
    let ids = SortedTree<ByID>(sorted: rows.entries.ids.map(prepared.unkeyed))
    self.position = position
    storage = ListStorage(prepared, ids, rows.entries.settings(of: prepared.keyer.rules.criterion), [:], knowing: nil)
  }

  /// Makes the list of a request, knowing the positions at which its sections first had a row.
  ///
  /// The rows belong to the caller's isolation: those that are shown and have no keys yet get them. `rows` then has the
  /// list's boxes, so that what they and the list share is known at the next time. If other lists are made of them too,
  /// `isAlone` is false, and rows with the keys of another list stay as they are.
  ///
  /// - Complexity: O(k log n) if `known` is a list of the same request and of rows that are the same but for k, O(n log
  ///   n) else.
  package init(
    _ prepared: PreparedRequest, of rows: inout Rows<Row>, at position: Position,
    appearances: [SectionKey: Position] = [:],
    knowing known: Results?, isAlone: Bool = true
  ) {
    precondition(
      prepared.rowType == ObjectIdentifier(Row.self), "the request must be for the rows of its list, \(Row.self)")
    self.position = position
    storage = rows.entries.list(prepared, appearances, knowing: known?.storage, isAlone: isAlone)
  }
}

extension Results {
  init(_ storage: ListStorage, at position: Position) {
    (self.storage, self.position) = (storage, position)
  }
}

extension Results {
  /// Tells whether two lists have the same sections and rows as objects, and the same aggregates.
  ///
  /// - Complexity: O(a) for a aggregates.
  func isIdentical(to other: Results) -> Bool {
    if storage === other.storage { return true }
    // A collapsed section is shown as the same object while the aggregates of its hidden rows change.
    let aggregator = storage.prepared.aggregator
    guard aggregator === other.storage.prepared.aggregator,
      aggregator == nil || list.sections.isIdentical(to: other.list.sections)
    else { return false }
    return shown.isIdentical(to: other.shown) && AggregateSummary.areSame(list.total, other.list.total)
      && !storage.isLost && !other.storage.isLost
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
  public subscript(index: Int) -> ResultsSection<Row> { ResultsSection(shown[index], of: storage) }

  /// Goes through the sections in order.
  ///
  /// - Returns: The iterator.
  public func makeIterator() -> Iterator { Iterator(storage: storage, sections: shown.makeIterator()) }

  /// Goes through the sections of a list in order.
  public struct Iterator: IteratorProtocol {
    fileprivate let storage: ListStorage
    fileprivate var sections: SortedTree<BySection>.Iterator

    /// The next section.
    ///
    /// - Returns: The section; nil after the last one.
    public mutating func next() -> ResultsSection<Row>? {
      sections.next().map { ResultsSection($0, of: storage) }
    }
  }
}

extension Results: Equatable {
  /// Tells whether two lists show the same sections and rows, and have the same aggregates, at whatever positions.
  ///
  /// - Complexity: O(k log n) for lists that share all but k rows.
  public static func == (left: Results, right: Results) -> Bool {
    if left.storage === right.storage { return true }
    guard AggregateSummary.areSame(left.list.total, right.list.total) else { return false }
    // What is kept of hidden rows may be different where what is shown is not.
    if left.list.total == nil, left.shown.isIdentical(to: right.shown) { return true }
    return left.count == right.count
      && zip(left.shown, right.shown).allSatisfy { one, other in
        one === other && left.list.total == nil
          || ResultsSection<Row>(one, of: left.storage) == ResultsSection<Row>(other, of: right.storage)
      }
  }
}
