public import Foundation

extension FetchedResultsController {
  /// All rows of the list, in section order, as an immutable value.
  public var fetchedObjects: ResultsRows<Row> { results.rows }

  /// The sections of the list, in order, as an immutable value.
  public var sections: Results<Row> { results }

  /// The position of the log that the list shows.
  public var position: Position { results.position }

  /// Returns the row at an index path.
  ///
  /// - Parameter indexPath: A valid path in the list. An invalid path is a programmer's error and causes a trap. If a
  ///   path might be invalid, call `results.row(at:)`, which returns `nil` for it.
  /// - Returns: The row.
  public func object(at indexPath: IndexPath) -> Row { results.object(at: indexPath) }

  /// Returns the index path of the row with an id.
  ///
  /// - Parameter id: The row's id.
  /// - Returns: The index path, or `nil` if the list doesn't show the row.
  public func indexPath(forID id: Row.ID) -> IndexPath? { results.indexPath(forID: id) }

  /// Returns the index path of the row with the same id as a given row.
  ///
  /// - Parameter row: Any version of the row.
  /// - Returns: The index path, or `nil` if the list doesn't show the row.
  public func indexPath(forObject row: Row) -> IndexPath? { results.indexPath(forID: row.id) }

  /// Returns a section's entry in the list's index: the delegate's choice, or the title's uppercased first character.
  ///
  /// If the sections are sorted in the order of a language, the default is the title's first letter as that language
  /// defines letters.
  ///
  /// - Parameter sectionName: The section's title.
  /// - Returns: The entry, or "" for an empty title.
  public func sectionIndexTitle(forSectionName sectionName: String) -> String {
    let own = use { currentDelegate }?.controller(self, sectionIndexTitleForSectionName: sectionName)
    return own ?? results.storage.indexTitle(of: sectionName)
  }

  /// The entries of the list's index, one per section, in order.
  ///
  /// Sections whose titles begin with the same letter have the same entry. You can remove the duplicates from your
  /// index, because ``section(forSectionIndexTitle:at:)`` then returns the first section with the entry.
  public var sectionIndexTitles: [String] {
    sections.map { sectionIndexTitle(forSectionName: $0.title) }
  }

  /// Returns the section for an entry of the index.
  ///
  /// - Parameters:
  ///   - title: The entry.
  ///   - index: The entry's index, from 0.
  /// - Returns: The section at that index if it has the entry, otherwise the first section with the entry. If no
  ///   section has the entry, the result is the section nearest to the index, or 0 in a list without sections.
  public func section(forSectionIndexTitle title: String, at index: Int) -> Int {
    let titles = sectionIndexTitles.map(ExactString.init)
    let title = ExactString(title)
    if titles.indices.contains(index), titles[index] == title { return index }
    return titles.firstIndex(of: title) ?? max(0, min(index, titles.count - 1))
  }
}
