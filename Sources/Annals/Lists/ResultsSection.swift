/// A section of a list: its key, its title, and its rows in order.
public struct ResultsSection<Row: Annals.Row>: RandomAccessCollection, Sendable {
  private let node: SectionNode
  private let storage: ListStorage

  /// The section of a list.
  init(_ node: SectionNode, of storage: ListStorage) {
    (self.node, self.storage) = (node, storage)
  }

  /// The section with all rows that the filter lets through, also where some are not shown.
  var whole: SectionNode { node.summary == nil ? storage.list.sections.find(node.header)?.node ?? node : node }

  /// What tells the section from every other.
  public var key: SectionKey { node.header.id.name }
  /// The title to show.
  public var title: String { node.header.title }
  /// The index of the first row.
  public var startIndex: Int { 0 }
  /// The index after the last row.
  public var endIndex: Int { node.rows.count }

  /// The row at an index.
  ///
  /// - Parameter index: The row's index in the section, 0 or more and less than the number of rows.
  /// - Complexity: O(log n) for n rows.
  public subscript(index: Int) -> Row { Rows<Row>.box(node.rows[index]).row }

  /// Goes through the rows in order.
  ///
  /// - Returns: The iterator.
  public func makeIterator() -> Iterator { Iterator(rows: node.rows.makeIterator()) }

  /// Goes through the rows of a section in order.
  public struct Iterator: IteratorProtocol {
    fileprivate var rows: SortedTree<ByRow>.Iterator

    /// The next row.
    ///
    /// - Returns: The row; nil after the last one.
    public mutating func next() -> Row? { rows.next().map { Rows<Row>.box($0).row } }
  }

  /// The title's entry in a list's index: its first character in upper case, "" for an empty title.
  ///
  /// Where sections stand in the order of a language, it is the title's first letter as that language counts letters:
  /// ``Collation/initial(of:)``.
  public var indexTitle: String { storage.indexTitle(of: title) }
}

// What a ported delegate or data source asks of Core Data's `NSFetchedResultsSectionInfo`.
extension ResultsSection {
  /// The title, as Core Data calls it.
  public var name: String { title }
  /// The number of rows that are shown.
  public var numberOfObjects: Int { count }
  /// The rows: the section itself, which is a collection of them.
  public var objects: ResultsSection { self }
}

extension ResultsSection: Identifiable {
  /// The key: a section is the same in every list that has it, whatever its title and its rows are.
  public var id: SectionKey { key }
}

extension ResultsSection: Equatable {
  /// Tells whether two sections have the same key, title, rows and aggregates.
  public static func == (left: ResultsSection, right: ResultsSection) -> Bool {
    if left.storage.list.total != nil || right.storage.list.total != nil {
      guard AggregateSummary.areSame(left.whole.summary, right.whole.summary) else { return false }
    }
    if left.node === right.node { return true }
    guard left.key == right.key, ExactString(left.title) == ExactString(right.title), left.count == right.count else {
      return false
    }
    return left.node.rows.isIdentical(to: right.node.rows)
      || zip(left.node.rows, right.node.rows).allSatisfy { one, other in
        one === other || one.id == other.id && Rows<Row>.box(one).row.isSame(as: Rows<Row>.box(other).row)
      }
  }
}
