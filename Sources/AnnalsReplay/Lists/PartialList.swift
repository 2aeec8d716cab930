import Annals

/// Some rows of a list, as indices of sections and of rows of the whole list.
protocol PartialList: ShownList {
  /// The indices of rows, in order.
  associatedtype Rows: RandomAccessCollection<Int>, Sendable

  /// The whole list.
  var base: any ShownList { get }
  /// The sections that have rows in the part.
  var sections: [(index: Int, rows: Rows)] { get }
}

extension PartialList {
  var position: Position { base.position }
  var rowCount: Int { sections.reduce(0) { $0 + $1.rows.count } }
  var total: Int { base.total }
  var sectionCount: Int { sections.count }

  func section(_ index: Int) -> ShownSection {
    let whole = base.section(sections[index].index)
    return ShownSection(
      key: whole.key, title: whole.title, indexTitle: whole.indexTitle, count: sections[index].rows.count,
      total: whole.total)
  }

  func record(at path: RowPath) -> Record { base.record(at: whole(path)) }

  func line(at path: RowPath) -> String? { base.line(at: whole(path)) }

  func path(of id: String) -> RowPath? {
    guard let path = base.path(of: id), let index = sections.firstIndex(where: { $0.index == path.section }) else {
      return nil
    }
    let rows = sections[index].rows
    return rows.firstIndex(of: path.row).map {
      RowPath(section: index, row: rows.distance(from: rows.startIndex, to: $0))
    }
  }

  /// The path in the whole list.
  private func whole(_ path: RowPath) -> RowPath {
    let (index, rows) = sections[path.section]
    return RowPath(section: index, row: rows[rows.index(rows.startIndex, offsetBy: path.row)])
  }
}
