#if Postgres
  import AnnalsLog
  import Annals

  /// The personal values in the payloads of a log whose format is older than 3.
  ///
  /// Since format 3, personal values are stored in a separate table.
  struct OldPersonalValues {
    /// The log's end at the time of the search.
    let head: Int
    /// The statements that move the values to the tables of format 3.
    private(set) var statements: [SQLStatement] = []
    /// The maximum number of events that one statement reads or writes.
    private static let page = 1_000

    /// Searches a log for personal values.
    ///
    /// - Complexity: O(n) for n events, on the server. Only events with values are transferred.
    init(of maker: SchemaMaker) async throws(SQLFailure) {
      let text = maker.text
      let log = try await maker.read(SQLStatement("SELECT head FROM \(text.schema).annals_log WHERE one"))
      head = log.int(0, 0) ?? 0
      var position = 0
      while true {
        let rows = try await maker.read(
          SQLStatement(
            """
            SELECT position, payload FROM \(text.schema).annals_event
              WHERE position > $1 AND (strpos(payload, $2) > 0 OR strpos(payload, $3) > 0)
              ORDER BY position LIMIT \(Self.page)
            """, [.int(position), .text("\"$personal\""), .text("\\u00")]))
        if rows.count == 0 { return }
        var (positions, bodies, counts): ([Int], [String?], [Int]) = ([], [], [])
        var (owners, places, subjects, objects): ([Int], [Int], [String?], [String?]) = ([], [], [], [])
        for row in 0..<rows.count {
          position = rows.int(row, 0) ?? position
          // A payload without a valid personal field stays as it was appended.
          guard let cut = try? PersonalPayload(cutting: rows.text(row, 1) ?? ""), !cut.fields.isEmpty else { continue }
          positions.append(position)
          bodies.append(cut.payload)
          counts.append(cut.fields.count)
          for (place, field) in cut.fields.enumerated() {
            owners.append(position)
            places.append(place)
            subjects.append(field.subject)
            objects.append(field.object)
          }
        }
        statements.append(
          SQLStatement(
            """
            UPDATE \(text.schema).annals_event e SET body = w.body, personal = w.fields
              FROM unnest($1, $2, $3) w (position, body, fields) WHERE e.position = w.position
            """, [.ints(positions), .texts(bodies), .ints(counts)]))
        statements.append(
          SQLStatement(
            """
            INSERT INTO \(text.schema).annals_personal (position, place, subject, object)
              SELECT w.owner, w.place, w.subject, w.object FROM unnest($1, $2, $3, $4) w (owner, place, subject, object)
            """, [.ints(owners), .ints(places), .texts(subjects), .texts(objects)]))
      }
    }
  }
#endif
