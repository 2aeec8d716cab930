import Annals
import AnnalsLog

/// Builds the index of a list of records in one pass over the events.
///
/// `@unchecked Sendable`: one fold uses it, which is over before anything else does.
final class ListIndexBuilder: @unchecked Sendable {
  /// A stay that may not have ended.
  private struct Stay {
    let row: UInt32
    let from: UInt32
    var to = ListIndex.Stay.never
    let section: Int
    let entry: RowEntry
  }

  private let prepared: PreparedRequest
  /// The fields on which the places depend.
  private let fields: Set<ExactString>
  private var ids: [OrderKey] = []
  /// The number of every record by its id, with the index of its present stay.
  private var rows: [OrderKey: (row: UInt32, stay: Int?)] = [:]
  private var events: [(row: UInt32, position: UInt32)] = []
  private var lives: [ListIndex.Stay] = []
  private var stays: [Stay] = []
  private var renames: [UInt32] = []
  private var sections: [OrderKey: Int] = [:]
  private var (sectionIDs, writer) = (SectionIDs(nil), KeyWriter(capacity: 64))
  private var last: Position = 0

  init(_ prepared: PreparedRequest, fields: Set<ExactString>) {
    (self.prepared, self.fields) = (prepared, fields)
  }

  /// The sections of an index are few, because each of them is looked at for every list.
  struct TooManySections: Error {}
  private static var mostSections: Int { 2_000 }

  /// Notes what an event made of its record.
  func note(_ event: RecordEvent, at position: Position, _ rows: Rows<Record>) throws {
    // The log was rewritten, and is folded once more.
    if position <= last { throw EventStoreError(.rewritten, "the log was rewritten") }
    last = position
    let place = UInt32(position.rawValue)
    guard let (id, changed) = event.record else {
      renames.append(place)
      return
    }
    let key = OrderKey(id)
    var (row, stay) = self.rows[key] ?? (UInt32(ids.count), nil)
    if row == ids.count { ids.append(key) }
    events.append((row, place))
    defer { self.rows[key] = (row, stay) }
    if stay != nil, let changed, !changed.contains(where: { fields.contains(ExactString($0.name)) }) { return }
    guard let record = rows[id] else {
      if let open = stay { stays[open].to = place }
      stay = nil
      return
    }
    let box = Rows<Record>.Box(record, id: key)
    prepared.keyer.key(box, after: nil, &sectionIDs, &writer)
    if let open = stay {
      let old = stays[open].entry
      if old.section.isSame(box.section), ByRow.compare(old, box) == 0 { return }
      stays[open].to = place
    }
    let section = sections[box.section.key] ?? sections.count
    if section == sections.count {
      if section == Self.mostSections { throw TooManySections() }
      sections[box.section.key] = section
    }
    stay = stays.count
    // The row's own key is the same object, which saves memory.
    stays.append(Stay(row: row, from: place, section: section, entry: RowEntry(keysOf: box)))
  }

  /// The index of the events up to a position.
  func index(through end: Position, stamp: UInt64) -> ListIndex {
    let order = ids.indices.sorted { (ids[$0].fingerprint, ids[$0]) < (ids[$1].fingerprint, ids[$1]) }
    var numbers = [UInt32](repeating: 0, count: ids.count)
    for (number, row) in order.enumerated() { numbers[row] = UInt32(number) }
    var firstEvents = [UInt32](repeating: 0, count: ids.count + 1)
    for event in events { firstEvents[Int(numbers[Int(event.row)]) + 1] += 1 }
    for row in ids.indices { firstEvents[row + 1] += firstEvents[row] }
    var (next, positions) = (firstEvents, [UInt32](repeating: 0, count: events.count))
    for event in events {
      let row = Int(numbers[Int(event.row)])
      positions[Int(next[row])] = event.position
      next[row] += 1
    }
    stays.sort {
      $0.section != $1.section ? $0.section < $1.section : ByRow.compare($0.entry, $1.entry) < 0
    }
    var first = [UInt32](repeating: 0, count: sections.count + 1)
    for stay in stays { first[stay.section + 1] += 1 }
    for section in 0..<sections.count { first[section + 1] += first[section] }
    let all = stays.map { ListIndex.Stay(row: numbers[Int($0.row)], from: $0.from, to: $0.to) }
    // Stays of a record that follow each other are one life.
    var lives: [ListIndex.Stay] = []
    for stay in all.sorted(by: { ($0.row, $0.from) < ($1.row, $1.from) }) {
      if let last = lives.last, last.row == stay.row, last.to == stay.from {
        lives[lives.count - 1] = ListIndex.Stay(row: stay.row, from: last.from, to: stay.to)
      } else {
        lives.append(stay)
      }
    }
    return ListIndex(
      end: end, stamp: stamp, hashes: order.map { ids[$0].fingerprint }, firstEvents: firstEvents, events: positions,
      lives: lives, stays: all, sections: first, renames: renames)
  }
}

/// A projection that also notes the events of records for an index.
struct IndexingProjection: Projection {
  let base: RecordProjection
  let builder: ListIndexBuilder

  static var name: String { RecordProjection.name }
  static var unknownEvents: UnknownEventPolicy { RecordProjection.unknownEvents }
  static var newerEvents: NewerEventPolicy { RecordProjection.newerEvents }

  func project(_ event: StoredRecordEvent, into rows: inout Rows<Record>) throws {
    try base.project(event, into: &rows)
  }

  func project(_ recorded: Recorded<StoredRecordEvent>, into rows: inout Rows<Record>) throws {
    try base.project(recorded.event, into: &rows)
    let (collection, event) = recorded.event.content
    guard ExactString(collection) == ExactString(base.collection) else { return }
    try builder.note(event, at: recorded.position, rows)
  }
}

extension RecordEvent {
  /// The id of the record, with the changed fields of an update, or `nil` for an event of a section.
  var record: (id: String, changed: [JSONMember]?)? {
    switch self {
    case .updated(let id, let fields): (id, fields)
    case .inserted(let id, _), .deleted(let id): (id, nil)
    case .sectionRenamed: nil
    }
  }
}
