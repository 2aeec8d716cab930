/// A batch for a diffable data source, such as UIKit's UICollectionViewDiffableDataSource.
///
/// A snapshot that shows the old list takes ``edits``, or is made again from ``Results/diffableSections``. Then show
/// the items of ``reconfigured`` and the sections of ``retitled`` again: a diffable data source does not know that they
/// changed. `Docs/Views.md` has the few lines that do it.
public struct DiffableChanges<Row: Annals.Row>: Sendable {
  /// What a data source knows of a row.
  public typealias Item = DiffableItem<Row>

  /// An edit of a snapshot; each begins with what the one before left.
  public enum Edit: Hashable, Sendable {
    /// Items go.
    case deleteItems([Item])
    /// Sections go; they have no items by then.
    case deleteSections([SectionKey])
    /// A section goes before another, or to the end.
    case moveSection(SectionKey, before: SectionKey?)
    /// A section comes before another, or at the end, without items.
    case insertSection(SectionKey, before: SectionKey?)
    /// An item goes before another, or to the end of a section.
    case moveItem(Item, before: Item?, in: SectionKey)
    /// Items come before another, or at the end of a section.
    case insertItems([Item], before: Item?, in: SectionKey)
  }

  /// What leads a snapshot from the old list to the new one.
  public let edits: [Edit]
  /// The items that are in the new list alone, by path.
  public let inserted: [Item]
  /// The items that are in the old list alone, by path.
  public let deleted: [Item]
  /// The items of both lists that left their order, by new path.
  public let moved: [Item]
  /// The items of both lists whose content changed, by new path: to be reconfigured, or reloaded.
  public let reconfigured: [Item]
  /// The sections of both lists with a new title, in the order of the new one: to be reloaded.
  public let retitled: [SectionKey]
}

/// What a diffable data source knows of a row: its id, which is compared as a list compares it.
///
/// Strings that are canonically equal and differ in their scalars are two ids of a list; a data source of plain strings
/// would take them for one, and end the app.
public struct DiffableItem<Row: Annals.Row>: Hashable, Sendable {
  /// The row's id.
  public let id: Row.ID

  /// Creates the item of a row's id.
  ///
  /// - Parameter id: The row's id.
  public init(_ id: Row.ID) { self.id = id }

  /// Tells whether two items are of one row.
  public static func == (left: DiffableItem, right: DiffableItem) -> Bool {
    OrderKey(left.id) == OrderKey(right.id)
  }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(OrderKey(id)) }
}

/// A section as a diffable data source knows it.
public struct DiffableSection<Row: Annals.Row>: Hashable, Sendable {
  /// The section's key.
  public let key: SectionKey
  /// Its items, in order.
  public let items: [DiffableItem<Row>]
}

extension Results {
  /// The list as a diffable data source knows it: sections in order, each with its items in order.
  ///
  /// - Complexity: O(n) for n rows; ``Changes/diffable`` costs what changed.
  public var diffableSections: [DiffableSection<Row>] {
    map { section in DiffableSection(key: section.key, items: section.map { DiffableItem($0.id) }) }
  }
}
