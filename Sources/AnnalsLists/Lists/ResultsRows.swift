/// A collection of the rows of all sections in a list, from the first section to the last.
public struct ResultsRows<Row: AnnalsLists.Row>: RandomAccessCollection, Sendable {
  private let sections: SortedTree<BySection>

  init(_ sections: SortedTree<BySection>) {
    self.sections = sections
  }

  /// The index of the first row.
  public var startIndex: Int { 0 }
  /// The index after the last row.
  public var endIndex: Int { sections.weight }

  /// Returns the row at an index.
  ///
  /// - Parameter index: The row's index in the collection, 0 or more and less than the number of rows.
  /// - Complexity: O(log n) for n rows.
  public subscript(index: Int) -> Row {
    let (section, row) = sections.locate(weight: index)
    return Rows<Row>.box(sections[section].rows[row]).row
  }

  /// Creates an iterator over the rows.
  ///
  /// - Returns: The iterator.
  public func makeIterator() -> Iterator { Iterator(sections: sections.makeIterator()) }

  /// An iterator over the rows of a section, or of all sections in a list.
  public struct Iterator: IteratorProtocol {
    private var sections: SortedTree<BySection>.Iterator
    private var rows: SortedTree<ByRow>.Iterator

    fileprivate init(sections: SortedTree<BySection>.Iterator) {
      self.sections = sections
      rows = SortedTree<ByRow>().makeIterator()
    }

    init(rows: SortedTree<ByRow>.Iterator) {
      sections = SortedTree<BySection>().makeIterator()
      self.rows = rows
    }

    /// Returns the next row.
    ///
    /// - Returns: The row, or `nil` after the last row.
    public mutating func next() -> Row? {
      while true {
        if let entry = rows.next() { return Rows<Row>.box(entry).row }
        guard let section = sections.next() else { return nil }
        rows = section.rows.makeIterator()
      }
    }
  }
}

extension ResultsRows: Equatable {
  /// Returns whether two collections contain the same rows in the same order.
  public static func == (left: ResultsRows, right: ResultsRows) -> Bool {
    left.count == right.count && left.elementsEqual(right) { $0.isSame(as: $1) }
  }
}
