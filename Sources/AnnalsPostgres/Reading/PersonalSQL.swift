#if Postgres
  import AnnalsLog
  import Annals

  /// The values of personal fields, which the server stores separately from the events.
  enum PersonalSQL {
    /// Replaces the placeholders in a payload with the values that weren't erased.
    ///
    /// - Parameters:
    ///   - payload: The payload with placeholders.
    ///   - count: The number of personal fields in the payload.
    ///   - text: The fields' rows as JSON. Every row contains the field's place, its subject, its object, and the
    ///     number of the erasure that deleted the object.
    ///   - damaged: A closure that creates the error for a damaged event.
    /// - Returns: The original payload, with placeholders for erased values.
    /// - Throws: The error that `damaged` creates.
    static func joined(
      _ payload: String?, _ count: Int, _ text: String?, _ damaged: (String) -> EventStoreError
    ) throws -> String? {
      if count == 0 { return payload }
      guard let payload, case .array(let rows)? = try? JSONValue(parsing: text ?? "[]"), rows.count == count else {
        throw damaged("a personal field is missing, although it wasn't erased")
      }
      var subjects: [String]
      do { subjects = try PersonalPayload.subjects(of: payload) } catch {
        throw damaged("the personal fields in the event's payload can't be read: \(error)")
      }
      var objects: [Int: String] = [:]
      for row in rows {
        guard case .array(let row) = row, row.count == 4, case .number(let number) = row[0],
          let place = Int(number.text),
          case .string(let subject) = row[1], subjects.indices.contains(place),
          Array(subjects[place].unicodeScalars) == Array(subject.unicodeScalars)
        else {
          throw damaged("a stored personal field has no match among the payload's \(subjects.count) personal fields")
        }
        if case .string(let object) = row[2] { objects[place] = object }
      }
      do { return try PersonalPayload.joined(payload, objects) } catch {
        throw damaged("the event's personal values can't be inserted into the payload: \(error)")
      }
    }
  }
#endif
