/// A projection's rows by their ids, and the titles and numbers that it gave to sections.
///
/// Ids are told apart by their bytes, so that two strings that are only canonically equal are two ids.
public struct Rows<Row: Annals.Row>: Sendable {
  /// A row as it was set: the same object is the same row, wherever it is held.
  ///
  /// `@unchecked Sendable`: the row is changed in place only by a table of rows that alone holds the box.
  final class Box: RowEntry, @unchecked Sendable {
    @exclusivity(unchecked) fileprivate(set) var row: Row

    init(_ row: Row, id: OrderKey) {
      self.row = row
      super.init(id: id)
    }

    /// Another version of a row.
    init(_ row: Row, like entry: RowEntry) {
      self.row = row
      super.init(like: entry)
    }
  }

  /// The rows as boxes, shared with every copy of the value that has the same row.
  ///
  /// - Complexity: O(1), and O(n log n) while many events are folded.
  var ids: SortedTree<ByID> { table?.tree() ?? tree }
  /// The rows, if they are not in the table.
  private var tree = SortedTree<ByID>()
  /// What was set since a list was made of the rows, while that is known.
  private var edits: RowEdits?
  /// The rows while many events are folded.
  private var table: RowTable?
  /// The ids that were set since this was made empty, while somebody wants to know; nil otherwise.
  var touched: [OrderKey]?
  /// Memory to write ids in.
  private var scratch = KeyWriter(capacity: 48)
  /// By cut: what the projection said of its sections.
  private var facts: [SectionCut: SortedTree<BySectionFacts>] = [:]
  /// By the name of the cut: what was saved of them, as long as it was not changed.
  private var savedFacts: [String: SortedTree<BySectionFacts>] = [:]
  /// What the rows depend on.
  var related: RelatedEntities<Row>

  /// Creates no rows.
  public init() { self.init([]) }

  init(_ relations: [Relation<Row>]) { related = RelatedEntities(relations) }

  /// The number of rows.
  public var count: Int { table?.count ?? tree.count }

  /// True if there is no row.
  public var isEmpty: Bool { count == 0 }

  /// The row of an id; setting nil deletes it.
  ///
  /// A row that is set must have the id that it is set at.
  ///
  /// - Parameter id: The row's id.
  /// - Complexity: O(log n) for n rows; a copy of the rows that somebody keeps costs no more.
  public subscript(id: Row.ID) -> Row? {
    get { self[key: OrderKey(id)] }
    set {
      let key = OrderKey(id)
      if let newValue {
        check(newValue, has: key)
        set(newValue, key)
      } else {
        let old = remove(key)
        if !related.isEmpty, let old { related.note(key, from: Self.box(old).row, to: nil) }
        touched?.append(key)
      }
    }
  }

  /// Inserts a row, or replaces the row that has its id.
  ///
  /// - Parameter row: The row.
  public mutating func insert(_ row: Row) {
    scratch.clear()
    row.id.encode(into: &scratch)
    if let table = ownTable(), related.isEmpty, let slot = slot(in: table), table.isAlone(slot) {
      let box = Self.box(table.entry(slot))
      if box.keying == 0 {
        box.row = row
        touched?.append(box.id)
        return
      }
    }
    set(row, OrderKey(scratch))
  }

  /// Changes a row in place; does nothing if there is none.
  ///
  /// - Parameters:
  ///   - id: The row's id.
  ///   - change: Changes the row, but not its id.
  public mutating func update(_ id: Row.ID, _ change: (inout Row) throws -> Void) rethrows {
    scratch.clear()
    id.encode(into: &scratch)
    if let table = ownTable() {
      guard let slot = slot(in: table) else { return }
      let isAlone = table.isAlone(slot)
      let box = Self.box(table.entry(slot))
      var row = box.row
      try change(&row)
      if !related.isEmpty || !isAlone || box.keying != 0 {
        if !related.isEmpty { related.fill(&row) }
        return replace(box, by: row)
      }
      checkID(of: row, is: box.id)
      box.row = row
      touched?.append(box.id)
    } else {
      guard let entry = tree.element(head: scratch.fingerprint, { $0.id.compare(scratch) }) else { return }
      var row = Self.box(entry).row
      try change(&row)
      if !related.isEmpty { related.fill(&row) }
      replace(entry, by: row)
    }
  }

  /// Gives a section a title, which holds also before the section has rows and after it emptied.
  ///
  /// - Parameters:
  ///   - key: The section's key.
  ///   - path: The property by which the rows are cut into sections.
  ///   - title: The title.
  public mutating func renameSection<K: OrderedValue>(_ key: K, of path: KeyPath<Row, K>, to title: String) {
    change(key.sectionKey, of: .property(path)) { $0.title = title }
  }

  /// Gives a section of a named cut a title.
  ///
  /// - Parameters:
  ///   - key: The section's key.
  ///   - name: The name of the cut, as in ``Sectioning/by(_:order:_:)``.
  ///   - title: The title.
  public mutating func renameSection(_ key: SectionKey, of name: String, to title: String) {
    change(key, of: .named(name)) { $0.title = title }
  }

  /// Gives a section a number, by which sections can be ordered.
  ///
  /// - Parameters:
  ///   - key: The section's key.
  ///   - path: The property by which the rows are cut into sections.
  ///   - number: The number; sections without one come last.
  public mutating func numberSection<K: OrderedValue>(_ key: K, of path: KeyPath<Row, K>, _ number: Double) {
    change(key.sectionKey, of: .property(path)) { $0.number = number }
  }

  /// All rows in the order of their ids, so that whoever goes through them does the same each time.
  ///
  /// - Complexity: O(n log n) for n rows.
  public var all: [Row] {
    ids.sorted { $0.id < $1.id }.map { Self.box($0).row }
  }

  subscript(key key: OrderKey) -> Row? { entry(key).map { Self.box($0).row } }

  /// The row of an id, nil if there is none.
  func entry(_ id: OrderKey) -> RowEntry? {
    guard let table else { return tree.row(id) }
    return table.slot(of: id).map { table.entry($0) }
  }

  /// Takes the boxes of a list that was made of these rows, which are the same rows and have keys.
  mutating func adopt(_ ids: SortedTree<ByID>) {
    (tree, table) = (ids, nil)
    edits = ids.isEmpty ? nil : RowEdits(since: ids)
  }

  /// What was set since a list had these boxes; nil if that is not known.
  func edits(since ids: SortedTree<ByID>) -> [(old: RowEntry?, new: RowEntry?)]? { edits?.changes(since: ids) }

  func facts(of cut: SectionCut) -> SortedTree<BySectionFacts> {
    if let known = facts[cut] { return known }
    if savedFacts.isEmpty { return SortedTree() }
    return cut.name.flatMap { savedFacts[$0] } ?? SortedTree()
  }

  private mutating func change(
    _ key: SectionKey, of cut: SectionCut, _ body: (inout SectionFacts.Values) -> Void
  ) {
    var changed = facts(of: cut)
    facts[cut] = nil
    changed.change(key, body)
    facts[cut] = changed
  }

  /// What the projection said of sections, by the names of the cuts; nil if a cut has no name.
  var factsByName: [String: SortedTree<BySectionFacts>]? {
    var named = savedFacts
    for (cut, facts) in facts {
      guard let name = cut.name else { return nil }
      named[name] = facts
    }
    return named
  }

  /// The same relations with the rows, facts and entities that were saved.
  func replaced(
    by saved: SortedTree<ByID>, factsByName: [String: SortedTree<BySectionFacts>],
    entities: [String: SortedTree<ByRelated>]
  ) -> Rows {
    var rows = Rows(related.relations)
    (rows.tree, rows.savedFacts) = (saved, factsByName)
    rows.related.load(entities)
    return rows
  }

  /// Sets a row where another is, whose id it must have; it has taken over what it depends on.
  mutating func replace(_ entry: RowEntry, by row: Row) {
    checkID(of: row, is: entry.id)
    put(Box(row, like: entry))
    if !related.isEmpty { related.note(entry.id, from: Self.box(entry).row, to: row) }
    touched?.append(entry.id)
  }

  private mutating func checkID(of row: Row, is id: OrderKey) {
    scratch.clear()
    row.id.encode(into: &scratch)
    precondition(id.isWritten(scratch), "a row keeps its id: a row with id \(row.id) was set at another, \(id.bytes)")
  }

  private mutating func set(_ row: Row, _ key: OrderKey) {
    if related.isEmpty {
      put(Box(row, id: key))
    } else {
      var row = row
      related.fill(&row)
      check(row, has: key)
      let old = put(Box(row, id: key))
      related.note(key, from: old.map { Self.box($0).row }, to: row)
    }
    touched?.append(key)
  }

  /// Sets a row in the table or in the tree; answers the one with its id.
  @discardableResult
  private mutating func put(_ box: Box) -> RowEntry? {
    guard let table = ownTable() else {
      let old = tree.insert(box)
      if edits != nil { note(old, box) }
      return old
    }
    if let slot = table.slot(of: box.id) { return table.replace(slot, by: box) }
    table.append(box)
    return nil
  }

  private mutating func remove(_ id: OrderKey) -> RowEntry? {
    guard let table = ownTable() else {
      let old = tree.remove(RowEntry(id: id))
      if edits != nil, old != nil { note(old, nil) }
      return old
    }
    return table.slot(of: id).map { table.remove($0) }
  }

  private mutating func note(_ old: RowEntry?, _ new: RowEntry?) {
    if edits?.note(old, new) == false { edits = nil }
  }

  /// The slot of the id that was written.
  private func slot(in table: RowTable) -> Int? {
    table.slot(scratch.fingerprint) { $0.id.isWritten(scratch) }
  }

  /// The table, this value's own; nil if the rows are in the tree.
  private mutating func ownTable() -> RowTable? {
    if table != nil, !isKnownUniquelyReferenced(&table) { table = table?.copy() }
    return table
  }

  /// Makes ready for many events: where they are worth it, rows go into a table until ``settle()``.
  package mutating func expect(_ events: Int) {
    if table != nil || events < 2_048 || events < tree.count { return }
    table = RowTable(tree)
    (tree, edits) = (SortedTree(), nil)
  }

  /// Makes the tree, if the rows are in a table.
  package mutating func settle() {
    guard let table else { return }
    (tree, self.table) = (table.tree(), nil)
  }

  private func check(_ row: Row, has key: OrderKey) {
    let id = OrderKey(row.id)
    precondition(id == key, "a row keeps its id: a row with id \(row.id) was set at another, \(key.bytes)")
  }

  /// The box that an entry of rows of this type is.
  @inline(__always)
  static func box(_ entry: RowEntry) -> Box { unsafeDowncast(entry, to: Box.self) }
}

extension SortedTree<ByID> {
  /// The row of an id, nil if there is none.
  func row(_ id: OrderKey) -> RowEntry? {
    element(head: id.fingerprint) { ByID.compare($0, id) }
  }
}

/// What rows are cut into sections by: one projection may be cut in two ways.
///
/// `@unchecked Sendable`: a key path is immutable, and what a written-out one captures is Sendable.
enum SectionCut: Hashable, @unchecked Sendable {
  case property(AnyKeyPath)
  case named(String)
  case whole

  /// What the cut is called in a saved list; nil for a computed property.
  var name: String? {
    switch self {
    case .property(let path): propertyName(path).map { "by \($0)" }
    case .named(let name): "named " + name
    case .whole: "whole"
    }
  }
}
