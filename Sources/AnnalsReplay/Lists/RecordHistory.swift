import Annals

/// What became of one record, found in the events that name it.
///
/// Only events of a record's own id change it, so that the others need not be folded, nor even decoded: of a million
/// events most are passed by a look at their bytes, in a fifth of the time.
struct RecordHistory {
  let store: any EventStore
  let collection: String

  /// The steps of the record with an id, up to a position.
  ///
  /// An event that sets the record to what it was is no step.
  ///
  /// - Parameters:
  ///   - id: The record's id.
  ///   - end: The last position.
  ///   - progress: Called after some hundred events with the position that was reached.
  /// - Returns: The steps, the oldest first.
  /// - Throws: ``ReplayError`` if an event of the record is not valid; `EventStoreError`; what `progress` throws.
  func steps(
    of id: String, through end: Position, _ progress: (Position) throws -> Void
  ) throws -> [RecordStep] {
    var (steps, rows, last): ([RecordStep], Rows<Record>, Record?) = ([], Rows(), nil)
    let name = Array(JSONValue.quoted(id).utf8)
    try store.forEachBatch(through: end) { batch in
      for index in 0..<batch.count where RecordEvent.types.contains(batch.type(at: index)) {
        guard batch.withPayload(at: index, { Self.mayName(name, $0) }) else { continue }
        let event = batch.event(at: index)
        do {
          guard let (found, record) = try RecordEvent.read(type: event.type, payload: event.payload),
            ExactString(found) == ExactString(collection), record.id.map(ExactString.init) == ExactString(id)
          else { continue }
          try record.apply(to: &rows, in: collection)
        } catch {
          throw ReplayError.invalidRecord(at: event.position, error)
        }
        let row = rows[id]
        guard row != last else { continue }
        steps.append(RecordStep(position: event.position, old: last, new: row))
        last = row
      }
      if let last = batch.last { try progress(last) }
    }
    return steps
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

extension RecordEvent {
  /// The id of the record that the event is about; nil if it is about a section.
  fileprivate var id: String? {
    switch self {
    case .inserted(let id, _), .updated(let id, _), .deleted(let id): id
    case .sectionRenamed: nil
    }
  }
}
