/// A reader that converts stored events to recorded events of a type.
struct RecordedReader<E: Event> {
  /// The query for the stored events, including older stored types whose events can be converted to the requested
  /// events.
  let query: EventQuery
  private let named: EventQuery
  private let policy: ReadingPolicy
  /// The stored types that can belong to the event type.
  var types: EventTypeFilter { coder.facts.types }
  private var coder: EventCoder<E>

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - query: A query with the current names of types.
  ///   - policy: The treatment of unknown types and newer schemas.
  /// - Throws: ``EventCodingError`` if the type cannot be stored as an event.
  init(_ query: EventQuery, _ policy: ReadingPolicy) throws {
    coder = try EventCoder()
    named = query
    self.query = coder.widened(query)
    self.policy = policy
  }

  /// Converts an event of a batch to recorded events of the type.
  ///
  /// The result is empty if the event belongs to another type. It contains several events if an upcaster splits the
  /// event.
  mutating func read(_ batch: EventBatch, _ index: Int) throws -> [Recorded<E>] {
    if batch.values == nil {
      // Many events of a log can belong to other types, so no values are created for them.
      if coder.known(batch.types[batch.rows[index].type]).isForeign { return [] }
    }
    return try read(batch.event(at: index))
  }

  /// Converts a stored event to recorded events of the type.
  ///
  /// The result is empty if the event belongs to another type. It contains several events if an upcaster splits the
  /// event.
  mutating func read(_ stored: StoredEvent) throws -> [Recorded<E>] {
    do {
      return try coder.read(stored, policy, to: named).events.map { Recorded($0, stored) }
    } catch let error as EventCodingError {
      throw EventCodingError(
        error.code,
        "event \(stored.position) (\(stored.type), version \(stored.version) of stream \"\(stored.stream)\") can't be "
          + "read as \(E.self): \(error.message). \(ProjectionError.advice(reading: error))", at: stored)
    }
  }
}
