import Annals

/// Folds events and prints, where it is asked to, what changed since it was asked last.
struct BatchPrinter {
  private let session: Session
  private var view: RecordView
  private var rows = Rows<Record>()
  private var list: Results<Record>
  private var isTouched = false
  /// The position that the receiver of the batches is at.
  private var told: Position = 0
  /// True until the receiver has the one section of a list that is not cut.
  private var lacksSection: Bool
  /// The table view that is told the batches too, if they are to be checked.
  private(set) var check: BatchCheck<Record>?

  init(_ session: Session, _ view: RecordView) {
    (self.session, self.view) = (session, view)
    list = view.list(&rows, at: 0)
    lacksSection = view.request.section == nil
  }

  /// Begins to tell a table view the batches too.
  mutating func checks() { check = BatchCheck(list) }

  mutating func fold(_ event: StoredEvent) throws {
    isTouched = try view.fold(event, into: &rows) || isTouched
  }

  /// Takes the first collection that comes for the one to show, if the log had none.
  mutating func adoptCollection(of event: StoredEvent) throws {
    try view.adoptCollection(of: event)
  }

  /// Prints the batch from the last one to a position, if it changes something.
  mutating func emit(at position: Position) throws {
    guard isTouched else { return }
    isTouched = false
    let next = view.list(&rows, at: position, knowing: list)
    let changes = Changes(from: list, to: next)
    list = next
    if changes.isEmpty { return }
    try session.printBatch(changes, from: told, inserting: lacksSection ? next.sections.first : nil)
    lacksSection = false
    told = position
    try check?.take(changes)
  }
}

extension Session {
  func printBatch(_ changes: Changes<Record>, from: Position, inserting section: ResultsSection<Record>?) throws {
    if isJSON { return try printJSON(JSONLines.batch(changes, from: from, inserting: section)) }
    for line in TextLines(console).batch(changes, from: from) { try print(line) }
  }
}
