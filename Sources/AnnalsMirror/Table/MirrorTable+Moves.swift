public import Annals

extension MirrorTable {
  /// Verifies that no unnecessary moves occur, and that rows with unchanged section and sort keys don't move.
  ///
  /// The check uses only the arguments, not the table's rows, so you can check the changes between any two lists.
  ///
  /// - Parameters:
  ///   - sectionChanges: The changes of sections.
  ///   - rowChanges: The changes of rows. A row moves if the changes contain a move of the row. A row also moves if the
  ///     changes contain a deletion and an insertion of the row, both with the associated value `moved: true`.
  ///   - old: The list before the changes.
  ///   - new: The list after the changes.
  /// - Throws: A ``Violation`` of ``MirrorRule/needlessMove``.
  public func ensureFewestMoves(
    _ sectionChanges: [SectionChange], _ rowChanges: [RowChange<Row>], from old: Results<Row>, to new: Results<Row>
  ) throws {
    let moved = Self.moved(rowChanges)
    guard !moved.isEmpty else { return }
    let destinations = Self.destinations(sectionChanges, old, new)
    // The IDs of the rows that moved inside a section, by the section's old index.
    var inside: [Int: [OrderKey: RowPath]] = [:]
    for (from, to, row) in moved where destinations[from.section] == to.section {
      inside[from.section, default: [:]][OrderKey(row.id)] = from
    }
    for (section, moves) in inside.sorted(by: { $0.key < $1.key }) {
      // The loop above recorded only sections with a destination.
      let destination = destinations[section]!
      let (least, fixed) = Self.fewestMoves(of: section, in: old, to: new.sections[destination], new)
      if let path = moves.filter({ fixed.contains($0.key) }).values.min() {
        throw violation(
          .needlessMove, "the row at \(path) moves, although its section and sort keys are unchanged",
          Self.sections(of: new))
      }
      if moves.count > least {
        throw violation(
          .needlessMove, "\(moves.count) rows move inside section \(section), although moving \(least) would be enough",
          Self.sections(of: new))
      }
    }
  }

  /// Returns the rows that moved, by a move or by a pair of a deletion and an insertion.
  private static func moved(_ changes: [RowChange<Row>]) -> [(from: RowPath, to: RowPath, row: Row)] {
    var moved: [(from: RowPath, to: RowPath, row: Row)] = []
    var sources: [OrderKey: RowPath] = [:]
    for change in changes {
      if case .delete(let row, let at, moved: true) = change { sources[OrderKey(row.id)] = at }
    }
    for change in changes {
      switch change {
      case .move(let row, let from, let to, _): moved.append((from, to, row))
      case .insert(let row, let at, moved: true):
        if let from = sources[OrderKey(row.id)] { moved.append((from, at, row)) }
      default: break
      }
    }
    return moved
  }

  /// Returns the new indices of all remaining sections, by their old indices.
  private static func destinations(
    _ changes: [SectionChange], _ old: Results<Row>, _ new: Results<Row>
  ) -> [Int: Int] {
    let gone = changes.compactMap { if case .delete(let index, _) = $0 { index } else { nil } }
    var destinations: [Int: Int] = [:]
    for (index, section) in old.sections.enumerated() where !gone.contains(index) {
      destinations[index] = new.sectionIndex(forKey: section.key)
    }
    return destinations
  }

  /// Returns how many of the rows that stay in a section must move, and which rows must not.
  ///
  /// All rows outside a longest increasing subsequence (a run) must move. The run preserves the order and contains all
  /// rows with unchanged keys.
  private static func fewestMoves(
    of section: Int, in old: Results<Row>, to destination: ResultsSection<Row>, _ new: Results<Row>
  ) -> (least: Int, fixed: Set<OrderKey>) {
    var fixed: Set<OrderKey> = []
    var (count, kept, floor) = (0, 0, -1)
    var run: [Int] = []
    func close(at ceiling: Int) {
      kept += longestRun(run.filter { $0 > floor && $0 < ceiling })
      run = []
      floor = ceiling
    }
    for row in destination {
      guard let path = old.path(forID: row.id), path.section == section else { continue }
      count += 1
      // If a comparator is inconsistent, rows with equal keys can swap places.
      if old.hasSameKeys(row.id, in: new), path.row > floor {
        close(at: path.row)
        kept += 1
        fixed.insert(OrderKey(row.id))
      } else {
        run.append(path.row)
      }
    }
    close(at: .max)
    return (count - kept, fixed)
  }

  /// Returns the length of a longest increasing subsequence, using the smallest end for every length (Fredman 1975).
  private static func longestRun(_ numbers: [Int]) -> Int {
    var ends: [Int] = []
    for number in numbers {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if ends[middle] < number { low = middle + 1 } else { high = middle }
      }
      if low == ends.count { ends.append(number) } else { ends[low] = number }
    }
    return ends.count
  }
}
