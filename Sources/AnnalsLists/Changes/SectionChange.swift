/// A change to a section of a list.
public enum SectionChange: Hashable, Sendable {
  /// The section at `index` of the old list was deleted, and all its rows are listed as deletions.
  case delete(index: Int, key: SectionKey)
  /// A section was inserted at `index` of the new list, and all its rows are listed as insertions.
  case insert(index: Int, key: SectionKey, title: String)
  /// The section moved to another index, without insertions, deletions or moves of its rows.
  case move(from: Int, to: Int, key: SectionKey)
  /// The section has a new title.
  ///
  /// Its index was `index` in the old list, and is `newIndex` in the new list.
  case update(index: Int, newIndex: Int, key: SectionKey, title: String)
}
