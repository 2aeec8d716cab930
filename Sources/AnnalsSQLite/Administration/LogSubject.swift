package import Annals

/// A person whom personal fields of a log are about.
package struct LogSubject: Hashable, Sendable {
  /// The subject's name, as the fields have it.
  package let name: String
  /// How many values the log has.
  package var values = 0
  /// How many values were erased.
  package var erased = 0
  /// How many fields came into the log without a value, for example by an import of what was erased before.
  package var empty = 0
  /// The positions of the first and the last event with a field of the subject; nil if no event has one any more.
  package var events: ClosedRange<Position>?
}

extension SQLiteEventStore {
  /// The subjects of personal fields, by name.
  ///
  /// - Returns: All of them: those with values, and those whose values were erased.
  /// - Throws: ``EventStoreError``.
  /// - Complexity: O(f log f) for f personal fields. If something was erased, the payloads are searched once.
  package func subjects() throws -> [LogSubject] {
    try inOneState { connection in
      guard try PersonalTables(connection).exist else { return [] }
      try connection.checkTables(["personal", "erasure"])
      var found: [ExactString: LogSubject] = [:]
      try connection.ownStatement(
        """
        SELECT subject, count(object), count(*) - count(object), min(position), max(position) FROM personal
        GROUP BY subject
        """
      ).run { row in
        let name = row.text(0) ?? ""
        guard let events = Self.range(row.int(3), row.int(4)) else { return }
        found[ExactString(name)] = LogSubject(
          name: name, values: Int(row.int(1)), empty: Int(row.int(2)), events: events)
      }
      var erasedSubjects: Set<ExactString> = []
      try connection.ownStatement(
        "SELECT subject, CAST(total(fields) AS INTEGER) FROM erasure GROUP BY subject"
      ).run { row in
        let name = row.text(0) ?? ""
        found[ExactString(name), default: LogSubject(name: name)].erased = try LogNumber.checked(
          row.int(1), "the number of erased values", in: path)
        erasedSubjects.insert(ExactString(name))
      }
      if !erasedSubjects.isEmpty {
        // When a value is erased, its field stays in the event.
        try Self.forEachField(connection) { subject, position in
          guard erasedSubjects.contains(subject) else { return }
          let events = found[subject]?.events ?? position...position
          found[subject]?.events = min(events.lowerBound, position)...max(events.upperBound, position)
        }
      }
      return found.values.sorted { ExactString($0.name) < ExactString($1.name) }
    }
  }

  private static func range(_ first: Int64, _ last: Int64) -> ClosedRange<Position>? {
    guard LogNumber.isPlace(first), LogNumber.isPlace(last), first <= last else { return nil }
    return Position(Int(first))...Position(Int(last))
  }

  /// Hands over the subject of each personal field that a payload has, with the event's position.
  private static func forEachField(
    _ connection: SQLiteConnection, _ body: (ExactString, Position) throws -> Void
  ) throws {
    let path = connection.path
    var order = EventOrder(path)
    try connection.ownStatement("SELECT position, payload FROM event ORDER BY position").run { row in
      try order.next(row.int(0))
      guard let bytes = row.bytes(1), PersonalPayload.mayHaveFields(bytes), LogNumber.isPlace(row.int(0)) else {
        return
      }
      do {
        for subject in try PersonalPayload.subjects(of: String(decoding: bytes, as: UTF8.self)) {
          try body(ExactString(subject), Position(Int(row.int(0))))
        }
      } catch let problem as PersonalPayload.Problem {
        throw EventStoreError(.corrupt, "\(path): event \(row.int(0)) is damaged: \(problem); restore the log")
      }
    }
    try order.end(connection)
  }
}
