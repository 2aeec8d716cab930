import AnnalsLog

/// An object that folds a store's events into rows.
///
/// Only its subclass depends on the event type.
class EventFolding<Row: Annals.Row> {
  /// Returns a copy for another thread, with its own cache of event types.
  func copy() -> EventFolding { preconditionFailure("a subclass must override this method") }

  /// Checks that the event type can be stored, and that no other type in use has the same prefix.
  ///
  /// - Parameters:
  ///   - log: The log with the events.
  ///   - isStored: True if rows of stored events exist, so that only the prefix is checked.
  /// - Throws: ``EventCodingError``.
  func checkEventType(for log: any EventLog, isStored: Bool) throws {
    preconditionFailure("a subclass must override this method")
  }

  /// Starts a fold of the events in a range of positions.
  func run(in source: EventSource, after: Position, through: Position) throws -> EventRun<Row> {
    preconditionFailure("a subclass must override this method")
  }
}

/// A range of events that is folded into rows, in one pass or in parts.
class EventRun<Row: Annals.Row> {
  /// Callbacks during folding.
  struct Watch {
    /// A closure that is called after every event, or `nil`.
    ///
    /// The property `touched` of the rows contains the ids of the rows that the event set.
    var note: ((_ position: Position, _ rows: borrowing Rows<Row>) -> Void)?
    /// A closure that is called between transactions, or `nil`.
    ///
    /// If it returns false, the current part of the run ends.
    var mayContinue: ((_ reached: Position) throws -> Bool)?
  }

  /// The position before the run, and its last position.
  let (after, through): (Position, Position)
  /// The end of the last transaction that is completely folded into the rows.
  fileprivate(set) var wholeEnd: Position

  init(after: Position, through: Position) {
    self.after = after
    self.through = through
    wholeEnd = after
  }

  /// Folds the next part of the run into the rows that the previous parts have changed.
  ///
  /// - Returns: False if `mayContinue` returned false. In this case, the rows contain whole transactions up to
  ///   `wholeEnd`.
  /// - Throws: `ProjectionError`, `EventStoreError`, and errors of the watch.
  func fold(into rows: inout Rows<Row>, _ watch: Watch) throws -> Bool {
    preconditionFailure("a subclass must override this method")
  }

  /// Discards events that were read ahead, and waits until no thread uses the log.
  func stop() {}
}

/// The folding of a projection's events.
final class ProjectionFolding<P: Projection>: EventFolding<P.Row> {
  private let projection: P
  private var known: CoderSlot<P.Event>?
  private var isNamed = false
  #if DEBUG
    /// The store that receives reports about the projection.
    private var store: (any EventStore)?
  #endif

  init(_ projection: P) { self.projection = projection }

  private func place() throws -> CoderSlot<P.Event> {
    if let known { return known }
    let place = try CoderSlot<P.Event>()
    known = place
    return place
  }

  override func copy() -> EventFolding<P.Row> {
    let copy = ProjectionFolding(projection)
    #if DEBUG
      copy.store = store
    #endif
    return copy
  }

  override func checkEventType(for log: any EventLog, isStored: Bool) throws {
    if known != nil || isStored && isNamed { return }
    #if DEBUG
      store = log as? any EventStore
    #endif
    if !isNamed { try (log as? any EventStore)?.runtime.names.use(P.Event.self) }
    isNamed = true
    // To make the coder took a fifteenth of a program's start with a saved list, which has no events to fold.
    if !isStored { _ = try place() }
  }

  override func run(in source: EventSource, after: Position, through: Position) throws -> EventRun<P.Row> {
    let run = ProjectionRun(projection, try place(), source, after: after, through: through)
    #if DEBUG
      run.store = store
    #endif
    return run
  }
}

/// An object that contains a coder.
///
/// The runs of a folding share the object, so that a delivery doesn't copy the coder's dozen references.
private final class CoderSlot<E: Event> {
  var coder: EventCoder<E>

  init() throws { coder = try EventCoder() }
}

/// A range of a projection's events.
private final class ProjectionRun<P: Projection>: EventRun<P.Row> {
  private let projection: P
  private let place: CoderSlot<P.Event>
  private let source: EventSource
  private let batches: DecodedBatches<P.Event>
  /// The current batch.
  private var batch: DecodedBatch<P.Event>?
  private var next = 0
  private var transaction: Int?
  /// The first event of the transaction that is being folded.
  private var begun: (position: Int, transaction: Int)?
  private var last: Position
  #if DEBUG
    /// The store that receives reports about the projection.
    var store: (any EventStore)?
  #endif

  init(
    _ projection: P, _ place: CoderSlot<P.Event>, _ source: EventSource, after: Position, through: Position
  ) {
    self.projection = projection
    self.place = place
    self.source = source
    last = after
    batches = DecodedBatches(
      source, of: place.coder.facts.types, after: after, through: through,
      ReadingPolicy(unknown: P.unknownEvents, newer: P.newerEvents))
    super.init(after: after, through: through)
  }

  override func stop() { batches.stop() }

  override func fold(into rows: inout Rows<P.Row>, _ watch: Watch) throws -> Bool {
    defer { rows.entries.touched = nil }
    do {
      let isDone = try foldAll(into: &rows, watch)
      if !isDone { try? reachEnd() }
      return isDone
    } catch {
      // If this read fails, `wholeEnd` stays at an event of the projection.
      try? reachEnd()
      throw error
    }
  }

  /// Moves `wholeEnd` past events of other types, which may not have been read.
  private func reachEnd() throws {
    guard let begun, begun.position > wholeEnd.rawValue + 1 else { return }
    wholeEnd = Position(
      try source.end(before: begun.position, of: begun.transaction, after: wholeEnd.rawValue))
  }

  private func foldAll(into rows: inout Rows<P.Row>, _ watch: Watch) throws -> Bool {
    while true {
      if batch == nil {
        (batch, next) = (try batches.next(with: &place.coder), 0)
      }
      guard let batch else {
        wholeEnd = through
        return true
      }
      if try !fold(batch, into: &rows, watch) { return false }
      self.batch = nil
    }
  }

  /// Folds the rest of a batch, and returns false if the watch's `mayContinue` returned false.
  private func fold(_ batch: DecodedBatch<P.Event>, into rows: inout Rows<P.Row>, _ watch: Watch) throws -> Bool {
    let count = batch.count
    var event = next == 0 ? 0 : batch.ends[next - 1]
    for index in next..<count {
      let (position, inTransaction) = batch.numbers(at: index)
      if transaction != inTransaction {
        begun = (position, inTransaction)
      }
      if let transaction, transaction != inTransaction {
        wholeEnd = last
        // The state is saved here too, in case the callback throws or the fold is resumed.
        self.transaction = inTransaction
        next = index
        if let mayContinue = watch.mayContinue, try !mayContinue(last) { return false }
      }
      transaction = inTransaction
      if index == batch.ends.count, let failure = batch.failure {
        throw ProjectionError(reading: batch.stored(index), in: "\(P.self)", because: failure)
      }
      if watch.note != nil { rows.entries.touched = [] }
      rows.entries.event = Position(position)
      let end = batch.ends[index]
      while event < end {
        do {
          #if DEBUG
            rows.entries.slip = nil
          #endif
          try projection.project(batch.recorded(event, of: index), into: &rows)
          #if DEBUG
            if let slip = rows.entries.slip { report(slip, batch.recorded(event, of: index), batch.stored(index)) }
          #endif
        } catch {
          throw ProjectionError(.refused, at: batch.stored(index), in: "\(P.self)", because: error)
        }
        event += 1
      }
      last = Position(position)
      watch.note?(last, rows)
    }
    return true
  }
}

#if DEBUG
  extension ProjectionRun {
    /// Reports that the projection was wrong about a row's existence, once per store and type of event.
    private func report(_ slip: RowExistenceError, _ recorded: Recorded<P.Event>, _ stored: StoredEvent) {
      guard let store else { return }
      // An event of an older schema can have a former type.
      let type = (try? place.coder.encode(recorded.event))?.type ?? stored.type
      guard !P.toleratedEvents.contains(type) else { return }
      guard store.runtime.isFirstReport(of: "\(P.name) \(type) \(slip.problem)") else { return }
      let what =
        switch slip.problem {
        case .missing: "changed or deleted a row that doesn't exist, so this change had no effect"
        case .existing: "inserted a row that existed already, so the former row was replaced"
        }
      let message =
        "in the log \(store.source), at event \(stored.position) (\(type)), the projection \(P.self) \(what). Correct "
        + "the projection, or the decider that accepted the command. If this is intended, add \"\(type)\" to "
        + "`\(P.self).toleratedEvents`. Only debug builds report this, once per type of event"
      store.environment.report(
        FailureReport(
          .projection, "\(P.self)", source: store.source, position: stored.position, error: slip, message: message))
    }
  }
#endif
