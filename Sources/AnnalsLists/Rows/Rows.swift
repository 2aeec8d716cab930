/// A collection of a projection's rows, accessed by their ids.
///
/// The collection also stores the titles that the projection sets for sections, and the numbers by which sections can
/// be sorted.
///
/// Two ids are the same only if their bytes are equal. For example, "é" as one Unicode scalar and "é" as two scalars
/// are different ids.
///
///     func project(_ event: BookEvent, into rows: inout Rows<Book>) {
///       switch event {
///       case .inserted(let book): rows.insert(book)
///       case .repriced(let id, let price): rows[id]?.price = price
///       case .deleted(let id): rows[id] = nil
///       }
///     }
public struct Rows<Row: AnnalsLists.Row>: Sendable {
  /// A version of a row.
  ///
  /// Two references to the same object are always the same version.
  ///
  /// The row is a `let`, so that closures such as a filter receive it without a copy. For a row of two strings, this
  /// takes 34 ns instead of 140 ns. A changed row has a new box.
  ///
  /// `@unchecked Sendable`: the row is immutable, and ``RowEntry`` documents its other properties.
  package final class Box: RowEntry, @unchecked Sendable {
    package let row: Row

    package init(_ row: Row, id: OrderKey) {
      self.row = row
      super.init(id: id)
    }

    /// Creates another version of a row.
    init(_ row: Row, like entry: RowEntry) {
      self.row = row
      super.init(id: entry.id)
    }
  }

  /// The rows as boxes, and the section settings.
  package var entries = RowSet()
  /// The entities that the rows depend on.
  package var related: RelatedEntities<Row>

  /// Creates an empty collection of rows.
  public init() { self.init([]) }

  package init(_ relations: [Relation<Row>]) { related = RelatedEntities(relations) }

  /// The number of rows.
  public var count: Int { entries.count }

  /// True if there are no rows.
  public var isEmpty: Bool { count == 0 }

  /// Accesses the row with the given id.
  ///
  /// An assigned row's id must equal the given id. Assigning `nil` deletes the row. If the row doesn't exist, then
  /// `rows[id]?.price = 70` and `rows[id] = nil` change no row.
  ///
  /// - Parameter id: The row's id.
  /// - Complexity: O(log n) for n rows. If you keep a copy of this collection, an assignment still doesn't copy all
  ///   rows.
  public subscript(id: Row.ID) -> Row? {
    get { self[key: OrderKey(id)] }
    set {
      let key = OrderKey(id)
      if let newValue {
        check(newValue, has: key)
        put(newValue, key)
      } else {
        let old = entries.remove(key)
        if old == nil { entries.note(Self.missing(id)) }
        if !related.isEmpty, let old { related.note(key, from: Self.box(old).row, to: nil) }
      }
    }
  }

  /// Inserts a row, or replaces the row with the same id.
  ///
  /// If a row with the same id is a mistake, use ``add(_:)`` instead, which throws an error.
  ///
  /// - Parameter row: The row to insert.
  public mutating func insert(_ row: Row) {
    let key = key(of: row.id)
    #if DEBUG
      if entries.entry(key) != nil { entries.note(Self.existing(row.id)) }
    #endif
    if entries.isTable, related.isEmpty, let known = entries.entry(key) {
      entries.put(Box(row, like: known), inPlaceOf: known)
    } else {
      put(row, key)
    }
  }

  /// Changes a row in place, if the row exists.
  ///
  /// If a missing row is a mistake, use ``change(_:_:)`` instead, which throws an error.
  ///
  /// - Parameters:
  ///   - id: The row's id.
  ///   - change: A closure that modifies the row. It must not change the row's id.
  public mutating func update(_ id: Row.ID, _ change: (inout Row) throws -> Void) rethrows {
    // The key is created before the entries are read, because it is written into a buffer of the entries. If the
    // entries were read first, this write would copy them.
    let key = key(of: id)
    guard let entry = entries.entry(key) else { return entries.note(Self.missing(id)) }
    var row = Self.box(entry).row
    try change(&row)
    if !related.isEmpty { related.fill(&row) }
    replace(entry, by: row)
  }

  /// Sets a section's title.
  ///
  /// The title is kept even while the section has no rows.
  ///
  /// - Parameters:
  ///   - key: The section's key.
  ///   - path: The property by which the rows are grouped into sections.
  ///   - title: The title.
  public mutating func renameSection<K: OrderedValue>(_ key: K, of path: KeyPath<Row, K>, to title: String) {
    entries.change(key.sectionKey, of: .property(path)) { $0.title = title }
  }

  /// Sets a section's title in the lists that group rows by the ``Sectioning`` with the given name.
  ///
  /// - Parameters:
  ///   - key: The section's key.
  ///   - name: The sectioning's name, which you passed to ``Sectioning/by(_:order:pinned:_:)``.
  ///   - title: The title.
  public mutating func renameSection(_ key: SectionKey, of name: String, to title: String) {
    entries.change(key, of: .named(name)) { $0.title = title }
  }

  /// Sets the number by which ``SectionOrder/byNumber`` sorts a section.
  ///
  /// - Parameters:
  ///   - key: The section's key.
  ///   - path: The property by which the rows are grouped into sections.
  ///   - number: The number. Sections without a number are sorted last.
  public mutating func numberSection<K: OrderedValue>(_ key: K, of path: KeyPath<Row, K>, to number: Double) {
    entries.change(key.sectionKey, of: .property(path)) { $0.number = number }
  }

  /// Sets the number by which ``SectionOrder/byNumber`` sorts a section, in the lists that group rows by the
  /// ``Sectioning`` with the given name.
  ///
  /// - Parameters:
  ///   - key: The section's key.
  ///   - name: The sectioning's name, which you passed to ``Sectioning/by(_:order:pinned:_:)``.
  ///   - number: The number. Sections without a number are sorted last.
  public mutating func numberSection(_ key: SectionKey, of name: String, to number: Double) {
    entries.change(key, of: .named(name)) { $0.number = number }
  }

  /// All rows, sorted by their ids, so that a loop always visits them in the same order.
  ///
  /// - Complexity: O(n log n) for n rows.
  public var all: [Row] {
    entries.ids.sorted { $0.id < $1.id }.map { Self.box($0).row }
  }

  package subscript(key key: OrderKey) -> Row? { entries.entry(key).map { Self.box($0).row } }

  /// Prepares for many events.
  ///
  /// Call ``settle()`` after the events.
  package mutating func expect(_ events: Int) { entries.expect(events) }

  /// Ends the preparation of ``expect(_:)``.
  package mutating func settle() { entries.settle() }

  /// Replaces a row by a version that has the same id and already includes its entities' values.
  ///
  /// - Parameters:
  ///   - entry: The previous row.
  ///   - row: The new row.
  mutating func replace(_ entry: RowEntry, by row: Row) {
    let key = key(of: row.id)
    precondition(
      entry.id == key,
      "a row must keep its id: the row with the id \(row.id) was assigned to another id, which has "
        + "the bytes \(entry.id.bytes). Don't change ids in `update` or in a relation")
    entries.put(Box(row, like: entry), inPlaceOf: entry)
    if !related.isEmpty { related.note(entry.id, from: Self.box(entry).row, to: row) }
  }

  /// Returns the key of an id, written into a reused buffer.
  @inline(__always)
  private mutating func key(of id: Row.ID) -> OrderKey {
    entries.scratch.clear()
    id.encode(into: &entries.scratch)
    return OrderKey(entries.scratch)
  }

  private mutating func put(_ row: Row, _ key: OrderKey) {
    if related.isEmpty {
      entries.put(Box(row, id: key))
    } else {
      putRelated(row, key)
    }
  }

  /// Sets a row that depends on entities.
  ///
  /// The method is not inlined. Otherwise, the type of its optional row would be looked up wherever a row is set.
  @inline(never)
  private mutating func putRelated(_ row: Row, _ key: OrderKey) {
    var row = row
    related.fill(&row)
    check(row, has: key)
    let old = entries.put(Box(row, id: key))
    related.note(key, from: old.map { Self.box($0).row }, to: row)
  }

  private func check(_ row: Row, has key: OrderKey) {
    let id = OrderKey(row.id)
    precondition(
      id == key,
      "a row must keep its id: the row with the id \(row.id) was assigned to another id, which has the bytes "
        + "\(key.bytes). Assign the row to the id \(row.id), and don't change ids in a relation")
  }

  /// Returns the box for an entry of this row type.
  @inline(__always)
  package static func box(_ entry: RowEntry) -> Box { unsafeDowncast(entry, to: Box.self) }
}

extension SortedTree<ByID> {
  /// Returns the row with an id, or `nil`.
  func row(_ id: OrderKey) -> RowEntry? {
    element(head: id.fingerprint) { ByID.compare($0, id) }
  }
}

/// The criterion that groups rows into sections.
///
/// Section settings are stored per criterion, because the rows of one projection can be grouped in several ways.
///
/// `@unchecked Sendable`: a key path is immutable, and a literal key path captures only Sendable values.
package enum SectionCriterion: Hashable, @unchecked Sendable {
  case property(AnyKeyPath)
  case named(String)
  /// Any stored property or sectioning with the name.
  case field(String)
  case whole

  /// The name of the sectioning in a saved list, or `nil` for a computed property.
  package var name: String? {
    switch self {
    case .property(let path): propertyName(path).map { "by \($0)" }
    case .named(let name): "named " + name
    case .field: nil
    case .whole: "whole"
    }
  }

  /// The name of the stored property or sectioning, or `nil` for a computed property or without sectioning.
  var field: String? {
    switch self {
    // A path through two properties is written `\Row.author.name`.
    case .property(let path): propertyName(path)?.split(separator: ".").dropFirst().joined(separator: ".")
    case .named(let name), .field(let name): name
    case .whole: nil
    }
  }
}
