import Annals
import AnnalsLog

/// What became of one record, found in the events that name it.
///
/// Only events of a record's own id change it, so that the others need not be folded, nor even decoded: of a million
/// events most are passed by a look at their bytes, in a fifth of the time.
struct RecordHistory {
  let store: any EventStore
  let collection: String
  /// True if no record may be of another collection.
  var isOnly = false
  /// The records by an index, which names their events.
  var records: IndexedRecords?

  /// The steps of the records with some ids, up to a position.
  ///
  /// An event that sets the record to what it was is no step.
  ///
  /// - Parameters:
  ///   - ids: The records' ids.
  ///   - end: The last position.
  ///   - progress: Called after some hundred events with the position that was reached.
  /// - Returns: For each id the steps, the oldest first.
  /// - Throws: ``ReplayError`` if an event of the record is not valid; ``OtherCollection``; `EventStoreError`; what
  ///   `progress` throws.
  func steps(
    of ids: [String], through end: Position, _ progress: (Position) throws -> Void
  ) throws -> [[RecordStep]] {
    var (rows, steps) = (Rows<Record>(), [ExactString: [RecordStep]]())
    let names = ids.map { Array(JSONValue.quoted($0).utf8) }
    let wanted = Set(ids.map { ExactString($0) })
    func take(_ record: RecordEvent, at position: Position) throws {
      guard let id = record.record?.id, wanted.contains(ExactString(id)) else { return }
      let old = rows[id]
      try record.apply(to: &rows, in: collection)
      let new = rows[id]
      guard new != old else { return }
      steps[ExactString(id), default: []].append(RecordStep(position: position, old: old, new: new))
    }
    var start: Position = 0
    if let records {
      let positions = ids.flatMap { records.index.events(ofHash: OrderKey($0).fingerprint, through: end) }
      try records.forEachEvent(at: Set(positions).sorted()) { try take($1, at: $0) }
      start = min(records.index.end, end)
    }
    let begin = RecordSource.begin(ofPayloadsIn: collection)
    try store.forEachBatch(after: start, through: end) { batch in
      for index in 0..<batch.count where RecordEvent.types.contains(batch.type(at: index)) {
        let mayMatter = batch.withPayload(at: index) { payload in
          names.contains { Self.mayName($0, payload) } || isOnly && !(payload?.starts(with: begin) ?? true)
        }
        guard mayMatter else { continue }
        let event = batch.event(at: index)
        do {
          guard let (found, record) = try RecordEvent.read(type: event.type, payload: event.payload) else { continue }
          guard ExactString(found) == ExactString(collection) else {
            if isOnly { throw OtherCollection() }
            continue
          }
          try take(record, at: event.position)
        } catch let other as OtherCollection {
          throw other
        } catch {
          throw ReplayError.invalidRecord(at: event.position, error)
        }
      }
      if let last = batch.last { try progress(last) }
    }
    return ids.map { steps[ExactString($0)] ?? [] }
  }

  /// False if a payload does not have an id, as JSON writes it at its shortest.
  ///
  /// A payload with a backslash may write it in another way, and one without bytes is not valid.
  private static func mayName(_ id: [UInt8], _ payload: UnsafeRawBufferPointer?) -> Bool {
    guard let payload else { return true }
    return id.withUnsafeBytes { id in
      for (index, byte) in payload.enumerated() {
        if byte == UInt8(ascii: "\\") { return true }
        // An id in quotes has two bytes at least.
        if byte == id[0], index + id.count <= payload.count, payload[index + 1] == id[1],
          UnsafeRawBufferPointer(rebasing: payload[index..<index + id.count]).elementsEqual(id)
        {
          return true
        }
      }
      return false
    }
  }
}
