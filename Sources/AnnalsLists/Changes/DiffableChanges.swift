/// The changes of a list for a diffable data source, such as UIKit's UICollectionViewDiffableDataSource.
///
/// With UIKit, pass the ``Changes`` to the `apply(_:)` method that this library adds to `NSDiffableDataSourceSnapshot`.
/// This method applies all changes. For a snapshot of another kind, apply ``edits`` to the snapshot of the old list, or
/// build a new snapshot from ``Results/diffableSections``. Then refresh the items in ``reconfigured`` and the sections
/// in ``retitled``, because a diffable data source doesn't detect these changes.
public struct DiffableChanges<Row: AnnalsLists.Row>: Sendable {
  /// An edit to a snapshot, applied to the result of the previous edit.
  public enum Edit: Hashable, Sendable {
    /// Items are deleted.
    case deleteItems([Item])
    /// Sections that have no items after the previous edits are deleted.
    case deleteSections([SectionKey])
    /// A section moves before another section, or to the end if `before` is `nil`.
    case moveSection(SectionKey, before: SectionKey?)
    /// A section without items is inserted before another section, or at the end if `before` is `nil`.
    case insertSection(SectionKey, before: SectionKey?)
    /// An item moves before another item of the section, or to the section's end if `before` is `nil`.
    case moveItem(Item, before: Item?, in: SectionKey)
    /// Items are inserted before another item of the section, or at the section's end if `before` is `nil`.
    case insertItems([Item], before: Item?, in: SectionKey)
  }

  /// The edits that turn a snapshot of the old list into a snapshot of the new list.
  public let edits: [Edit]
  /// The items that are only in the new list, sorted by path.
  public let inserted: [Item]
  /// The items that are only in the old list, sorted by path.
  public let deleted: [Item]
  /// The items that are in both lists and moved, sorted by their path in the new list.
  public let moved: [Item]
  /// The items to reconfigure or reload, because they are in both lists and their content changed.
  ///
  /// The items are sorted by their path in the new list.
  public let reconfigured: [Item]
  /// The sections to reload, because they are in both lists and their title changed.
  ///
  /// The sections are in the order of the new list.
  public let retitled: [SectionKey]
}

extension DiffableChanges {
  /// An item of a diffable data source, which wraps a row's id and compares ids in the same way as a list.
  ///
  /// Strings that are canonically equal but have different Unicode scalars are different ids in a list. A data source
  /// of plain strings would consider such ids equal, and crash the app.
  public struct Item: Hashable, Sendable {
    /// The row's id.
    public let id: Row.ID

    /// Creates an item for a row's id.
    ///
    /// - Parameter id: The row's id.
    public init(_ id: Row.ID) { self.id = id }

    /// Returns whether two items represent the same row.
    public static func == (left: Item, right: Item) -> Bool {
      OrderKey(left.id) == OrderKey(right.id)
    }

    /// Hashes the id.
    public func hash(into hasher: inout Hasher) { hasher.combine(OrderKey(id)) }
  }

  /// A section's key and items for a diffable data source.
  public struct Section: Hashable, Sendable {
    /// The section's key.
    public let key: SectionKey
    /// The section's items, in order.
    public let items: [Item]
  }
}

extension Results {
  /// The list's sections with their items, in order, for the snapshot of a diffable data source.
  ///
  /// - Complexity: O(n) for n rows. For few changes, ``Changes/diffable`` is faster, because it takes O(c log n) for c
  ///   changes.
  public var diffableSections: [DiffableChanges<Row>.Section] {
    map { section in .init(key: section.key, items: section.map { .init($0.id) }) }
  }
}
