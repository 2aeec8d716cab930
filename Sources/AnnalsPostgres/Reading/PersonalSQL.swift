#if Postgres
  import Annals

  /// The values of personal fields, which the server stores next to an event.
  enum PersonalSQL {
    /// Restores the existing values in a payload.
    ///
    /// - Parameters:
    ///   - payload: The payload with placeholders.
    ///   - count: The payload's number of fields.
    ///   - text: The rows of the fields as JSON: place, subject, object, and the number of the erasure that removed
    ///     it.
    ///   - damaged: A closure that creates the error for a damaged event.
    /// - Returns: The original payload, with placeholders for erased values.
    /// - Throws: The error of `damaged`.
    static func joined(
      _ payload: String?, _ count: Int, _ text: String?, _ damaged: (String) -> EventStoreError
    ) throws -> String? {
      if count == 0 { return payload }
      guard let payload, case .array(let rows)? = try? JSONValue(parsing: text ?? "[]"), rows.count == count else {
        throw damaged("a personal field is missing, although it wasn't erased")
      }
      var subjects: [String]
      do { subjects = try PersonalPayload.subjects(of: payload) } catch {
        throw damaged("its personal fields can't be found: \(error)")
      }
      var objects: [Int: String] = [:]
      for row in rows {
        guard case .array(let row) = row, row.count == 4, case .number(let number) = row[0],
          let place = Int(number.text),
          case .string(let subject) = row[1], subjects.indices.contains(place),
          Array(subjects[place].unicodeScalars) == Array(subject.unicodeScalars)
        else { throw damaged("a personal field doesn't match any of the payload's \(subjects.count)") }
        if case .string(let object) = row[2] { objects[place] = object }
      }
      do { return try PersonalPayload.joined(payload, objects) } catch {
        throw damaged("its personal values can't be restored: \(error)")
      }
    }
  }
#endif
