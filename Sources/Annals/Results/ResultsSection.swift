/// A section of a list: its key, its title, and its rows in order.
public struct ResultsSection<Row: Annals.Row>: RandomAccessCollection, Sendable {
  /// What tells the section from every other.
  public let key: SectionKey
  /// The title to show.
  public let title: String
  let entries: [Results<Row>.Entry]

  /// The index of the first row.
  public var startIndex: Int { 0 }
  /// The index after the last row.
  public var endIndex: Int { entries.count }

  /// The row at an index.
  ///
  /// - Parameter index: The row's index in the section.
  public subscript(index: Int) -> Row { entries[index].row }

  /// The title's entry in a list's index: its first character in upper case, "" for an empty title.
  public var indexTitle: String { Self.indexTitle(of: title) }

  static func indexTitle(of title: String) -> String { title.first?.uppercased() ?? "" }
}

extension ResultsSection: Equatable {
  /// Tells whether two sections have the same key, title and rows.
  public static func == (left: ResultsSection, right: ResultsSection) -> Bool {
    left.key == right.key && ExactString(left.title) == ExactString(right.title)
      && left.entries.map(\.id) == right.entries.map(\.id) && left.elementsEqual(right)
  }
}
