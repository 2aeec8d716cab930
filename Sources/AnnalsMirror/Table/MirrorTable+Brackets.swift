public import Annals

extension MirrorTable {
  /// The changes of a bracket.
  struct Bracket: Sendable {
    var sections: [SectionChange] = []
    var rows: [RowChange<Row>] = []
    var depth = 1
    /// True if the table was reloaded inside.
    var isReloaded = false

    var isEmpty: Bool { sections.isEmpty && rows.isEmpty }
  }

  /// Begins a bracket, as `beginUpdates` does.
  ///
  /// - Parameter results: The list that the data source has now, which a table view may read first; nil to skip the
  ///   comparison.
  /// - Throws: A ``Violation`` if the data source differs from the table, or if a strict table has an open bracket.
  public mutating func begin(showing results: Results<Row>? = nil) throws {
    if bracket != nil {
      if profile == .strict { throw violation(.bracket, "a bracket begins inside another", nil) }
      bracket?.depth += 1
      return
    }
    if let results {
      let expected = Self.sections(of: results)
      let (counts, source) = (sections.map(\.cells.count), expected.map(\.cells.count))
      if counts != source {
        let sentence =
          "the data source answers \(source) before the update, and the table view shows \(counts): it must have the "
          + "old list until the update begins"
        throw violation(.countsBefore, sentence, expected)
      }
    }
    bracket = Bracket()
  }

  /// Reports a change of a section, which a sequential table makes at once.
  ///
  /// - Parameter change: The change.
  /// - Throws: A ``Violation`` if no change may come now.
  public mutating func tell(_ change: SectionChange) throws {
    try tell {
      $0.sections.append(change)
    } alone: {
      try $0.apply(.section(change))
    }
  }

  /// Reports a change of a row, which a sequential table makes at once.
  ///
  /// - Parameter change: The change.
  /// - Throws: A ``Violation`` if no change may come now.
  public mutating func tell(_ change: RowChange<Row>) throws {
    try tell {
      $0.rows.append(change)
    } alone: {
      try $0.apply(.row(change))
    }
  }

  private mutating func tell(
    _ note: (inout Bracket) -> Void, alone apply: (inout MirrorTable) throws -> Void
  ) throws {
    if bracket?.isReloaded ?? false {
      throw violation(.afterReload, "a change comes in a bracket after the table was reloaded", nil)
    }
    if profile == .sequential { return try apply(&self) }
    guard bracket == nil else {
      note(&bracket!)  // Checked above.
      return
    }
    // Outside a bracket, a table view treats each change as a bracket of its own.
    if profile == .strict { throw violation(.bracket, "a change comes outside of a bracket", nil) }
    bracket = Bracket()
    note(&bracket!)  // Set on the line above.
    try end()
  }

  /// Reloads the table: it shows the list, and forgets the changes of the open bracket.
  ///
  /// - Parameter results: The list.
  public mutating func reloadData(showing results: Results<Row>) {
    sections = Self.sections(of: results)
    if let open = bracket {
      bracket = Bracket()
      bracket?.depth = open.depth
      bracket?.isReloaded = true
    }
  }

  /// Ends a bracket, as `endUpdates` does; only the outermost one counts.
  ///
  /// - Parameter results: The list that the data source has now; nil for the list that the changes lead to.
  /// - Throws: A ``Violation``; the table then shows what it showed when the bracket began.
  public mutating func end(showing results: Results<Row>? = nil) throws {
    try end(source: results.map { Self.sections(of: $0) })
  }

  mutating func end(source: [Section]?) throws {
    guard let open = bracket else { throw violation(.bracket, "a bracket ends that did not begin", nil) }
    if open.depth > 1 {
      bracket?.depth -= 1
      return
    }
    bracket = nil
    if profile == .sequential {
      if let source { try ensureSameIDs(source) }
      return
    }
    if open.isReloaded { return }
    let batch = MirrorBatch(table: self, bracket: open, source: source)
    var next = self
    next.sections = try batch.applied()
    if profile == .strict, let source { try next.ensureSameIDs(source) }
    self = next
  }
}
