import Annals

/// An update cycle, which changes the rows that a table shows.
struct MirrorBatch<Row: Annals.Row> {
  typealias Section = MirrorTable<Row>.Section

  /// The table before the update cycle.
  let table: MirrorTable<Row>
  let bracket: MirrorTable<Row>.Bracket
  /// The data source's sections, or `nil` if they are unknown.
  let source: [Section]?

  var old: [Section] { table.sections }
  var isStrict: Bool { table.profile == .strict }

  /// Returns the table's sections after the update cycle.
  ///
  /// Throws if UITableView would raise an exception, or if a strict table refuses the changes.
  func applied() throws -> [Section] {
    let sections = try SectionPlaces(bracket.sections, self)
    var rows = RowPlaces(self, sections)
    for change in bracket.rows { try rows.note(change) }
    try rows.checkTwice()
    try rows.checkSections()
    let counts = try rows.counts()
    var new = try sections.origins.indices.map { index in
      let (key, title) = sections.header(of: index, in: self)
      return Section(key: key, title: title, cells: try rows.cells(ofNewSection: index, count: counts[index]))
    }
    if isStrict {
      try rows.checkOnce()
      try rows.checkUpdates(new)
      try sections.checkUpdates(self)
    }
    for (path, row) in rows.updates(in: new) { new[path.section].cells[path.row].row = row }
    for (index, title) in sections.titles { new[index].title = title }
    return new
  }

  func require(_ holds: Bool, _ rule: MirrorRule, _ sentence: @autoclosure () -> String) throws {
    if !holds { throw table.violation(rule, sentence(), source) }
  }
}
