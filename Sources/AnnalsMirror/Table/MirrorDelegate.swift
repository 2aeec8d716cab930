public import Annals
public import Foundation

/// A delegate that applies a controller's changes to a ``MirrorTable``, and records the changes that a table view would
/// refuse.
///
/// After `performFetch`, set a `MirrorDelegate` as the controller's delegate, and execute commands. Then check that
/// ``violations`` is empty and that ``table`` shows the controller's list.
///
///     let table = MirrorDelegate(controller.results)
///     controller.delegate = table
///     try store.execute(.put(shelf: 1, books: 3), on: Librarian["main"])
///     #expect(table.violations == [] && table.table.shows(controller.results))
public final class MirrorDelegate<Row: Annals.Row>: FetchedResultsControllerDelegate {
  /// The descriptions of the calls to the delegate, in order.
  public private(set) var calls: [String] = []
  /// The descriptions of all violations of a ``MirrorRule`` or of the delegate protocol, in order of occurrence.
  public private(set) var violations: [String] = []
  /// The table that the delegate updates.
  public private(set) var table: MirrorTable<Row>
  /// The snapshots that the controller delivered after its batches of changes.
  public private(set) var snapshots: [Results<Row>] = []
  /// The differences that the controller delivered after its batches of changes.
  public private(set) var differences: [CollectionDifference<Row.ID>] = []
  /// The aggregate changes that the controller delivered, one element per call.
  public private(set) var aggregateChanges: [AggregateChanges] = []
  /// A closure that is called at the end of every update cycle, before the table applies the cycle's changes.
  ///
  /// Use this closure to test code that runs during an update cycle, for example a command that a delegate executes.
  /// An update cycle consists of the calls from `controllerWillChangeContent` to `controllerDidChangeContent`.
  public var inBracket: (() -> Void)?

  private var isOpen = false
  private var sections: [SectionChange] = []
  private var rows: [RowChange<Row>] = []
  /// The controller's list when the update cycle began.
  private var before: Results<Row>?

  /// Creates a delegate whose table shows a list.
  ///
  /// - Parameters:
  ///   - results: The list that the table shows at the beginning.
  ///   - profile: The profile that determines the changes that the table refuses.
  public init(_ results: Results<Row>, profile: MirrorTable<Row>.Profile = .strict) {
    table = MirrorTable(results, profile: profile)
  }

  /// Begins an update cycle, and checks that the controller still has the list that the table shows.
  public func controllerWillChangeContent(_ controller: FetchedResultsController<Row>) {
    calls.append("will")
    note { try table.begin(showing: controller.results) }
    before = controller.results
    isOpen = true
  }

  /// Records a section change.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange section: ResultsSection<Row>,
    atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType, newSectionIndex: Int?
  ) {
    calls.append("section \(type) \(sectionIndex)" + (newSectionIndex.map { " → \($0)" } ?? ""))
    checkOrder(rank: type.rank)
    switch (type, newSectionIndex) {
    case (.delete, nil): sections.append(.delete(index: sectionIndex, key: section.key))
    case (.insert, nil): sections.append(.insert(index: sectionIndex, key: section.key, title: section.title))
    case (.move, .some(let to)): sections.append(.move(from: sectionIndex, to: to, key: section.key))
    case (.update, .some(let index)):
      sections.append(.update(index: sectionIndex, newIndex: index, key: section.key, title: section.title))
    default:
      violations.append(
        "a section change of type \(type) has \(newSectionIndex.map { "the new index \($0)" } ?? "no new index"). A "
          + "move or an update must have a new index. An insertion or a deletion must not have a new index")
    }
  }

  /// Records a row change.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Row, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    let (from, to) = (indexPath.flatMap { RowPath($0) }, newIndexPath.flatMap { RowPath($0) })
    calls.append("row \(type) \([from, to].compactMap { $0?.description }.joined(separator: " → "))")
    checkOrder(rank: 4 + type.rank)
    switch (type, from, to) {
    case (.delete, .some(let from), nil): rows.append(.delete(row: row, at: from, moved: false))
    case (.insert, nil, .some(let to)): rows.append(.insert(row: row, at: to, moved: false))
    case (.move, .some(let from), .some(let to)):
      rows.append(.move(row: row, from: from, to: to, contentChanged: false))
    case (.update, .some(let from), .some(let to)):
      if from != to {
        violations.append(
          "the update of a row has the old index path \(from) and the new index path \(to), which must be equal")
      }
      rows.append(.update(row: row, at: from, newAt: to))
    default:
      violations.append(
        "a row change of type \(type) has \(from.map { "the old index path \($0)" } ?? "no old index path") and "
          + "\(to.map { "the new index path \($0)" } ?? "no new index path"). An insertion must have only a new index "
          + "path. A deletion must have only an old index path. Any other change must have both")
    }
  }

  /// Ends an update cycle, and applies the cycle's changes to the table.
  public func controllerDidChangeContent(_ controller: FetchedResultsController<Row>) {
    inBracket?()
    calls.append("did")
    if sections.isEmpty && rows.isEmpty { violations.append("expected changes in an update cycle, found none") }
    note {
      for change in sections { try table.tell(change) }
      for change in rows { try table.tell(change) }
      try table.end(showing: controller.results)
      if table.profile == .strict, let before {
        try table.ensureFewestMoves(sections, rows, from: before, to: controller.results)
      }
    }
    (isOpen, sections, rows, before) = (false, [], [], nil)
  }

  /// Records the aggregate changes.
  public func controller(_ controller: FetchedResultsController<Row>, didChangeAggregates changes: AggregateChanges) {
    calls.append("aggregates" + changes.sections.map { " \($0.index) → \($0.newIndex)" }.joined())
    if isOpen {
      violations.append("aggregate changes were delivered inside an update cycle. Deliver them between cycles")
    }
    if changes.isEmpty { violations.append("aggregate changes were delivered, but no aggregate changed") }
    aggregateChanges.append(changes)
  }

  /// Records the snapshot, and checks that a strict table shows the same list as the snapshot.
  public func controller(_ controller: FetchedResultsController<Row>, didChangeContentWith snapshot: Results<Row>) {
    if isOpen { violations.append("a snapshot was delivered inside an update cycle. Deliver it after the cycle") }
    snapshots.append(snapshot)
    if table.profile == .strict { note { try table.ensureShows(snapshot) } }
  }

  private func note(_ body: () throws -> Void) {
    do { try body() } catch { violations.append("\(error)") }
  }

  /// Records the difference.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChangeContentWith difference: CollectionDifference<Row.ID>
  ) {
    differences.append(difference)
  }

  /// Checks the order of changes: sections before rows, and deletions before insertions before moves.
  ///
  /// An update cycle must not contain both structure and content changes.
  private func checkOrder(rank: Int) {
    if !isOpen { violations.append("a change was delivered outside of an update cycle. Begin an update cycle first") }
    let ranks =
      sections.map { change in
        switch change {
        case .delete: 0
        case .insert: 1
        case .move: 2
        case .update: 3
        }
      }
      + rows.map { change in
        switch change {
        case .delete: 4
        case .insert: 5
        case .move: 6
        case .update: 7
        }
      }
    if let last = ranks.max(), last > rank {
      violations.append(
        "the changes of an update cycle were delivered in the wrong order: section changes must be delivered before "
          + "row changes, deletions before insertions, and insertions before moves")
    }
    let isContent = { (rank: Int) in rank % 4 == 3 }
    if ranks.contains(where: { isContent($0) != isContent(rank) }) {
      violations.append(
        "an update cycle contains both updates and other changes; apply the updates in a separate cycle")
    }
  }
}

extension FetchedResultsChangeType {
  fileprivate var rank: Int {
    switch self {
    case .delete: 0
    case .insert: 1
    case .move: 2
    case .update: 3
    }
  }
}
