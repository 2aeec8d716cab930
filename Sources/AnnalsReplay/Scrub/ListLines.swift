import Annals

/// A line of the list on the screen: a row, or a section's heading, which is its row -1.
struct ListPlace: Hashable, Comparable, Sendable {
  var section: Int
  var row: Int

  static func < (left: ListPlace, right: ListPlace) -> Bool {
    (left.section, left.row) < (right.section, right.row)
  }
}

/// The lines of a list; only those in sight are ever looked at.
struct ListLines {
  let list: any ShownList
  let isSectioned: Bool

  private var firstRow: Int { isSectioned ? -1 : 0 }

  /// The last line; nil in an empty list.
  var last: ListPlace? {
    var section = list.sectionCount - 1
    while section >= 0 {
      let count = list.section(section).count
      if count > 0 || isSectioned { return ListPlace(section: section, row: count - 1) }
      section -= 1
    }
    return nil
  }

  /// A place that the list has.
  func clamped(_ place: ListPlace) -> ListPlace {
    guard let last else { return ListPlace(section: 0, row: firstRow) }
    if place >= last { return last }
    let section = max(0, place.section)
    return ListPlace(
      section: section, row: min(max(firstRow, place.row), max(firstRow, list.section(section).count - 1)))
  }

  /// The line after another; nil after the last.
  func after(_ place: ListPlace) -> ListPlace? {
    if place.row + 1 < list.section(place.section).count {
      return ListPlace(section: place.section, row: place.row + 1)
    }
    var section = place.section + 1
    while section < list.sectionCount {
      if isSectioned || list.section(section).count > 0 { return ListPlace(section: section, row: firstRow) }
      section += 1
    }
    return nil
  }

  private func before(_ place: ListPlace) -> ListPlace? {
    if place.row > firstRow { return ListPlace(section: place.section, row: place.row - 1) }
    var section = place.section - 1
    while section >= 0 {
      let count = list.section(section).count
      if isSectioned || count > 0 { return ListPlace(section: section, row: count - 1) }
      section -= 1
    }
    return nil
  }

  /// The line some lines further down or up, as far as there are lines.
  func place(_ place: ListPlace, movedBy count: Int) -> ListPlace {
    var place = clamped(place)
    if list.sectionCount == 0 { return place }
    for _ in 0..<abs(count) {
      guard let next = count < 0 ? before(place) : after(place) else { break }
      place = next
    }
    return place
  }

  /// The row at a path, or the nearest one that there is; nil in an empty list.
  func nearest(_ path: RowPath) -> RowPath? {
    guard list.rowCount > 0, list.sectionCount > 0 else { return nil }
    var section = min(max(0, path.section), list.sectionCount - 1)
    if list.section(section).count == 0 {
      guard let next = list.path(after: RowPath(section: section, row: -1), forwards: true) else { return nil }
      section = next.section
    }
    return RowPath(section: section, row: min(max(0, path.row), list.section(section).count - 1))
  }

  /// The row some rows further down or up, as far as there are rows.
  func row(_ path: RowPath, movedBy count: Int) -> RowPath? {
    guard var path = nearest(path) else { return nil }
    for _ in 0..<abs(count) {
      guard let next = list.path(after: path, forwards: count > 0) else { break }
      // Not around the end.
      if count > 0 ? next <= path : next >= path { break }
      path = next
    }
    return path
  }

  /// The lines from a place on, as many as fit.
  func lines(from top: ListPlace, _ height: Int) -> [ListPlace] {
    guard height > 0, last != nil else { return [] }
    var lines = [clamped(top)]
    while lines.count < height, let next = after(lines[lines.count - 1]) { lines.append(next) }
    return lines
  }
}
