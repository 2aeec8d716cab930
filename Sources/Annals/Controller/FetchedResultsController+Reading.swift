public import Foundation

extension FetchedResultsController {
  /// All rows of the list, section after section: an immutable value.
  public var fetchedObjects: ResultsRows<Row> { results.rows }

  /// The sections of the list, in order: an immutable value.
  public var sections: Results<Row> { results }

  /// The position of the log that the list shows.
  public var position: Position { results.position }

  /// The row at an index path.
  ///
  /// - Parameter indexPath: A path that the list has; another is a programmer's error. `results.row(at:)` answers nil.
  /// - Returns: The row.
  public func object(at indexPath: IndexPath) -> Row { results.object(at: indexPath) }

  /// The index path of the row with an id, or nil if the list does not show it.
  ///
  /// - Parameter id: The row's id.
  /// - Returns: The index path.
  public func indexPath(forID id: Row.ID) -> IndexPath? { results.indexPath(forID: id) }

  /// The index path of a row, found by its id, or nil if the list does not show it.
  ///
  /// - Parameter row: The row, in whatever version.
  /// - Returns: The index path.
  public func indexPath(forObject row: Row) -> IndexPath? { results.indexPath(forID: row.id) }

  /// The entry of a section in the list's index: the delegate's, or the title's first character in upper case.
  ///
  /// Where sections stand in the order of a language, it is the first letter as that language counts letters.
  ///
  /// - Parameter sectionName: The section's title.
  /// - Returns: The entry; "" for an empty title.
  public func sectionIndexTitle(forSectionName sectionName: String) -> String {
    let own = use { currentDelegate }?.controller(self, sectionIndexTitleForSectionName: sectionName)
    return own ?? results.storage.indexTitle(of: sectionName)
  }

  /// The entries of the list's index, one for each section, in order.
  ///
  /// Sections whose titles begin alike have equal entries; an index that shows each once may leave out the repeats, and
  /// ``section(forSectionIndexTitle:at:)`` still answers the first of them.
  public var sectionIndexTitles: [String] {
    sections.map { sectionIndexTitle(forSectionName: $0.title) }
  }

  /// The section that an entry of the index leads to.
  ///
  /// - Parameters:
  ///   - title: The entry.
  ///   - index: The entry's number in the index, from 0.
  /// - Returns: The section of that number if it has the entry, else the first that has it, else the one nearest to
  ///   that number; 0 in a list without sections.
  public func section(forSectionIndexTitle title: String, at index: Int) -> Int {
    let titles = sectionIndexTitles.map(ExactString.init)
    let title = ExactString(title)
    if titles.indices.contains(index), titles[index] == title { return index }
    return titles.firstIndex(of: title) ?? max(0, min(index, titles.count - 1))
  }
}
