/// A projection's rows by their ids, and the titles and numbers that it gave to sections.
///
/// Ids are told apart by their bytes, so that two strings that are only canonically equal are two ids.
public struct Rows<Row: Annals.Row>: Sendable {
  /// A row as it was set: the same object is the same row, wherever it is held.
  final class Box: RowEntry, @unchecked Sendable {
    let row: Row

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
  private(set) var ids = SortedTree<ByID>()
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
  public var count: Int { ids.count }

  /// True if there is no row.
  public var isEmpty: Bool { ids.isEmpty }

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
        let old = ids.remove(RowEntry(id: key))
        if !related.isEmpty, let old { related.note(key, from: Self.box(old).row, to: nil) }
        touched?.append(key)
      }
    }
  }

  /// Inserts a row, or replaces the row that has its id.
  ///
  /// - Parameter row: The row.
  public mutating func insert(_ row: Row) {
    let key = OrderKey(row.id)
    set(row, key)
  }

  /// Changes a row in place; does nothing if there is none.
  ///
  /// - Parameters:
  ///   - id: The row's id.
  ///   - change: Changes the row, but not its id.
  public mutating func update(_ id: Row.ID, _ change: (inout Row) throws -> Void) rethrows {
    scratch.clear()
    id.encode(into: &scratch)
    let (writer, hash) = (scratch, scratch.fingerprint)
    guard let entry = ids.element(head: hash, { $0.id.compare(writer) }) else { return }
    var row = Self.box(entry).row
    try change(&row)
    if !related.isEmpty { related.fill(&row) }
    replace(entry, by: row)
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

  subscript(key key: OrderKey) -> Row? { ids.row(key).map { Self.box($0).row } }

  /// Takes the boxes of a list that was made of these rows, which are the same rows and have keys.
  mutating func adopt(_ ids: SortedTree<ByID>) { self.ids = ids }

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

  /// The cuts of whose sections the projection said something, in rows that were not saved.
  var cuts: Set<SectionCut> { Set(facts.keys) }

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
    (rows.ids, rows.savedFacts) = (saved, factsByName)
    rows.related.load(entities)
    return rows
  }

  /// Sets a row where another is, whose id it must have; it has taken over what it depends on.
  mutating func replace(_ entry: RowEntry, by row: Row) {
    scratch.clear()
    row.id.encode(into: &scratch)
    precondition(
      entry.id.isWritten(scratch), "a row keeps its id: a row with id \(row.id) was set at another, \(entry.id.bytes)")
    ids.insert(Box(row, like: entry))
    if !related.isEmpty { related.note(entry.id, from: Self.box(entry).row, to: row) }
    touched?.append(entry.id)
  }

  private mutating func set(_ row: Row, _ key: OrderKey) {
    if related.isEmpty {
      ids.insert(Box(row, id: key))
    } else {
      var row = row
      related.fill(&row)
      check(row, has: key)
      let old = ids.insert(Box(row, id: key))
      related.note(key, from: old.map { Self.box($0).row }, to: row)
    }
    touched?.append(key)
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
