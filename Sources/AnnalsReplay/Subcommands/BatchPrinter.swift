import Annals

/// Goes through a list's positions, and prints a batch where something changed.
struct BatchPrinter {
  private let session: Session
  private let reader: any ListReader
  private let commands: CommandNames
  private let store: any EventStore
  /// What lets through an event of each batch that is printed; nil if each batch is.
  private(set) var filter: EventFilter?
  /// How many batches were printed.
  private(set) var count = 0
  /// What the batches that were printed change, all together, if they are counted.
  private(set) var counts = BatchCounts()
  /// The position that the receiver of the batches has.
  private var printed: Position = 0
  /// True until the receiver has the only section of a list without sections.
  private var lacksSection: Bool

  init(_ session: Session, _ reader: any ListReader, _ log: LogExtent, _ choice: EventChoice) throws {
    self.session = session
    self.reader = reader
    (commands, store) = (CommandNames(log.store), log.store)
    filter = try choice.isEmpty ? nil : EventFilter(choice, session, log)
    lacksSection = !reader.isSectioned
  }

  /// Prints the batch from the last position to this one, if it changes anything.
  ///
  /// - Parameters:
  ///   - position: The position.
  ///   - events: The events since the last position, if you have them; otherwise none.
  ///   - isCaused: False for the list that the receiver begins with, which no single event made.
  /// - Throws: What reading and printing throw.
  mutating func go(to position: Position, by events: [StoredEvent] = [], isCaused: Bool = true) throws {
    // The list at the beginning may be far from the log's.
    var batch =
      try isCaused
      ? reader.go(to: position) : session.saying(through: position.rawValue) { try reader.go(to: position) }
    if batch.isEmpty { return }
    if try !passes(after: batch.from, through: position, events) {
      // What is not printed leads to the next batch all the same.
      printed = position
      return
    }
    if isCaused { batch = try commands.naming(reader.attribute(batch, to: events)) }
    let list = reader.list
    try session.printBatch(
      batch, from: printed, inserting: lacksSection && list.sectionCount > 0 ? list.section(0) : nil,
      reader.supposition?.output(after: printed, through: position))
    lacksSection = false
    printed = position
    count += 1
    if session.countsOnly { counts += BatchCounts(batch) }
  }

  /// Tells whether the filter lets an event between two positions through; without one it does.
  private mutating func passes(after from: Position, through to: Position, _ events: [StoredEvent]) throws -> Bool {
    guard var filter else { return true }
    defer { self.filter = filter }
    if !events.isEmpty { return try events.contains { try filter.passes($0, commands) } }
    struct Found: Error {}
    do {
      try store.forEachEvent(after: from, through: to) { if try filter.passes($0, commands) { throw Found() } }
    } catch is Found { return true }
    return false
  }

  /// Begins at a position, and prints the list there if JSON needs it or `--with-list` is given.
  mutating func begin(at position: Position) throws {
    if session.format == .json || session.arguments.has("--with-list"), filter == nil {
      return try go(to: position, isCaused: false)
    }
    try session.saying(through: position.rawValue) { try reader.move(to: position) }
    (lacksSection, printed) = (false, position)
  }
}

extension Session {
  /// Prints a batch.
  ///
  /// - Parameters:
  ///   - batch: What changed.
  ///   - from: The position that the receiver has.
  ///   - section: A section that the receiver does not have yet.
  ///   - supposed: The supposition under which it changed.
  ///   - heading: The first line as text, or nil for the positions and the events.
  /// - Throws: What printing throws.
  func printBatch(
    _ batch: ListBatch, from: Position, inserting section: ShownSection?, _ supposed: Supposed? = nil,
    heading: String? = nil
  ) throws {
    if isData {
      var output = BatchOutput(batch, from: from, inserting: section, isCounted: countsOnly)
      output.supposed = supposed
      return try print(output, as: countsOnly ? BatchOutput.form.whole : BatchOutput.form)
    }
    let lines = textLines.batch(batch, from: from, counted: countsOnly)
    for line in [heading ?? lines[0]] + lines.dropFirst() { try print(line) }
  }
}
