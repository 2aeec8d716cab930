import Foundation

/// A personal field of a payload, whose value can be erased.
public struct PersonalField: Hashable, Sendable {
  /// The person that the field is about.
  public let subject: String
  /// The original JSON object that contains the value, or `nil` for a field without a value.
  public let object: String?

  /// Creates a field.
  ///
  /// - Parameters:
  ///   - subject: The person that the field is about.
  ///   - object: The original JSON object that contains the value, or `nil` for a field without a value.
  public init(subject: String, object: String?) { (self.subject, self.object) = (subject, object) }

  /// Returns the JSON that replaces a field in a payload when its value is extracted or erased.
  ///
  /// - Parameter subject: The person that the field is about.
  /// - Returns: The JSON object.
  public static func placeholder(of subject: String) -> String { "{\"$personal\":\(JSONValue.quoted(subject))}" }
}

/// A payload without its personal values, and the fields from which they were extracted.
///
/// A field is a JSON object with the member `$personal`, which contains the subject, and optionally the member `value`.
/// The fields of a payload are numbered in the order in which they begin, starting at 0. A placeholder for an extracted
/// or erased value is also a field, so the fields' numbers never change.
public struct PersonalPayload: Hashable, Sendable {
  /// The payload with placeholders instead of the values.
  public let payload: String
  /// The fields, in the order in which they begin.
  public let fields: [PersonalField]

  /// Extracts the values of all personal fields from a payload.
  ///
  /// - Parameter payload: The payload, as JSON.
  /// - Throws: ``Problem`` if a field is malformed.
  /// - Complexity: O(n) for n bytes. A payload without fields is only searched for the name `$personal`.
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

  /// An error for a payload with malformed personal fields.
  public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// A message that contains the expected value, the actual value, and their place.
    public let description: String
  }

  /// Returns the subjects of a payload's fields, in the order in which the fields begin.
  ///
  /// - Parameter payload: The payload, as JSON.
  /// - Returns: The subjects, one for every field.
  /// - Throws: ``Problem`` if a field is malformed.
  public static func subjects(of payload: String) throws -> [String] {
    mayHaveFields(payload) ? try PersonalScan(payload).fields.map(\.subject) : []
  }

  /// Inserts extracted values into a payload.
  ///
  /// - Parameters:
  ///   - payload: The payload, as JSON with placeholders.
  ///   - objects: The objects that contain the values, by the numbers of their fields. A field without an object is
  ///     unchanged.
  /// - Returns: The payload with the values.
  /// - Throws: ``Problem`` if a field is malformed.
  public static func joined(_ payload: String, _ objects: [Int: String]) throws -> String {
    objects.isEmpty ? payload : try PersonalScan(payload).replacing { number, _ in objects[number] }
  }

  /// The payload without the values of a subject, and the number of removed values.
  package static func erased(_ payload: String, of subject: String) throws -> (payload: String, count: Int) {
    var count = 0
    let text = try PersonalScan(payload).replacing { _, field in
      guard field.hasValue, ExactString(field.subject) == ExactString(subject) else { return nil }
      count += 1
      return PersonalField.placeholder(of: field.subject)
    }
    return (text, count)
  }

  /// Returns whether a payload may have personal fields.
  ///
  /// The search is fast, but can return true for a payload without fields. The name `$personal` can be written with
  /// escapes, as in `"\u0024personal"`, so the search also looks for `\u00`.
  ///
  /// - Parameter payload: The payload, as JSON.
  /// - Returns: False if the payload has no personal fields.
  public static func mayHaveFields(_ payload: String) -> Bool {
    var payload = payload
    return payload.withUTF8 { mayHaveFields(UnsafeRawBufferPointer($0)) }
  }

  /// Returns whether a payload, given as bytes, may have personal fields.
  ///
  /// - Parameter payload: The bytes of JSON.
  /// - Returns: False if the payload has no personal fields.
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
