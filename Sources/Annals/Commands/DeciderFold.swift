import AnnalsLog
import Foundation

/// A decider's state that is built from stored events.
struct DeciderFold<D: Decider> {
  private(set) var state = D()
  private(set) var coder: EventCoder<D.Event>

  init() throws { coder = try EventCoder() }

  /// Continues from a state.
  mutating func resume(from state: D) { self.state = state }

  /// Folds a committed event.
  ///
  /// If an event can't be read, the call throws, because a decision based on only some of the events may contradict the
  /// other events. An upcast event belongs to a boundary if the boundary contains its stored type or its new type.
  mutating func fold(_ event: StoredEvent, in boundary: EventQuery = .all) throws {
    let reading: EventReading<D.Event>
    do {
      reading = try coder.read(event, to: boundary)
    } catch let error as EventCodingError {
      let advice =
        switch error.code {
        case .unknownEvent, .newerSchema: "Update the program to a version that can read the event"
        case .notUpcast: "Correct the upcasters so that they accept the event's payload"
        default:
          "Change the event's case so that it matches the payload, or write an upcaster that converts the payload"
        }
      throw EventCodingError(
        error.code,
        "\(D.self) cannot read event \(event.position) (\(event.type), version \(event.version) of stream "
          + "\"\(event.stream)\") and cannot decide without this event: \(error.message). \(advice)", at: event)
    }
    reading.forEach { state.evolve($0) }
  }

  /// Folds all events of some batches, like ``fold(_:in:)``, mostly without creating event values.
  mutating func fold(_ batches: [EventBatch]) throws {
    for batch in batches {
      if let values = batch.values {
        for event in values { try fold(event) }
      } else {
        try fold(bytesOf: batch)
      }
    }
  }

  private mutating func fold(bytesOf batch: EventBatch) throws {
    // The batch outlives the loop.
    defer { extendLifetime(batch) }
    var (last, schema) = (-1, coder.schema)
    var known = KnownType(meaning: .unknown, name: "", hasSteps: false)
    var slot: CaseSlot?
    for (index, row) in batch.rows.enumerated() {
      // Most events have the same type as their predecessor.
      if row.type != last {
        last = row.type
        known = coder.known(batch.types[last])
        slot = coder.slot(of: known)
      }
      if known.isForeign { continue }
      let bytes = batch.bytes(row.payload)
      if let slot {
        if row.schema <= schema, folds(bytes, in: slot) { continue }
      } else if let event = try? coder.readPlain(known, type: batch.types[last], schema: row.schema, bytes: bytes) {
        state.evolve(event)
        continue
      }
      // If an event can't be read, read it as a value, so that the error describes it.
      try fold(batch.event(at: index))
    }
  }

  /// Folds an event of a case that Codable decodes, or returns false if the event can't be read.
  private mutating func folds(_ bytes: UnsafeRawBufferPointer?, in slot: CaseSlot) -> Bool {
    guard let event = try? coder.decode(in: slot, bytes) else { return false }
    state.evolve(event)
    return true
  }

  /// Folds a decided event in the form in which it will be read after the commit.
  ///
  /// - Parameters:
  ///   - entry: The event.
  ///   - boundary: The boundary as the decider declared it.
  ///   - now: A closure that returns the time of an event without a time. It is called only if an upcaster needs the
  ///     time, and the committed event may then have a different time.
  /// - Throws: ``EventCodingError`` if the event can't be read.
  mutating func fold(_ entry: Append.Entry, in boundary: EventQuery, now: () -> Date) throws {
    let event = entry.event
    try coder.read(entry, at: now()) { name in
      boundary.matches(stream: entry.stream, type: event.type, tags: event.tags)
        || boundary.matches(stream: entry.stream, type: name, tags: event.tags)
    }.forEach { state.evolve($0) }
  }
}
