import Annals

/// The lines of a list on the screen: rows, and the headings of sections as their rows -1.
///
/// Only the lines in sight are read.
struct ListLines {
  let list: any ShownList
  let isSectioned: Bool

  private var firstRow: Int { isSectioned ? -1 : 0 }

  /// The last line, nil in an empty list.
  var last: RowPath? { last(before: list.sectionCount) }

  private func last(before section: Int) -> RowPath? {
    for index in (0..<section).reversed() {
      let count = list.section(index).count
      if count > 0 || isSectioned { return RowPath(section: index, row: count - 1) }
    }
    return nil
  }

  /// The line at a place, or the nearest one.
  func clamped(_ place: RowPath) -> RowPath {
    guard let last else { return RowPath(section: 0, row: firstRow) }
    if place >= last { return last }
    let rows = firstRow...max(firstRow, list.section(max(0, place.section)).count - 1)
    return RowPath(section: max(0, place.section), row: min(max(rows.lowerBound, place.row), rows.upperBound))
  }

  private func after(_ place: RowPath) -> RowPath? {
    if place.row + 1 < list.section(place.section).count { return RowPath(section: place.section, row: place.row + 1) }
    let section = (place.section + 1..<max(place.section + 1, list.sectionCount)).first {
      isSectioned || list.section($0).count > 0
    }
    return section.map { RowPath(section: $0, row: firstRow) }
  }

  private func before(_ place: RowPath) -> RowPath? {
    place.row > firstRow ? RowPath(section: place.section, row: place.row - 1) : last(before: place.section)
  }

  /// The line some lines further down or up, as far as there are lines.
  func place(_ place: RowPath, movedBy count: Int) -> RowPath {
    var place = clamped(place)
    if list.sectionCount == 0 { return place }
    for _ in 0..<abs(count) {
      guard let next = count < 0 ? before(place) : after(place) else { break }
      place = next
    }
    return place
  }

  /// The row some rows further down or up, as far as there are rows, nil in an empty list.
  func row(_ path: RowPath, movedBy count: Int) -> RowPath? {
    guard var path = list.nearest(path) else { return nil }
    for _ in 0..<abs(count) {
      guard let next = list.path(after: path, forwards: count > 0), count > 0 ? next > path : next < path else { break }
      path = next
    }
    return path
  }

  /// The lines from a place on, as many as fit.
  func lines(from top: RowPath, _ height: Int) -> [RowPath] {
    guard height > 0, last != nil else { return [] }
    var lines = [clamped(top)]
    while lines.count < height, let next = after(lines[lines.count - 1]) { lines.append(next) }
    return lines
  }
}

extension ShownList {
  /// The first rows.
  func firstRecords(_ count: Int) -> [Record] {
    ListLines(list: self, isSectioned: false).lines(from: RowPath(section: 0, row: 0), count).map(record)
  }

  /// The row at a path, or the nearest one, or nil in an empty list.
  func nearest(_ path: RowPath) -> RowPath? {
    guard rowCount > 0 else { return nil }
    let section = min(max(0, path.section), sectionCount - 1)
    if self.section(section).count == 0 { return self.path(after: RowPath(section: section, row: -1), forwards: true) }
    return RowPath(section: section, row: min(max(0, path.row), self.section(section).count - 1))
  }

  /// The row after or before a path, around the list's end, or nil in an empty list.
  func path(after path: RowPath, forwards: Bool) -> RowPath? {
    guard rowCount > 0 else { return nil }
    var (section, row) = (path.section, path.row + (forwards ? 1 : -1))
    while section < 0 || section >= sectionCount || row < 0 || row >= self.section(section).count {
      section = (min(section, sectionCount) + (forwards ? 1 : sectionCount - 1)) % sectionCount
      row = forwards ? 0 : self.section(section).count - 1
    }
    return RowPath(section: section, row: row)
  }
}
