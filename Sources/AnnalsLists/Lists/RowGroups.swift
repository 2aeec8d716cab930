/// Unsorted and unowned rows, grouped by their sections.
struct RowGroups: Sendable {
  private var sections = Sections()
  /// The rows of every section, as a list of pieces in order.
  private var pieces: [[[RowSort.Place]]] = []

  /// The pinned sections, followed by the sections in the order of their first rows.
  var ids: [SectionID] { sections.ids }

  /// Groups rows that are given in parts.
  ///
  /// - Parameters:
  ///   - parts: Rows with their keys, owned elsewhere.
  ///   - pinned: Sections that exist even without rows.
  ///   - parallelFrom: The minimum number of rows to process on several cores in parallel.
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

  /// Returns the number of rows in a section.
  func count(of index: Int) -> Int { pieces[index].reduce(0) { $0 + $1.count } }

  /// Returns the rows of a section.
  func places(of index: Int) -> [RowSort.Place] {
    pieces[index].count == 1 ? pieces[index][0] : Array(pieces[index].joined())
  }

  /// The groups for one part of the rows.
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

  /// Sections, numbered in order of appearance.
  private struct Sections: Sendable {
    private(set) var ids: [SectionID] = []
    private var indices: [OrderKey: Int] = [:]
    /// The most recently used section, cached because the next row usually has the same section.
    private var last: (id: SectionID, index: Int)?

    /// Returns the number of a section, or the next number if it is new.
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
