import AnnalsLog

/// A section of a list: a sorted collection of rows with a key and a title.
public struct ResultsSection<Row: AnnalsLists.Row>: RandomAccessCollection, Sendable {
  let node: SectionNode
  private let storage: ListStorage

  /// Creates a section of a list.
  init(_ node: SectionNode, of storage: ListStorage) {
    self.node = node
    self.storage = storage
  }

  /// The section with all rows that pass the filter, even if some aren't shown.
  var whole: SectionNode { node.summary == nil ? storage.list.sections.find(node.header)?.node ?? node : node }

  /// The key that distinguishes this section from the list's other sections.
  public var key: SectionKey { node.header.id.name }
  /// The section's title, for display.
  public var title: String { node.header.title }
  /// The index of the first row.
  public var startIndex: Int { 0 }
  /// The index after the last row.
  public var endIndex: Int { node.rows.count }

  /// Returns the row at an index.
  ///
  /// - Parameter index: The row's index in the section, 0 or more and less than the number of rows.
  /// - Complexity: O(log n) for n rows.
  public subscript(index: Int) -> Row { Rows<Row>.box(node.rows[index]).row }

  /// Creates an iterator over the section's rows.
  ///
  /// - Returns: The iterator.
  public func makeIterator() -> ResultsRows<Row>.Iterator { ResultsRows.Iterator(rows: node.rows.makeIterator()) }

  /// The section's entry in the index next to a list: the title's uppercased first character, or "" for an empty title.
  ///
  /// If the sections are sorted by a language's rules (``Collation``), ``Collation/initial(of:)`` returns the entry.
  /// For example, the entry of a title that begins with "Ä" is "A" in German.
  public var indexTitle: String { storage.indexTitle(of: title) }
}

// The members of Core Data's `NSFetchedResultsSectionInfo` that a ported delegate or data source uses.
extension ResultsSection {
  /// The same string as ``title``, under the name that Core Data uses.
  public var name: String { title }
  /// The number of rows that the section shows.
  public var numberOfObjects: Int { count }
  /// The section's rows, under the name that Core Data uses.
  ///
  /// This property returns the section itself, because a section is a collection of its rows.
  public var objects: ResultsSection { self }
}

extension ResultsSection: Identifiable {
  /// The section's ``key``, under the name that `Identifiable` requires.
  ///
  /// The key stays the same if the section's title or rows change. All lists with the section use the same key for it.
  public var id: SectionKey { key }
}

extension ResultsSection: Equatable {
  /// Returns whether two sections have the same key, title, rows and aggregates.
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
