/// Rows by their sections, unowned and not sorted yet.
struct RowGroups: Sendable {
  private var sections = Sections()
  /// Of each section its rows, in pieces in their order.
  private var pieces: [[[RowSort.Place]]] = []

  /// The sections in the order in which their first rows came, after those that are fixed.
  var ids: [SectionID] { sections.ids }

  /// Makes the groups of rows that are given in parts.
  ///
  /// - Parameters:
  ///   - parts: Rows with their keys, which must be owned elsewhere.
  ///   - pinned: Sections that are there also without rows.
  ///   - parallelFrom: So many rows are worked on by several cores at once.
  init(_ parts: [[RowEntry]], pinned: [SectionID], parallelFrom: Int) {
    let found = Parallel.map(parts.count, threshold: parallelFrom, rows: { parts[$0].count }) { Part(parts[$0]) }
    for id in pinned { add([], to: id) }
    for part in found {
      for (id, places) in zip(part.sections.ids, part.places) { add([places], to: id) }
    }
  }

  private mutating func add(_ more: [[RowSort.Place]], to id: SectionID) {
    let index = sections.index(of: id)
    if index == pieces.count { pieces.append([]) }
    pieces[index] += more
  }

  /// How many rows a section has.
  func count(of index: Int) -> Int { pieces[index].reduce(0) { $0 + $1.count } }

  /// The rows of a section.
  func places(of index: Int) -> [RowSort.Place] {
    pieces[index].count == 1 ? pieces[index][0] : Array(pieces[index].joined())
  }

  /// The groups of some of the rows.
  private struct Part {
    var sections = Sections()
    var places: [[RowSort.Place]] = []

    init(_ rows: [RowEntry]) {
      for entry in rows {
        let index = sections.index(of: entry.section)
        if index == places.count { places.append([]) }
        places[index].append(RowSort.Place(head: ByRow.head(entry), row: .passUnretained(entry)))
      }
    }
  }

  /// Sections, numbered as they come.
  private struct Sections: Sendable {
    private(set) var ids: [SectionID] = []
    private var indices: [OrderKey: Int] = [:]
    /// The one that was asked for last, which is mostly asked for again.
    private var last: (id: SectionID, index: Int)?

    /// The number of a section, the next one if it is new.
    mutating func index(of id: SectionID) -> Int {
      if let last, last.id === id { return last.index }
      let index = indices[id.key] ?? ids.count
      if index == ids.count {
        indices[id.key] = index
        ids.append(id)
      }
      last = (id, index)
      return index
    }
  }
}
