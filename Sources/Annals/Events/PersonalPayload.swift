import Foundation

/// A personal field of a payload, as a store that can erase keeps it beside the event.
public struct PersonalField: Hashable, Sendable {
  /// The person whom it is about.
  public let subject: String
  /// The JSON object as it came, with the value; nil if it came without one.
  public let object: String?

  /// Creates a field.
  ///
  /// - Parameters:
  ///   - subject: The person whom it is about.
  ///   - object: The JSON object as it came, with the value; nil if it came without one.
  public init(subject: String, object: String?) { (self.subject, self.object) = (subject, object) }

  /// The JSON that is in a payload where the value of a field was cut out or erased.
  ///
  /// - Parameter subject: The person whom the field is about.
  /// - Returns: The JSON object.
  public static func placeholder(of subject: String) -> String { "{\"$personal\":\(JSONValue.quoted(subject))}" }
}

/// A payload whose personal values were cut out, and the fields that they were in.
///
/// A field is a JSON object with the member `$personal`, which names the subject, and the member `value`, or without
/// it. The fields of a payload are counted by where they begin: field 0 begins first. A placeholder is a field too, so
/// that a payload has the same fields whatever was cut out of it.
public struct PersonalPayload: Hashable, Sendable {
  /// The payload with placeholders in the place of the values.
  public let payload: String
  /// The fields, in the order in which they begin.
  public let fields: [PersonalField]

  /// Cuts the values of all personal fields out of a payload.
  ///
  /// - Parameter payload: JSON.
  /// - Throws: ``Problem`` if a field is not as it must be.
  /// - Complexity: O(n) for n bytes; a payload without fields is only searched for the name `$personal`.
  public init(cutting payload: String) throws {
    guard Self.mayHaveFields(payload) else {
      (self.payload, fields) = (payload, [])
      return
    }
    let scan = try PersonalScan(payload)
    fields = scan.fields.map { field in
      PersonalField(subject: field.subject, object: field.hasValue ? scan.text(field.range) : nil)
    }
    self.payload =
      fields.isEmpty
      ? payload : scan.replacing { _, field in field.hasValue ? PersonalField.placeholder(of: field.subject) : nil }
  }

  /// A payload whose personal fields are not as they must be.
  public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was expected, what was found, and where.
    public let description: String
  }

  /// The subjects of a payload's fields, in the order in which the fields begin.
  ///
  /// - Parameter payload: JSON.
  /// - Returns: The subjects, one for each field.
  /// - Throws: ``Problem`` if a field is not as it must be.
  public static func subjects(of payload: String) throws -> [String] {
    mayHaveFields(payload) ? try PersonalScan(payload).fields.map(\.subject) : []
  }

  /// Puts values back into a payload.
  ///
  /// - Parameters:
  ///   - payload: JSON with placeholders.
  ///   - objects: The objects with values, by the numbers of their fields; a field without one stays as it is.
  /// - Returns: The payload with the values.
  /// - Throws: ``Problem`` if a field is not as it must be.
  public static func joined(_ payload: String, _ objects: [Int: String]) throws -> String {
    objects.isEmpty ? payload : try PersonalScan(payload).replacing { number, _ in objects[number] }
  }

  /// The payload without the values of a subject, and the number of values that it had.
  package static func erased(_ payload: String, of subject: String) throws -> (payload: String, count: Int) {
    var count = 0
    let text = try PersonalScan(payload).replacing { _, field in
      guard field.hasValue, ExactString(field.subject) == ExactString(subject) else { return nil }
      count += 1
      return PersonalField.placeholder(of: field.subject)
    }
    return (text, count)
  }

  /// Tells whether a payload may have personal fields.
  ///
  /// The search is cheap, and may find some where there are none.
  ///
  /// The reserved name may be spelled with escapes, `"\u0024personal"`; then there is a `\u00` in the text.
  ///
  /// - Parameter payload: JSON.
  /// - Returns: False if it has none.
  public static func mayHaveFields(_ payload: String) -> Bool {
    var payload = payload
    return payload.withUTF8 { mayHaveFields(UnsafeRawBufferPointer($0)) }
  }

  /// Tells whether a payload may have personal fields, by its bytes.
  ///
  /// - Parameter payload: The bytes of JSON.
  /// - Returns: False if it has none.
  public static func mayHaveFields(_ payload: UnsafeRawBufferPointer) -> Bool {
    payload.withMemoryRebound(to: UInt8.self) { text in
      guard let start = text.baseAddress else { return false }
      func found(_ byte: UInt8, _ isMeant: (Int) -> Bool) -> Bool {
        var offset = 0
        while offset < text.count, let next = memchr(start + offset, Int32(byte), text.count - offset) {
          let at = UnsafePointer(next.assumingMemoryBound(to: UInt8.self)) - start
          if isMeant(at) { return true }
          offset = at + 1
        }
        return false
      }
      return found(UInt8(ascii: "$")) { at in
        at > 0 && text[at - 1] == UInt8(ascii: "\"") && text.count - at >= 10
          && memcmp(start + at, "$personal\"", 10) == 0
      } || found(UInt8(ascii: "\\")) { at in text.count - at >= 4 && memcmp(start + at, "\\u00", 4) == 0 }
    }
  }
}
