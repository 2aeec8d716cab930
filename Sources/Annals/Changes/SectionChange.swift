/// What happened to a section.
public enum SectionChange: Hashable, Sendable {
  /// The section at `index` of the old list is gone; all its rows are listed as deletions.
  case delete(index: Int, key: SectionKey)
  /// A section stands at `index` of the new list; all its rows are listed as insertions.
  case insert(index: Int, key: SectionKey, title: String)
  /// The section went from one index to another; no row of it came, went or moved.
  case move(from: Int, to: Int, key: SectionKey)
  /// The section that was at `index` is at `newIndex` and has a new title.
  case update(index: Int, newIndex: Int, key: SectionKey, title: String)
}
