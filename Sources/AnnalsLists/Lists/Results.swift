public import AnnalsLog

/// An immutable, sorted list of rows, which shows the state at one position of an event log.
///
/// A list is a collection of its sections (``ResultsSection``), and every section is a collection of its rows.
///
/// You can copy a list, keep it and send it to another isolation domain at no cost, regardless of the list's length,
/// because lists share their common parts.
///
///     for section in controller.results {
///       print(section.title, section.map(\.title))
///     }
public struct Results<Row: AnnalsLists.Row>: Sendable {
  /// The log position that the list shows: the list includes all events up to this position.
  public let position: Position
  /// All other data of the list in one object, so that reading the list retains only one reference.
  package let storage: ListStorage

  /// All rows and sections.
  package var list: SectionedList { storage.list }
  /// The shown sections after limit and offset are applied, but without the rows of collapsed sections.
  var shown: SortedTree<BySection> { storage.shown }

  /// Creates the list for a request.
  ///
  /// - Parameters:
  ///   - request: The request that defines the rows to show, their sort order and their sections. If the request sorts
  ///     sections by first appearance, this initializer sorts them by key instead, because the rows alone don't
  ///     determine which section appeared first.
  ///   - rows: The projection's rows.
  ///   - position: The position of the last event that was applied to the rows.
  /// - Complexity: O(n log n) for n rows.
  public init(_ request: ListRequest<Row>, of rows: Rows<Row>, at position: Position) {
    let prepared = PreparedRequest(request)
    // Other lists might use these rows, so the keys are written to copies that only this list uses.
    let ids = SortedTree<ByID>(sorted: rows.entries.ids.map(prepared.unkeyed))
    self.position = position
    storage = ListStorage(prepared, ids, rows.entries.settings(of: prepared.keyer.rules.criterion), [:], knowing: nil)
  }

  /// Creates the list for a request with the positions at which its sections first had a row.
  ///
  /// The rows belong to the caller's isolation. The initializer adds keys to shown rows that have no keys. Afterwards
  /// `rows` contains the same row objects as the list, so that the next list can detect the rows that it shares with
  /// this list. If other lists use the rows too, pass false for `isAlone`, so that rows with the keys of another list
  /// remain unchanged.
  ///
  /// - Complexity: O(k log n) if `known` is a list of the same request and all rows but k are the same, otherwise O(n
  ///   log n).
  package init(
    _ prepared: PreparedRequest, of rows: inout Rows<Row>, at position: Position,
    appearances: [SectionKey: Position] = [:],
    knowing known: Results?, isAlone: Bool = true
  ) {
    precondition(
      prepared.rowType == ObjectIdentifier(Row.self),
      "expected a request for \(Row.self) rows, found a request for another row type; please report this")
    self.position = position
    storage = rows.entries.list(prepared, appearances, knowing: known?.storage, isAlone: isAlone)
  }
}

extension Results {
  package init(_ storage: ListStorage, at position: Position) {
    self.storage = storage
    self.position = position
  }
}

extension Results {
  /// Returns true if two lists have identical section and row objects, and the same aggregates.
  ///
  /// - Complexity: O(a) for a aggregates.
  func isIdentical(to other: Results) -> Bool {
    if storage === other.storage { return true }
    // A collapsed section keeps its object when the aggregates of its hidden rows change, so the sections of the whole
    // list must be compared too.
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

  /// Returns the section at an index.
  ///
  /// - Parameter index: The section's index, 0 or more and less than the number of sections.
  /// - Complexity: O(log s) for s sections.
  public subscript(index: Int) -> ResultsSection<Row> { ResultsSection(shown[index], of: storage) }

  /// Creates an iterator over the list's sections.
  ///
  /// - Returns: The iterator.
  public func makeIterator() -> Iterator { Iterator(storage: storage, sections: shown.makeIterator()) }

  /// An iterator over a list's sections.
  public struct Iterator: IteratorProtocol {
    fileprivate let storage: ListStorage
    fileprivate var sections: SortedTree<BySection>.Iterator

    /// Returns the next section.
    ///
    /// - Returns: The section, or `nil` after the last section.
    public mutating func next() -> ResultsSection<Row>? {
      sections.next().map { ResultsSection($0, of: storage) }
    }
  }
}

extension Results: Equatable {
  /// Returns whether two lists show the same sections and rows, and have the same aggregates, regardless of their
  /// positions.
  ///
  /// - Complexity: O(1) if a list is compared with its copy. Otherwise, for lists without aggregates, O(s + m) for s
  ///   sections, and m rows in the sections that the two lists don't share. Lists of one controller share the sections
  ///   that didn't change between the lists. For lists with aggregates, the aggregates of all sections are compared,
  ///   too.
  public static func == (left: Results, right: Results) -> Bool {
    if left.storage === right.storage { return true }
    guard AggregateSummary.areSame(left.list.total, right.list.total) else { return false }
    // Aggregates of hidden rows might differ even if the shown sections are identical.
    if left.list.total == nil, left.shown.isIdentical(to: right.shown) { return true }
    return left.count == right.count
      && zip(left.shown, right.shown).allSatisfy { one, other in
        one === other && left.list.total == nil
          || ResultsSection<Row>(one, of: left.storage) == ResultsSection<Row>(other, of: right.storage)
      }
  }
}
