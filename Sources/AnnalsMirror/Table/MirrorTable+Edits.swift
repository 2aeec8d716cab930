public import Annals

extension MirrorTable {
  /// A single change of a section or a row, for views that apply changes one at a time.
  public typealias Edit = Changes<Row>.Edit

  /// Applies one edit, whose indices refer to the table as it is now.
  ///
  /// - Parameter edit: The edit to apply.
  /// - Throws: A ``Violation``, after which the table is unchanged.
  public mutating func apply(_ edit: Edit) throws {
    switch edit {
    case .section(let change): try apply(alone: change)
    case .row(let change): try apply(alone: change)
    }
  }

  private mutating func apply(alone change: SectionChange) throws {
    switch change {
    case .delete(let index, let key):
      try check(index, key, "delete")
      sections.remove(at: index)
    case .insert(let index, let key, let title):
      try require(
        (0...sections.count).contains(index), .bounds,
        "attempt to insert section \(index), but there are only \(sections.count + 1) sections after the update")
      sections.insert(Section(key: key, title: title, cells: []), at: index)
    case .move(let from, let to, let key):
      try check(from, key, "move")
      try require(
        sections.indices.contains(to), .bounds,
        "attempt to move a section to \(to), but there are only \(sections.count) sections after the update")
      sections.insert(sections.remove(at: from), at: to)
    case .update(let index, let newIndex, let key, let title):
      try check(index, key, "reload")
      try require(
        index == newIndex, .identity,
        "the update of a section has the old index \(index) and the new index \(newIndex), which must be equal")
      try require(
        !sections[index].title.unicodeScalars.elementsEqual(title.unicodeScalars), .needlessUpdate,
        "needless update of section \(index): its title is unchanged")
      sections[index].title = title
    }
  }

  private mutating func apply(alone change: RowChange<Row>) throws {
    switch change {
    case .delete(let row, let at, _):
      try check(at, row, "delete")
      sections[at.section].cells.remove(at: at.row)
    case .insert(let row, let at, _):
      try checkTarget(at, "insert row \(at.row) into")
      sections[at.section].cells.insert(Cell(row), at: at.row)
    case .move(let row, let from, let to, _):
      try check(from, row, "move")
      var next = self
      let shown = next.sections[from.section].cells.remove(at: from.row)
      try next.checkTarget(to, "move a row to row \(to.row) of")
      next.sections[to.section].cells.insert(shown, at: to.row)
      self = next
    case .update(let row, let at, let newAt):
      try check(at, row, "reload")
      try require(
        at == newAt, .identity,
        "the update of a row has the old index path \(at) and the new index path \(newAt), which must be equal")
      try require(
        !sections[at.section].cells[at.row].row.isSame(as: row), .needlessUpdate,
        "needless update of the row at \(at): the row is unchanged")
      sections[at.section].cells[at.row].row = row
    }
  }

  private func check(_ index: Int, _ key: SectionKey, _ what: String) throws {
    try require(
      sections.indices.contains(index), .bounds,
      "attempt to \(what) section \(index), but there are only \(sections.count) sections before the update")
    try require(
      sections[index].key == key, .identity,
      "attempt to \(what) the section with key \(key) at index \(index), but the section there has key "
        + "\(sections[index].key)")
  }

  private func check(_ path: RowPath, _ row: Row, _ what: String) throws {
    guard let shown = Self.cell(at: path, of: sections) else {
      throw violation(.bounds, "attempt to \(what) row \(path), which doesn't exist before the update", nil)
    }
    try require(
      shown.id == OrderKey(row.id), .identity,
      "attempt to \(what) the row with id \(row.id) at \(path), but the row there has id \(shown.row.id)")
  }

  private func checkTarget(_ path: RowPath, _ what: String) throws {
    try require(
      sections.indices.contains(path.section), .bounds,
      "attempt to \(what) section \(path.section), but there are only \(sections.count) sections after the update")
    let count = sections[path.section].cells.count
    try require(
      (0...count).contains(path.row), .bounds,
      "attempt to \(what) section \(path.section), but there are only \(count + 1) rows in section "
        + "\(path.section) after the update")
  }

  private func require(_ holds: Bool, _ rule: MirrorRule, _ sentence: @autoclosure () -> String) throws {
    if !holds { throw violation(rule, sentence(), nil) }
  }
}
