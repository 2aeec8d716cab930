package import AnnalsLog

/// A projection's rows as entries, and its section settings, independent of the row type.
///
/// Generic code looks up types at every step when called from another module, so this type contains everything that
/// doesn't have to be generic.
package struct RowSet: Sendable {
  /// The rows, without the changes in the table.
  private(set) var tree = SortedTree<ByID>()
  /// The effect of many events while they are folded.
  private var table: RowTable?
  /// The changes since a list was built from the rows, if known.
  private var edits: RowEdits?
  /// The changes before `edits`, for other lists of the same rows.
  private var step: RowEdits?
  /// The position of the event that is being projected, or 0.
  package var event: Position = 0
  /// The ids that were set since this array was emptied, or `nil` if they aren't needed.
  package var touched: [OrderKey]?
  #if DEBUG
    /// The first wrong assumption about a row's existence since this property was emptied, or `nil`.
    ///
    /// Only debug builds record it, because release builds must not pay for it.
    package var slip: RowExistenceError?
  #endif
  /// A buffer for ids.
  var scratch = KeyWriter(capacity: 48)
  /// The projection's section settings, by criterion.
  private var settings: [SectionCriterion: SortedTree<BySectionSettings>] = [:]
  /// The unchanged saved section settings, by the name of the criterion.
  private var savedSettings: [String: SortedTree<BySectionSettings>] = [:]
  /// The saved pages that might contain some of the rows, or `nil` if all rows were built from events.
  package private(set) var origin: TreePages?

  package init() {}

  /// Creates a set from saved rows and settings.
  package init(
    saved tree: SortedTree<ByID>, _ settingsByName: [String: SortedTree<BySectionSettings>], on origin: TreePages?
  ) {
    self.tree = tree
    savedSettings = settingsByName
    self.origin = origin
  }

  var count: Int { table?.count ?? tree.count }

  /// The rows as entries, shared with all copies of the value that have the same row.
  ///
  /// - Complexity: O(1), or the cost of a changed tree while many events are folded.
  package var ids: SortedTree<ByID> { table.map { $0.tree(in: $0.inOrder, isInMemory: origin == nil) } ?? tree }

  /// Returns the row with an id, or `nil`.
  func entry(_ id: OrderKey) -> RowEntry? {
    guard let table else { return tree.row(id) }
    return table.row(id.fingerprint) { ByID.compare($0, id) }
  }

  /// True if a table stores the changes, because many events are expected.
  var isTable: Bool { table != nil }

  /// Records a wrong assumption about a row's existence, in debug builds.
  @inline(__always)
  mutating func note(_ slip: @autoclosure () -> RowExistenceError) {
    #if DEBUG
      if self.slip == nil { self.slip = slip() }
    #endif
  }

  /// Sets a row, and returns the previous row with its id.
  ///
  /// The entry must be new, because the method writes the position of the current event into it. If the caller already
  /// has the previous row, it passes this row as `known`, so that no search is needed.
  @discardableResult
  mutating func put(_ entry: RowEntry, inPlaceOf known: RowEntry? = nil) -> RowEntry? {
    entry.event = event
    touched?.append(entry.id)
    guard let table = ownTable() else {
      let old = tree.insert(entry)
      note(old, entry)
      return old
    }
    return table.put(entry, inPlaceOf: known)
  }

  /// Removes a row, and returns it.
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

  /// Returns a uniquely referenced table, or `nil` if the rows are in the tree.
  private mutating func ownTable() -> RowTable? {
    if table != nil, !isKnownUniquelyReferenced(&table) { table = table?.copy() }
    return table
  }

  /// Prepares for many events.
  ///
  /// If a table is faster for this number of events, it stores their changes until ``settle()``.
  mutating func expect(_ events: Int) {
    if table == nil, events >= Self.eventsForTable { table = RowTable(over: tree) }
  }

  /// The minimum number of events for which a table is faster than changing the tree for every event.
  private static var eventsForTable: Int { 256 }

  /// Builds the tree, if rows are in a table.
  mutating func settle() {
    guard let table else { return }
    let order = table.inOrder
    edits?.note(table, in: order)
    tree = table.tree(in: order, isInMemory: origin == nil)
    self.table = nil
  }

  /// Returns the changes of rows since a list was built from them, or `nil` if unknown.
  func changes(since ids: SortedTree<ByID>) -> RowsSince? {
    guard var edits else { return nil }
    if let table { edits.note(table, in: table.inOrder) }
    if edits.areMost(since: ids) { return .most }
    let changes = edits.changes(since: ids) ?? (edits.isEmpty ? step?.changes(since: ids) : nil)
    return changes.map { .each($0) }
  }

  /// Replaces the rows by the rows of a list that was built from them, and starts to record changes.
  ///
  /// - Parameters:
  ///   - ids: The rows.
  ///   - isStepKept: True to keep the last changes for other lists of the same rows.
  mutating func take(_ ids: SortedTree<ByID>, keepingStep isStepKept: Bool = false) {
    let isSame = table == nil && tree.isIdentical(to: ids)
    if isSame, edits?.isEmpty == true { return }
    step = isSame && isStepKept ? edits : nil
    tree = ids
    table = nil
    edits = ids.isEmpty ? nil : RowEdits(since: ids)
  }
}

extension RowSet {
  package func settings(of criterion: SectionCriterion) -> SortedTree<BySectionSettings> {
    if let known = settings[criterion] { return known }
    if case .field(let name) = criterion, let other = settings.keys.first(where: { $0.field == name }) {
      return settings[other] ?? SortedTree()
    }
    if savedSettings.isEmpty { return SortedTree() }
    return criterion.name.flatMap { savedSettings[$0] } ?? SortedTree()
  }

  /// Changes the settings of a section.
  mutating func change(
    _ key: SectionKey, of criterion: SectionCriterion, _ body: (inout SectionSettings.Values) -> Void
  ) {
    var changed = settings(of: criterion)
    settings[criterion] = nil
    changed.change(key, body)
    settings[criterion] = changed
  }

  /// The criteria with section settings, for rows that weren't read from a saved list.
  package var criteria: Set<SectionCriterion> { Set(settings.keys) }

  /// The projection's section settings by the names of the criteria, or `nil` if a criterion has no name.
  package var settingsByName: [String: SortedTree<BySectionSettings>]? {
    var named = savedSettings
    for (criterion, settings) in settings {
      guard let name = criterion.name else { return nil }
      named[name] = settings
    }
    return named
  }
}
