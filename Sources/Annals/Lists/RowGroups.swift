/// Rows by their sections, unowned and not sorted yet.
struct RowGroups: Sendable {
  /// The sections in the order in which their first rows came, after those that are fixed.
  private(set) var ids: [SectionID] = []
  /// Of each section its rows, in pieces in their order.
  private var pieces: [[[RowSort.Place]]] = []

  /// Makes the groups of rows that are given in parts.
  ///
  /// - Parameters:
  ///   - parts: Rows with their keys, which must be owned elsewhere.
  ///   - pinned: Sections that are there also without rows.
  ///   - parallelFrom: So many rows are worked on by several cores at once.
  init(_ parts: [[RowEntry]], pinned: [SectionID], parallelFrom: Int) {
    let found = Parallel.map(parts.count, threshold: parallelFrom, rows: { parts[$0].count }) { Part(parts[$0]) }
    var indices: [OrderKey: Int] = [:]
    func index(of id: SectionID) -> Int {
      if let known = indices[id.key] { return known }
      indices[id.key] = ids.count
      ids.append(id)
      pieces.append([])
      return ids.count - 1
    }
    for id in pinned { _ = index(of: id) }
    for part in found {
      for (id, places) in zip(part.ids, part.places) { pieces[index(of: id)].append(places) }
    }
  }

  /// How many rows a section has.
  func count(of index: Int) -> Int { pieces[index].reduce(0) { $0 + $1.count } }

  /// The rows of a section.
  func places(of index: Int) -> [RowSort.Place] {
    pieces[index].count == 1 ? pieces[index][0] : Array(pieces[index].joined())
  }

  /// The groups of some of the rows.
  private struct Part {
    var ids: [SectionID] = []
    var places: [[RowSort.Place]] = []

    init(_ rows: [RowEntry]) {
      var indices: [OrderKey: Int] = [:]
      var last: (id: SectionID, index: Int)?
      for entry in rows {
        let index: Int
        if let last, last.id === entry.section {
          index = last.index
        } else if let known = indices[entry.section.key] {
          index = known
        } else {
          index = ids.count
          indices[entry.section.key] = index
          ids.append(entry.section)
          places.append([])
        }
        last = (entry.section, index)
        places[index].append(RowSort.Place(head: ByRow.head(entry), row: .passUnretained(entry)))
      }
    }
  }
}
