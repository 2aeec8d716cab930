import Annals

/// Folds events.
///
/// When you ask, prints what changed since you last asked.
struct BatchPrinter {
  private let session: Session
  private var view: RecordView
  private var rows = Rows<Record>()
  private var list: Results<Record>
  private var isTouched = false
  /// The position that the receiver of the batches has.
  private var printed: Position = 0
  /// True until the receiver has the only section of a list without sections.
  private var lacksSection: Bool
  /// The table view that checks the batches, if you asked for that.
  private(set) var check: BatchCheck<Record>?

  init(_ session: Session, _ view: RecordView) {
    (self.session, self.view) = (session, view)
    list = view.list(&rows, at: 0)
    lacksSection = view.request.section == nil
  }

  /// Begins to check the batches with a table view.
  mutating func checks() { check = BatchCheck(list) }

  mutating func fold(_ event: StoredEvent) throws {
    isTouched = try view.fold(event, into: &rows) || isTouched
  }

  /// Shows the first collection that comes, if the log had none.
  mutating func adoptCollection(of event: StoredEvent) throws {
    try view.adoptCollection(of: event)
  }

  /// Prints the batch from the last position to this one, if it changes anything.
  mutating func emit(at position: Position) throws {
    guard isTouched else { return }
    isTouched = false
    let next = view.list(&rows, at: position, knowing: list)
    let changes = Changes(from: list, to: next)
    list = next
    if changes.isEmpty { return }
    try session.printBatch(changes, from: printed, inserting: lacksSection ? next.sections.first : nil)
    lacksSection = false
    printed = position
    try check?.take(changes)
  }
}

extension Session {
  func printBatch(_ changes: Changes<Record>, from: Position, inserting section: ResultsSection<Record>?) throws {
    if isJSON { return try printJSON(JSONLines.batch(changes, from: from, inserting: section)) }
    for line in TextLines(console).batch(changes, from: from) { try print(line) }
  }
}
