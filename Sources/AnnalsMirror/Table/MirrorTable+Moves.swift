public import Annals

extension MirrorTable {
  /// Demands that no row left its order that need not, and none whose keys are what they were.
  ///
  /// It asks nothing of the table itself: any difference of two lists can be judged.
  ///
  /// - Parameters:
  ///   - sectionChanges: What is told of sections.
  ///   - rowChanges: What is told of rows; moves, and pairs that are marked as moved.
  ///   - old: The list before.
  ///   - new: The list after.
  /// - Throws: A ``Violation`` of ``MirrorRule/needlessMove``.
  public func ensureFewestMoves(
    _ sectionChanges: [SectionChange], _ rowChanges: [RowChange<Row>], from old: Results<Row>, to new: Results<Row>
  ) throws {
    let moved = Self.moved(rowChanges)
    guard !moved.isEmpty else { return }
    let destinations = Self.destinations(sectionChanges, old, new)
    // By old section: the ids that left their order inside it.
    var inside: [Int: [OrderKey: RowPath]] = [:]
    for (from, to, row) in moved where destinations[from.section] == to.section {
      inside[from.section, default: [:]][OrderKey(row.id)] = from
    }
    for (section, told) in inside.sorted(by: { $0.key < $1.key }) {
      // Only sections with a destination were noted above.
      let destination = destinations[section]!
      let (least, fixed) = Self.fewestMoves(of: section, in: old, to: new.sections[destination], new)
      if let path = told.filter({ fixed.contains($0.key) }).values.min() {
        throw violation(
          .needlessMove, "the row at \(path) moves, and its section and sort keys are what they were",
          Self.sections(of: new))
      }
      if told.count > least {
        throw violation(
          .needlessMove, "\(told.count) rows move inside section \(section), and \(least) would do",
          Self.sections(of: new))
      }
    }
  }

  /// What left its place: moves, and pairs.
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

  /// The new index of each section that is not deleted, by its old one.
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

  /// How many of the rows that stay in a section must leave their order, and which must not.
  ///
  /// Those that must are outside of a longest run that keeps the order and holds every row whose keys are what they were.
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
      // Where a comparator contradicts itself, rows of equal keys may change places.
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

  /// The length of a longest increasing run: by the smallest end of each length (Fredman 1975).
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
