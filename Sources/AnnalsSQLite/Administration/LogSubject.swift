package import AnnalsLog

/// A subject of personal fields in a log, usually a person.
package struct LogSubject: Hashable, Sendable {
  /// The subject's name in the personal fields.
  package let name: String
  /// The number of the subject's values in the log.
  package var values = 0
  /// The number of the subject's erased values.
  package var erased = 0
  /// The number of fields that were appended without a value, for example by an import of erased data.
  package var empty = 0
  /// The positions of the first and the last event with a field of the subject, or `nil` if no such event remains.
  package var events: ClosedRange<Position>?
}

extension SQLiteEventStore {
  /// Returns the subjects of the log's personal fields, sorted by name.
  ///
  /// - Returns: All subjects, including subjects whose values were erased.
  /// - Throws: ``EventStoreError``.
  /// - Complexity: O(f log f) for f personal fields. If the log has erasures, the payloads are also scanned once.
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
        // Erasing a value leaves its field in the event.
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

  /// Calls a closure with the subject and the event's position for every personal field in a payload.
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
        throw EventStoreError(
          .corrupt, "\(path): event \(row.int(0)) is damaged: \(problem); restore the log from a copy")
      }
    }
    try order.end(connection)
  }
}
