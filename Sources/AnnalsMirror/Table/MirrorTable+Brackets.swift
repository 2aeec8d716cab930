public import Annals

extension MirrorTable {
  /// The changes of an update cycle.
  struct Bracket: Sendable {
    var sections: [SectionChange] = []
    var rows: [RowChange<Row>] = []
    var depth = 1
    /// True if the table was reloaded in the update cycle.
    var isReloaded = false

    var isEmpty: Bool { sections.isEmpty && rows.isEmpty }
  }

  /// Begins an update cycle, like `beginUpdates` of a table view.
  ///
  /// - Parameter results: The current list of the table's data source. The call compares this list's row counts with
  ///   the table's row counts, because a table view might read its data source at this time. Pass `nil` to skip the
  ///   comparison.
  /// - Throws: A ``Violation`` if the row counts differ, or if a ``Profile/strict`` table is already in an update
  ///   cycle.
  public mutating func begin(showing results: Results<Row>? = nil) throws {
    if bracket != nil {
      if profile == .strict { throw violation(.bracket, "an update cycle begins inside another update cycle", nil) }
      bracket?.depth += 1
      return
    }
    if let results {
      let expected = Self.sections(of: results)
      let (counts, source) = (sections.map(\.cells.count), expected.map(\.cells.count))
      if counts != source {
        let sentence =
          "before the update, the sections of the table have \(counts) rows, but the sections of the data source have "
          + "\(source) rows; keep the old list in the data source until the update begins"
        throw violation(.countsBefore, sentence, expected)
      }
    }
    bracket = Bracket()
  }

  /// Reports a section change.
  ///
  /// A ``Profile/sequential`` table applies the change immediately. Any other table applies the change at the end of
  /// the update cycle.
  ///
  /// - Parameter change: The change.
  /// - Throws: A ``Violation`` if the change isn't permitted at this point.
  public mutating func tell(_ change: SectionChange) throws {
    try tell {
      $0.sections.append(change)
    } alone: {
      try $0.apply(.section(change))
    }
  }

  /// Reports a row change.
  ///
  /// A ``Profile/sequential`` table applies the change immediately. Any other table applies the change at the end of
  /// the update cycle.
  ///
  /// - Parameter change: The change.
  /// - Throws: A ``Violation`` if the change isn't permitted at this point.
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
      let sentence =
        "a change was delivered after the table was reloaded in the same update cycle. End the cycle before you "
        + "deliver further changes"
      throw violation(.afterReload, sentence, nil)
    }
    if profile == .sequential { return try apply(&self) }
    guard bracket == nil else {
      note(&bracket!)  // Checked above.
      return
    }
    // Outside an update cycle, a table view treats every change as a separate cycle.
    if profile == .strict {
      let sentence = "a change was delivered outside of an update cycle. Begin an update cycle first"
      throw violation(.bracket, sentence, nil)
    }
    bracket = Bracket()
    note(&bracket!)  // Set on the line above.
    try end()
  }

  /// Reloads the table with a list, and discards the changes of the current update cycle.
  ///
  /// - Parameter results: The list that the table then shows.
  public mutating func reloadData(showing results: Results<Row>) {
    sections = Self.sections(of: results)
    if let open = bracket {
      bracket = Bracket()
      bracket?.depth = open.depth
      bracket?.isReloaded = true
    }
  }

  /// Ends an update cycle, like `endUpdates` of a table view, and applies the cycle's changes.
  ///
  /// If the cycle is nested in another cycle, the changes are applied when the outer cycle ends.
  ///
  /// - Parameter results: The data source's current list, or `nil` to use the list that results from the changes.
  /// - Throws: A ``Violation``, after which the table shows the same list as before the cycle.
  public mutating func end(showing results: Results<Row>? = nil) throws {
    try end(source: results.map { Self.sections(of: $0) })
  }

  mutating func end(source: [Section]?) throws {
    guard let open = bracket else { throw violation(.bracket, "an update cycle ends, but none has begun", nil) }
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
