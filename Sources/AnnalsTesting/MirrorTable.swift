public import Annals

/// A table view that knows a list only by the changes that it was told, and refuses what UITableView would refuse.
///
/// It is strict: it also refuses what is legal and yet wrong or dangerous, such as an update that changes nothing, a row
/// that is told of twice, or a move between sections whose number changes. `Docs/ChangeSemantics.md` has the rules.
public struct MirrorTable<Row: Annals.Row>: Sendable {
  /// A change that a table view cannot take.
  public struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, in the words of UIKit's exceptions where UIKit has some.
    public let description: String
  }

  /// A section as the table shows it.
  public struct Section: Equatable, Sendable {
    /// The section's key.
    public var key: SectionKey
    /// The title that is shown.
    public var title: String
    /// The rows that are shown.
    public var rows: [Row]
  }

  /// What the table shows.
  public private(set) var sections: [Section]

  /// Creates a table that shows a list.
  ///
  /// - Parameter results: The list.
  public init(_ results: Results<Row>) {
    sections = results.sections.map { Section(key: $0.key, title: $0.title, rows: Array($0)) }
  }

  /// Tells whether the table shows a list: the same sections, titles, ids and values.
  ///
  /// - Parameter results: The list.
  /// - Returns: True if it does.
  public func shows(_ results: Results<Row>) -> Bool { sections == MirrorTable(results).sections }

  /// Applies the changes of one batch.
  ///
  /// - Parameter changes: The changes.
  /// - Throws: A ``Violation``, and then the table is as it was.
  public mutating func apply(_ changes: Changes<Row>) throws {
    try apply(sections: changes.sections, rows: changes.rows)
  }

  /// Applies changes of sections and rows, which a table view would take between two brackets.
  ///
  /// - Parameters:
  ///   - sectionChanges: What happened to sections.
  ///   - rowChanges: What happened to rows.
  /// - Throws: A ``Violation``, and then the table is as it was.
  public mutating func apply(sections sectionChanges: [SectionChange], rows rowChanges: [RowChange<Row>]) throws {
    let places = try SectionPlaces(sectionChanges, old: sections)
    var rows = RowPlaces(old: sections, sections: places)
    for change in rowChanges { try rows.note(change) }
    try rows.checkOnce()
    try rows.checkSections()
    var new = places.makeSections(from: sections)
    for index in new.indices { new[index].rows = try rows.rows(ofNewSection: index) }
    for case .update(let row, let at, let newAt) in rowChanges {
      try require(
        Self.row(at: at, of: sections).map { OrderKey($0.id) } == OrderKey(row.id),
        "update of \(at), which is another row")
      guard let shown = Self.row(at: newAt, of: new) else {
        throw Violation(description: "update of \(newAt), which is not there")
      }
      try require(OrderKey(shown.id) == OrderKey(row.id), "update of \(newAt), which is another row then")
      try require(shown != row, "needless update of \(newAt): the row is what it was")
      new[newAt.section].rows[newAt.row] = row
    }
    for case .update(let index, let newIndex, let key, let title) in sectionChanges {
      try require(
        places.destinations[index] == newIndex && new[newIndex].key == key,
        "update of section \(index), which is another")
      try require(
        !new[newIndex].title.unicodeScalars.elementsEqual(title.unicodeScalars),
        "needless update of section \(index): its title is what it was")
      new[newIndex].title = title
    }
    sections = new
  }

  private func require(_ holds: Bool, _ message: @autoclosure () -> String) throws {
    if !holds { throw Violation(description: message()) }
  }

  static func row(at path: RowPath, of sections: [Section]) -> Row? {
    sections.indices.contains(path.section) && sections[path.section].rows.indices.contains(path.row)
      ? sections[path.section].rows[path.row] : nil
  }
}
