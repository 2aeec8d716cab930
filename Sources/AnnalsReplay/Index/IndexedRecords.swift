import Annals
import AnnalsLog
import Synchronization

/// The lists of a collection's records at all positions of a log, by an index.
struct IndexedRecords: Sendable {
  let index: ListIndex
  let store: any EventStore
  let collection: String

  /// The values that an index names contradict the log.
  struct Contradiction: Error {}

  /// Returns the rows at a position, or at the index's end if that is earlier, with the list of these rows.
  ///
  /// A record is read when it's needed.
  func rows(
    _ prepared: PreparedRequest, through position: Position
  ) throws -> (rows: Rows<Record>, list: ListStorage, position: Position) {
    let position = min(position, index.end)
    let loader = RecordLoader(self, prepared, position)
    let pages = TreePages(cache: 0) { _ in nil }
    let lost = Rows<Record>.Box(Record(id: ""), id: OrderKey(""))
    var (sectionIDs, writer) = (SectionIDs(nil), KeyWriter(capacity: 64))
    prepared.keyer.key(lost, after: nil, &sectionIDs, &writer)
    let all = ListIndex.rows(index.lives[...], at: position)
    let ids = SortedTree<ByID>(
      computing: all.count, in: pages, lost: lost, head: { [index] in index.hashes[Int(all[$0])] }
    ) { try loader.entries($0.map { all[$0] }) }
    var parts: [(id: SectionID, rows: SortedTree<ByRow>)] = []
    for section in 0..<index.sections.count - 1 {
      let rows = ListIndex.rows(index.stays(ofSection: section), at: position)
      guard let first = rows.first else { continue }
      let tree = SortedTree<ByRow>(computing: rows.count, in: pages, lost: lost) {
        try loader.entries($0.map { rows[$0] })
      }
      parts.append((try loader.entries([first])[0].section, tree))
    }
    guard parts.reduce(0, { $0 + $1.rows.count }) == ids.count else { throw Contradiction() }
    var titled = Rows<Record>()
    try forEachEvent(at: index.renames.prefix { $0 <= position.rawValue }) { try $1.apply(to: &titled, in: collection) }
    let settings = titled.entries.settings(of: prepared.keyer.rules.criterion)
    let list = SectionedList(ids, parts: parts, prepared, settings: settings, origin: pages)
    var rows = Rows<Record>()
    rows.entries = RowSet(saved: ids, titled.entries.settingsByName ?? [:], on: pages)
    return (rows, ListStorage(prepared, saved: list), position)
  }

  /// Calls a closure with the events at some positions, which must be events of the collection.
  func forEachEvent(at positions: some Sequence<UInt32>, _ body: (Position, RecordEvent) throws -> Void) throws {
    try store.read { try forEachEvent(at: positions, in: $0, body) }
  }

  fileprivate func forEachEvent(
    at positions: some Sequence<UInt32>, in log: any EventLog, _ body: (Position, RecordEvent) throws -> Void
  ) throws {
    for number in positions {
      let position = Position(Int(number))
      let batch = try log.batch(after: Position(Int(number) - 1), through: position, limit: 1)
      // Of the event only the payload is needed, and its other parts take most of the time.
      let payload = batch.count == 1 ? batch.withPayload(at: 0) { $0.map { String(decoding: $0, as: UTF8.self) } } : nil
      guard let payload, let (found, record) = try RecordEvent.read(type: batch.type(at: 0), payload: payload),
        ExactString(found) == ExactString(collection)
      else { throw Contradiction() }
      try body(position, record)
    }
  }
}

/// Reads records as they were at a position.
private final class RecordLoader: Sendable {
  private struct State {
    var entries: [UInt32: RowEntry] = [:]
    var sections = SectionIDs(nil)
    var writer = KeyWriter(capacity: 64)
  }

  private let records: IndexedRecords
  private let prepared: PreparedRequest
  private let position: Position
  private let state = Mutex(State())

  init(_ records: IndexedRecords, _ prepared: PreparedRequest, _ position: Position) {
    (self.records, self.prepared, self.position) = (records, prepared, position)
  }

  /// The records with some numbers as rows.
  func entries(_ rows: [UInt32]) throws -> [RowEntry] {
    try state.withLock { state in
      let known = rows.compactMap { state.entries[$0] }
      if known.count == rows.count { return known }
      return try records.store.read { log in try rows.map { try entry($0, &state, log) } }
    }
  }

  private func entry(_ row: UInt32, _ state: inout State, _ log: any EventLog) throws -> RowEntry {
    if let known = state.entries[row] { return known }
    var found = Rows<Record>()
    var (id, last) = (nil as String?, 0 as Position)
    try records.forEachEvent(at: records.index.events(of: row, through: position), in: log) { position, event in
      id = event.record?.id
      try event.apply(to: &found, in: records.collection)
      last = position
    }
    guard let id, let record = found[id], found.count == 1 else { throw IndexedRecords.Contradiction() }
    let entry = Rows<Record>.Box(record, id: OrderKey(id))
    guard entry.id.fingerprint == records.index.hashes[Int(row)] else { throw IndexedRecords.Contradiction() }
    entry.event = last
    prepared.keyer.key(entry, after: nil, &state.sections, &state.writer)
    state.entries[row] = entry
    return entry
  }
}
