import AnnalsLog
public import Foundation

extension FetchedResultsController {
  /// All rows of the list, section by section, as an immutable value.
  public var fetchedObjects: ResultsRows<Row> { results.rows }

  /// The list's sections, in the order in which the list shows them, as an immutable value.
  public var sections: Results<Row> { results }

  /// The log position up to which the list includes the events.
  public var position: Position { results.position }

  /// Returns the row at an index path.
  ///
  /// - Parameter indexPath: The row's index path. An invalid path causes a trap. If a path might be invalid, call
  ///   `results.row(at:)` instead, which returns `nil` for an invalid path.
  /// - Returns: The row.
  public func object(at indexPath: IndexPath) -> Row { results.object(at: indexPath) }

  /// Returns the index path of the row with a given id.
  ///
  /// - Parameter id: The row's id.
  /// - Returns: The index path, or `nil` if the list doesn't show the row.
  public func indexPath(forID id: Row.ID) -> IndexPath? { results.indexPath(forID: id) }

  /// Returns the index path of the row with the same id as a given row.
  ///
  /// - Parameter row: A row with the id to find. The row's other properties are ignored.
  /// - Returns: The index path, or `nil` if the list doesn't show the row.
  public func indexPath(forObject row: Row) -> IndexPath? { results.indexPath(forID: row.id) }

  /// Returns a section's entry in the section index, which a table view can show along its edge.
  ///
  /// The delegate can choose the entry. Otherwise, the entry is the uppercased first character of the section's title.
  /// But if the sections are sorted by a language's rules (``Collation``), this default entry is the result of
  /// ``Collation/initial(of:)``.
  ///
  /// - Parameter sectionName: The section's title.
  /// - Returns: The entry, or "" for an empty title.
  public func sectionIndexTitle(forSectionName sectionName: String) -> String {
    let own = use { audience.delegate }?.controller(self, sectionIndexTitleForSectionName: sectionName)
    return own ?? results.storage.indexTitle(of: sectionName)
  }

  /// The entries of the section index, one for every section, in the sections' order.
  ///
  /// By default, sections whose titles begin with the same letter have the same entry. You can remove the duplicates,
  /// because ``section(forSectionIndexTitle:at:)`` then returns the first section with the entry.
  public var sectionIndexTitles: [String] {
    sections.map { sectionIndexTitle(forSectionName: $0.title) }
  }

  /// Returns the index of the section for an entry of the section index.
  ///
  /// - Parameters:
  ///   - title: The entry.
  ///   - index: The entry's place in the section index, from 0.
  /// - Returns: `index`, if the section at `index` has the entry. Otherwise, the index of the first section with the
  ///   entry. If no section has the entry, the index of the existing section nearest to `index`, or 0 if the list has
  ///   no sections.
  public func section(forSectionIndexTitle title: String, at index: Int) -> Int {
    let titles = sectionIndexTitles.map(ExactString.init)
    let title = ExactString(title)
    if titles.indices.contains(index), titles[index] == title { return index }
    return titles.firstIndex(of: title) ?? max(0, min(index, titles.count - 1))
  }
}
