public import Annals

/// A model of a table view that refuses the same changes as `UITableView`, for tests.
///
///     var table = MirrorTable(results)
///     try table.apply(changes)
///
/// The table updates its rows only from the changes that you pass. A ``Profile`` determines the changes that the table
/// refuses. `Docs/MirrorTable.md` explains all rules.
public struct MirrorTable<Row: Annals.Row>: Sendable {
  /// A table's mode, which determines the changes that the table refuses, and how it applies the other changes.
  public enum Profile: Hashable, Sendable, CaseIterable {
    /// The profile that refuses all changes that a table view refuses or mishandles, and also wrong changes that a
    /// table view accepts.
    case strict
    /// The profile that refuses only the changes that a table view refuses.
    case lenient
    /// The profile that applies one edit at a time, like `NSTableView`.
    ///
    /// The indices of an edit refer to the table after the previous edit.
    case sequential
  }

  /// A section as the user sees it.
  public struct Section: Equatable, Sendable {
    /// The key that identifies the section.
    public let key: SectionKey
    /// The displayed title.
    public internal(set) var title: String
    /// The displayed rows of the section.
    public var rows: [Row] { cells.map(\.row) }
    var cells: [Cell]

    /// Returns whether two sections have the same key and show the same title and rows.
    public static func == (left: Section, right: Section) -> Bool {
      left.key == right.key && left.title.unicodeScalars.elementsEqual(right.title.unicodeScalars)
        && left.cells == right.cells
    }
  }

  /// A displayed row.
  struct Cell: Equatable, Sendable {
    let id: OrderKey
    var row: Row

    init(_ row: Row, id: OrderKey? = nil) {
      self.id = id ?? OrderKey(row.id)
      self.row = row
    }

    static func == (left: Cell, right: Cell) -> Bool { left.id == right.id && left.row.isSame(as: right.row) }
  }

  /// The displayed sections.
  public internal(set) var sections: [Section]
  /// The profile that determines the changes that the table refuses.
  public let profile: Profile
  /// The changes since an update cycle began, or `nil` outside of update cycles.
  var bracket: Bracket?

  /// Creates a table that shows a list.
  ///
  /// - Parameters:
  ///   - results: The list that the table shows at the beginning.
  ///   - profile: The profile that determines the changes that the table refuses.
  public init(_ results: Results<Row>, profile: Profile = .strict) {
    sections = Self.sections(of: results)
    self.profile = profile
  }

  /// Returns whether the table shows the same sections, titles, IDs and values as a list.
  ///
  /// - Parameter results: The list to compare with the table.
  /// - Returns: True if the table shows the list.
  public func shows(_ results: Results<Row>) -> Bool { sections == Self.sections(of: results) }

  /// Verifies that the table shows the same sections, titles, IDs and values as a list.
  ///
  /// - Parameter results: The list to compare with the table.
  /// - Throws: A ``Violation`` of ``MirrorRule/stale`` or ``MirrorRule/divergence``, which contains a drawing of both
  ///   lists.
  public func ensureShows(_ results: Results<Row>) throws {
    try ensureShows(Self.sections(of: results))
  }

  private func ensureShows(_ expected: [Section]) throws {
    guard sections != expected else { return }
    try ensureSameIDs(expected)
    for (index, (shown, section)) in zip(sections, expected).enumerated() {
      for (row, (old, new)) in zip(shown.cells, section.cells).enumerated() where old != new {
        throw violation(
          .stale, "the row at [\(index), \(row)] still shows its old content, because no change was reported", expected)
      }
    }
    throw violation(.stale, "a section still shows its old title, because no change was reported", expected)
  }

  /// Verifies the sections and IDs of a list, regardless of the content.
  func ensureSameIDs(_ expected: [Section]) throws {
    let isEqual = sections.elementsEqual(expected) { shown, section in
      shown.key == section.key && shown.cells.elementsEqual(section.cells) { $0.id == $1.id }
    }
    if !isEqual { throw violation(.divergence, "the table and the list have different sections or row ids", expected) }
  }

  /// Applies a batch of changes as a controller delivers it: insertions, deletions and moves first, and then updates.
  ///
  /// The table must show the list from before the changes. A ``Profile/strict`` table also refuses unnecessary moves. A
  /// ``Profile/sequential`` table applies ``Annals/Changes/edits``.
  ///
  /// - Parameter changes: The batch of changes.
  /// - Throws: A ``Violation``, after which the table is unchanged.
  public mutating func apply(_ changes: Changes<Row>) throws {
    var next = self
    let (old, new) = (Self.sections(of: changes.old), Self.sections(of: changes.new))
    if sections != old { throw violation(.gap, "the batch's old list differs from the list that the table shows", old) }
    switch profile {
    case .sequential:
      for edit in changes.edits { try next.apply(edit) }
      try next.ensureShows(new)
    case .strict, .lenient:
      let (structure, content) = changes.brackets
      for bracket in [structure, content] where !bracket.isEmpty {
        next.bracket = bracket
        try next.end(source: new)
      }
      guard profile == .strict else { break }
      try next.ensureShows(new)
      try next.ensureFewestMoves(changes.sections, changes.rows, from: changes.old, to: changes.new)
    }
    self = next
  }

  /// Applies changes of sections and rows in one update cycle.
  ///
  /// An update reloads the row or section at its old place. A ``Profile/sequential`` table applies the section changes
  /// before the row changes.
  ///
  /// - Parameters:
  ///   - sectionChanges: The changes of sections.
  ///   - rowChanges: The changes of rows.
  ///   - results: The data source's list after the changes, or `nil` to use the list that results from the changes.
  /// - Throws: A ``Violation``, after which the table is unchanged.
  public mutating func apply(
    sections sectionChanges: [SectionChange], rows rowChanges: [RowChange<Row>], showing results: Results<Row>? = nil
  ) throws {
    var next = self
    try next.begin()
    for change in sectionChanges { try next.tell(change) }
    for change in rowChanges { try next.tell(change) }
    try next.end(showing: results)
    self = next
  }

  static func sections(of results: Results<Row>) -> [Section] {
    results.sections.enumerated().map { index, section in
      let cells = zip(section, results.keys(ofSection: index)).map { Cell($0, id: $1) }
      return Section(key: section.key, title: section.title, cells: cells)
    }
  }

  static func cell(at path: RowPath, of sections: [Section]) -> Cell? {
    sections.indices.contains(path.section) && sections[path.section].cells.indices.contains(path.row)
      ? sections[path.section].cells[path.row] : nil
  }
}
