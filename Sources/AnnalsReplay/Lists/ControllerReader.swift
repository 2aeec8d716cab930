import Annals
import AnnalsLog

/// Finds what became of rows with some ids, up to a position, and says now and then how far it has come.
typealias RowHistorySearch = ([String], Position, (Position) throws -> Void) throws -> [[RecordStep]]

/// A list of a projection's rows, kept by a controller.
final class ControllerReader<P: Projection>: ListReader {
  let name: String
  let isWaiting: Bool
  let isPartial: Bool
  let projection: P
  let store: any EventStore
  private let controller: FetchedResultsController<P.Row>
  private let reading: RowReading<P.Row>
  private let use: FieldUse
  /// What an error of the projection is, as this list says it.
  private let explain: @Sendable (ProjectionError) -> ReplayError
  /// The revision that all lists are of.
  private let revision: LogRevision
  private var check: BatchCheck<P.Row>?
  /// Finds what became of a row without folding all rows; nil if nothing can.
  private var history: RowHistorySearch?
  /// The index from which lists begin, if there is one.
  private(set) var indexed: IndexedRecords?
  let supposition: Supposition?
  /// The number of rows of ``list`` if the controller has more.
  ///
  /// Changes are of all the controller's rows.
  var limit: Int?

  /// Opens a list that shows nothing yet.
  init(
    _ name: String, _ projection: P, _ request: ListRequest<P.Row>, _ reading: RowReading<P.Row>,
    of store: some EventStore, _ options: ListOptions, cacheName: String? = nil,
    isWaiting: Bool = false, isPartial: Bool = false, history: RowHistorySearch? = nil,
    explain: @escaping @Sendable (ProjectionError) -> ReplayError
  ) throws {
    (self.isWaiting, self.isPartial) = (isWaiting, isPartial)
    self.history = history
    self.name = name
    self.projection = projection
    self.reading = reading
    self.store = store
    supposition = options.supposition
    self.explain = { [supposition = options.supposition] in
      supposition?.explain($0.underlying, at: $0.event) ?? explain($0)
    }
    use = options.use ?? options.newUse
    revision = try store.revision()
    controller = FetchedResultsController(
      store: store, projection: projection, request: options.request(request, reading, noting: use),
      cacheName: cacheName)
    controller.keepPast(false)
    try explaining {
      // A saved list is read at the log's end; without one nothing is folded before a position is asked for.
      if cacheName == nil { try controller.seek(to: 0) }
      try controller.performFetch()
    }
  }

  var isSectioned: Bool { controller.request.section != nil }
  var list: any ShownList {
    let list = RecordList(results: controller.results, reading: reading)
    return limit.map { WindowedList(list, limit: $0) } ?? list
  }
  var unknownFields: [UnknownField] {
    // With an index, rows with the field may not have been read.
    if indexed != nil, !use.unknown().isEmpty { try? leaveIndex() }
    return use.unknown()
  }

  func checkKinds() throws {
    do {
      try use.checkKinds("--where")
    } catch  where indexed != nil {
      // A row of another kind may not have been read.
      try leaveIndex()
      try use.checkKinds("--where")
    }
  }

  var checked: (count: Int, all: Int)? { check.map { ($0.count, $0.seen) } }

  func keepPast() { controller.keepPast(true) }

  func beginChecking() { check = BatchCheck(controller.results) }

  func go(to position: Position) throws -> ListBatch {
    // Many events change most rows, which an index reads one by one.
    if abs(position.rawValue - controller.results.position.rawValue) > Self.indexedSteps { try leaveIndex() }
    let changes = try withoutLoss { try self.changes(to: position) }
    if !changes.changes.isEmpty { try check?.take(changes.changes) }
    return changes.batch
  }

  private func changes(to position: Position) throws -> (changes: Changes<P.Row>, batch: ListBatch) {
    var before = controller.results
    try seek(to: position, isNear: position > before.position)
    // Lists that begin at different positions of an index share no rows. So the events in between are folded.
    if before.storage.origin !== controller.results.storage.origin {
      try seek(to: before.position, isNear: true)
      before = controller.results
      try seek(to: position, isNear: true)
    }
    let changes = Changes(from: before, to: controller.results)
    return (changes, batch(changes))
  }

  /// The number of events from one list to the next up to which an index is used.
  private static var indexedSteps: Int { 200 }

  /// Reads the list without the index for all later requests.
  private func leaveIndex() throws {
    guard indexed != nil else { return }
    let position = controller.results.position
    indexed = nil
    controller.setAnchors(nil)
    use.begin()
    try controller.seek(to: 0)
    try seek(to: position)
  }

  /// Does something once more without the index if a part of the list can't be read by it.
  private func withoutLoss<T>(_ body: () throws -> T) throws -> T {
    let start = controller.results.position
    let outcome = Result { try body() }
    guard indexed != nil else { return try outcome.get() }
    if case .success(let value) = outcome, !controller.results.storage.isLost { return value }
    if case .failure(let error) = outcome, !controller.results.storage.isLost, error is ReplayError { throw error }
    try leaveIndex()
    try seek(to: start)
    return try body()
  }

  func settle(upTo count: Int) throws {
    guard indexed != nil else { return }
    let list = list
    if list.rowCount > count { return try leaveIndex() }
    for section in 0..<list.sectionCount { for _ in list.records(ofSection: section) {} }
    if controller.results.storage.isLost { try leaveIndex() }
  }

  func move(to position: Position) throws {
    // A table view that takes each batch must not miss one.
    if check != nil { _ = try go(to: position) } else { try withoutLoss { try seek(to: position) } }
  }

  /// Moves the list to a position.
  ///
  /// - Parameters:
  ///   - position: The position.
  ///   - isNear: True to fold the events on the way instead of beginning with an index.
  /// - Throws: ``ReplayError``, `EventStoreError`.
  private func seek(to position: Position, isNear: Bool = false) throws {
    controller.foldsAll(isNear)
    // A reader that goes back once is likely to do it again.
    if position < controller.results.position { controller.keepPast(true) }
    try explaining { try controller.seek(to: position) }
    guard try store.revision() == revision else {
      throw ReplayError(
        .inputOutput,
        "the log was compacted, or something was erased from it, while it was read, and what was printed is a part of "
          + "each; run it again")
    }
  }

  func path(of id: String, at position: Position) throws -> RowPath? {
    try withoutLoss { () throws -> RowPath? in
      controller.foldsAll(false)
      try explaining { try controller.seek(to: position) }
      return list.path(of: id)
    }
  }

  func attribute(_ batch: ListBatch, to known: [StoredEvent]) throws -> ListBatch {
    var named = batch
    let (first, last) = (min(batch.from, batch.to), max(batch.from, batch.to))
    named.eventCount = last.rawValue - first.rawValue
    if named.eventCount == 0 { return named }
    // What is supposed may be another payload.
    let found =
      known.isEmpty || supposition != nil
      ? try store.events(.all, after: first, through: last, limit: ListBatch.namedEvents) : known
    let events = found.filter { !(supposition?.isDropped($0.position) ?? false) }
    named.events = events.map { EventCause($0, sentence: reading.sentence?($0)) }
    // Positions may have holes where the log was compacted, or where events are supposed not to be.
    if found.count < ListBatch.namedEvents { named.eventCount = events.count }
    if let only = events.first, events.count == 1, named.eventCount == 1 {
      for index in named.rows.indices { named.rows[index].events = [only.position] }
      return named
    }
    let setting = try explaining {
      try controller.positions(
        setting: batch.rows.map { RowReading<P.Row>.id($0.change.row.id) }.compactMap { $0 }, after: first,
        through: last)
    }
    if setting.count == batch.rows.count {
      for (index, events) in setting.enumerated() { named.rows[index].events = events }
    }
    return named
  }

  func difference(to other: any ListReader) throws -> ListBatch {
    guard let other = other as? ControllerReader<P> else {
      throw ReplayError.usage("\(name) and \(other.name) are lists of different rows")
    }
    return batch(Changes(from: controller.results, to: other.controller.results))
  }

  func histories(
    of ids: [String], through end: Position, progress: (Position) throws -> Void
  ) throws -> [[RecordStep]] {
    try explaining { try history?(ids, end, progress) ?? folding(ids, end, progress) }
  }

  /// The steps of rows with some ids, by a fold of all rows.
  private func folding(
    _ ids: [String], _ end: Position, _ progress: (Position) throws -> Void
  ) throws -> [[RecordStep]] {
    let keys = ids.map { RowReading<P.Row>.id($0) }
    let known = keys.compactMap { $0 }
    guard let first = known.first else { return ids.map { _ in [] } }
    func record(_ position: Position, _ old: P.Row?, _ new: P.Row?) -> RecordStep {
      RecordStep(position: position, old: old.map(reading.record), new: new.map(reading.record))
    }
    func alone(_ id: P.Row.ID) throws -> [RecordStep] {
      try RowHistory(of: id, in: projection, store, through: end, progress: progress).steps.map {
        record($0.position, $0.old, $0.new)
      }
    }
    // A row that takes over what another one says changes with it, also where no event sets it.
    if known.count == 1 || !P.relations.isEmpty { return try keys.map { try $0.map(alone) ?? [] } }
    let watched = WatchedRows<P.Row>(known)
    _ = try RowHistory(
      of: first, in: WatchingProjection(base: projection, watched: watched), store, through: end, progress: progress)
    return keys.map { key in
      key.map { watched.steps(of: $0).map { record($0.position, $0.old, $0.new) } } ?? []
    }
  }

  private func batch(_ changes: Changes<P.Row>) -> ListBatch {
    let rows = changes.rows.map { change in
      let old: P.Row? =
        switch change {
        case .delete(let row, _, _): row
        case .insert(let row, _, let moved): moved ? changes.old.row(forID: row.id) : nil
        case .move(let row, _, _, _), .update(let row, _, _): changes.old.row(forID: row.id)
        }
      return RowStep(
        change: change.map(reading.record), old: old.map(reading.record), line: reading.line?(change.row))
    }
    func list(_ results: Results<P.Row>) -> any ShownList { RecordList(results: results, reading: reading) }
    return ListBatch(
      from: changes.from, to: changes.to, sections: changes.sections, rows: rows,
      lists: isSectioned ? (list(changes.old), list(changes.new)) : nil)
  }

  private func explaining<T>(_ body: () throws -> T) throws -> T {
    var dropped = 0
    while true {
      do {
        return try body()
      } catch let error as ProjectionError {
        // Each time one event more is left out.
        if let supposition, error.underlying is FoldAgain {
          let count = supposition.dropped(through: Position(Int.max)).count
          if count > dropped {
            dropped = count
            continue
          }
        }
        throw explain(error)
      }
    }
  }
}

extension ControllerReader<RecordProjection> {
  /// The list's request, as the options changed it.
  var request: ListRequest<Record> { controller.request }

  /// The version of the rules by which sections are ordered.
  var orderVersion: String { PreparedRequest(controller.request).keyer.rules.orderVersion }

  /// Begins lists at the positions of an index, instead of at 0.
  ///
  /// - Parameters:
  ///   - index: The index.
  ///   - distance: The number of events that are folded instead.
  func use(_ index: ListIndex, distance: Int) {
    let records = IndexedRecords(index: index, store: store, collection: projection.collection)
    indexed = records
    use.begin()
    controller.setAnchors(distance: distance) { try? records.rows($0, through: $1) }
    let search = RecordHistory(
      store: store, collection: projection.collection, isOnly: projection.isOnly, records: records)
    history = { try search.steps(of: $0, through: $1, $2) }
  }
}

/// A list of rows, read as records.
private struct RecordList<Row: Annals.Row>: ShownList {
  let results: Results<Row>
  let reading: RowReading<Row>

  var position: Position { results.position }
  var rowCount: Int { results.rows.count }
  var total: Int { results[.count] }
  var sectionCount: Int { results.count }

  func section(_ index: Int) -> ShownSection {
    let section = results[index]
    return ShownSection(
      key: section.key, title: section.title, indexTitle: section.indexTitle, count: section.count,
      total: section[.count])
  }

  func record(at path: RowPath) -> Record { reading.record(results[path.section][path.row]) }

  func line(at path: RowPath) -> String? { reading.line?(results[path.section][path.row]) }

  func path(of id: String) -> RowPath? { RowReading<Row>.id(id).flatMap { results.path(forID: $0) } }
}

extension RowChange {
  /// The same change of another row.
  fileprivate func map(_ record: (Row) -> Record) -> RowChange<Record> {
    switch self {
    case .delete(let row, let at, let moved): .delete(row: record(row), at: at, moved: moved)
    case .insert(let row, let at, let moved): .insert(row: record(row), at: at, moved: moved)
    case .move(let row, let from, let to, let contentChanged):
      .move(row: record(row), from: from, to: to, contentChanged: contentChanged)
    case .update(let row, let at, let newAt): .update(row: record(row), at: at, newAt: newAt)
    }
  }
}
