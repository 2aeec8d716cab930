/// A projection's rows as entries, and what it said of sections, whatever the rows are.
///
/// Code that is generic over rows looks up types at each step where another module calls it; what it need not do itself
/// is here.
struct RowSet: Sendable {
  /// The rows, but for what is in the table.
  private(set) var tree = SortedTree<ByID>()
  /// What many events did to the rows while they are folded.
  private var table: RowTable?
  /// What was set since a list was made of the rows, while that is known.
  private var edits: RowEdits?
  /// What was set before that, for other lists that are made of the same rows.
  private var step: RowEdits?
  /// The ids that were set since this was made empty, while they are asked for; nil otherwise.
  var touched: [OrderKey]?
  /// Memory to write ids in.
  var scratch = KeyWriter(capacity: 48)
  /// By criterion: what the projection said of its sections.
  private var settings: [SectionCriterion: SortedTree<BySectionSettings>] = [:]
  /// By the name of the criterion: what was saved of them, as long as it was not changed.
  private var savedSettings: [String: SortedTree<BySectionSettings>] = [:]
  /// The pages that rows may be on; nil if all were made of events.
  private(set) var origin: TreePages?

  init() {}

  /// Takes rows and settings that were saved.
  init(saved tree: SortedTree<ByID>, _ settingsByName: [String: SortedTree<BySectionSettings>], on origin: TreePages?) {
    (self.tree, savedSettings, self.origin) = (tree, settingsByName, origin)
  }

  var count: Int { table?.count ?? tree.count }

  /// The rows as entries, shared with every copy of the value that has the same row.
  ///
  /// - Complexity: O(1), and that of a changed tree while many events are folded.
  var ids: SortedTree<ByID> { table.map { $0.tree(in: $0.inOrder, isInMemory: origin == nil) } ?? tree }

  /// The row of an id, nil if there is none.
  func entry(_ id: OrderKey) -> RowEntry? {
    guard let table else { return tree.row(id) }
    return table.row(id.fingerprint) { ByID.compare($0, id) }
  }

  /// True if many events are expected.
  var isTable: Bool { table != nil }

  /// Sets a row; answers the one with its id, which may be known.
  @discardableResult
  mutating func put(_ entry: RowEntry, inPlaceOf known: RowEntry? = nil) -> RowEntry? {
    touched?.append(entry.id)
    guard let table = ownTable() else {
      let old = tree.insert(entry)
      note(old, entry)
      return old
    }
    return table.put(entry, inPlaceOf: known)
  }

  /// Takes a row out; answers it.
  mutating func remove(_ id: OrderKey) -> RowEntry? {
    touched?.append(id)
    guard let table = ownTable() else {
      let old = tree.remove(RowEntry(id: id))
      if old != nil { note(old, nil) }
      return old
    }
    return table.remove(id)
  }

  private mutating func note(_ old: RowEntry?, _ new: RowEntry?) {
    if edits != nil, edits?.note(old, new) == false { edits = nil }
  }

  /// The table, this value's own; nil if the rows are in the tree.
  private mutating func ownTable() -> RowTable? {
    if table != nil, !isKnownUniquelyReferenced(&table) { table = table?.copy() }
    return table
  }

  /// Makes ready for many events: where they are worth it, what they set goes into a table until ``settle()``.
  mutating func expect(_ events: Int) {
    if table == nil, events >= Self.eventsForTable { table = RowTable(over: tree) }
  }

  /// From so many events on, a table costs less than changing the tree for each.
  private static var eventsForTable: Int { 256 }

  /// Makes the tree, if rows are in a table.
  mutating func settle() {
    guard let table else { return }
    let order = table.inOrder
    edits?.note(table, in: order)
    (tree, self.table) = (table.tree(in: order, isInMemory: origin == nil), nil)
  }

  /// What rows were and what they are since a list was made of them; nil if that is not known.
  func changes(since ids: SortedTree<ByID>) -> RowsSince? {
    guard var edits else { return nil }
    if let table { edits.note(table, in: table.inOrder) }
    if edits.areMost(since: ids) { return .most }
    let changes = edits.changes(since: ids) ?? (edits.isEmpty ? step?.changes(since: ids) : nil)
    return changes.map { .each($0) }
  }

  /// Takes the rows of a list that was made of these, and notes from now on what is set.
  ///
  /// - Parameters:
  ///   - ids: The rows.
  ///   - isStepKept: True if other lists will be made of the same rows: then what was set last stays known for them.
  mutating func take(_ ids: SortedTree<ByID>, keepingStep isStepKept: Bool = false) {
    let isSame = table == nil && tree.isIdentical(to: ids)
    if isSame, edits?.isEmpty == true { return }
    step = isSame && isStepKept ? edits : nil
    (tree, table) = (ids, nil)
    edits = ids.isEmpty ? nil : RowEdits(since: ids)
  }
}

extension RowSet {
  func settings(of criterion: SectionCriterion) -> SortedTree<BySectionSettings> {
    if let known = settings[criterion] { return known }
    if case .field(let name) = criterion, let other = settings.keys.first(where: { $0.field == name }) {
      return settings[other] ?? SortedTree()
    }
    if savedSettings.isEmpty { return SortedTree() }
    return criterion.name.flatMap { savedSettings[$0] } ?? SortedTree()
  }

  /// Changes what is said of a section.
  mutating func change(
    _ key: SectionKey, of criterion: SectionCriterion, _ body: (inout SectionSettings.Values) -> Void
  ) {
    var changed = settings(of: criterion)
    settings[criterion] = nil
    changed.change(key, body)
    settings[criterion] = changed
  }

  /// The criteria of whose sections the projection said something, in rows that were not saved.
  var criteria: Set<SectionCriterion> { Set(settings.keys) }

  /// What the projection said of sections, by the names of the criteria; nil if one has no name.
  var settingsByName: [String: SortedTree<BySectionSettings>]? {
    var named = savedSettings
    for (criterion, settings) in settings {
      guard let name = criterion.name else { return nil }
      named[name] = settings
    }
    return named
  }
}
