public import Foundation

/// A field of an event's payload, for data about a person.
///
/// The data can be erased. ``PersonalPayload`` describes the field's JSON.
public struct PersonalField: Hashable, Sendable {
  /// The identifier of the person that the field is about (the subject), for example `guest-1`.
  public let subject: String
  /// The field's original JSON object, which contains the value, or `nil` for a field without a value.
  public let object: String?

  /// Creates a field.
  ///
  /// - Parameters:
  ///   - subject: The identifier of the person that the field is about.
  ///   - object: The field's original JSON object, which contains the value, or `nil` for a field without a value.
  public init(subject: String, object: String?) {
    self.subject = subject
    self.object = object
  }

  /// Returns the JSON object that replaces a field in a payload when the field's value is extracted or erased.
  ///
  /// - Parameter subject: The identifier of the person that the field is about.
  /// - Returns: The JSON object, which contains only the identifier.
  public static func placeholder(of subject: String) -> String { "{\"$personal\":\(JSONValue.quoted(subject))}" }
}

/// A payload that is split into JSON without personal values, and a list of the personal fields.
///
/// A personal field is a JSON object with the member `$personal`. This member contains the identifier of the person
/// that the field is about (the subject). The member `value` contains the person's data, and is missing after the value
/// was extracted or erased. A field without a value is called a placeholder.
///
/// A payload's fields are numbered in the order in which they begin, starting at 0. Placeholders are numbered too, so a
/// field's number never changes.
public struct PersonalPayload: Hashable, Sendable {
  /// The payload with a placeholder for every extracted value.
  public let payload: String
  /// The personal fields, in the order in which they begin in the payload.
  public let fields: [PersonalField]

  /// Extracts the values of all personal fields from a payload.
  ///
  /// - Parameter payload: The payload, as JSON.
  /// - Throws: ``Problem`` if a field is malformed.
  /// - Complexity: O(n) for n bytes. The payload is parsed only if a faster search for the name `$personal` has found a
  ///   possible field.
  public init(cutting payload: String) throws {
    guard Self.mayHaveFields(payload) else {
      self.payload = payload
      fields = []
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
  public struct Problem: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// A message that explains what was expected, what was found, and where.
    public let description: String

    /// The ``description``, which Foundation returns as the error's `localizedDescription`.
    public var errorDescription: String? { description }
  }

  /// Returns the identifiers of the persons (subjects) that a payload's personal fields are about.
  ///
  /// - Parameter payload: The payload, as JSON.
  /// - Returns: One identifier for every field, in the order in which the fields begin in the payload.
  /// - Throws: ``Problem`` if a field is malformed.
  public static func subjects(of payload: String) throws -> [String] {
    mayHaveFields(payload) ? try PersonalScan(payload).fields.map(\.subject) : []
  }

  /// Returns a payload with its extracted values reinserted.
  ///
  /// - Parameters:
  ///   - payload: The payload, as JSON with placeholders.
  ///   - objects: The original JSON object (``PersonalField/object``) of every field to restore, by the field's number.
  ///     A field stays unchanged if its number is missing.
  /// - Returns: The payload with the values.
  /// - Throws: ``Problem`` if a field is malformed.
  public static func joined(_ payload: String, _ objects: [Int: String]) throws -> String {
    objects.isEmpty ? payload : try PersonalScan(payload).replacing { number, _ in objects[number] }
  }

  /// Returns the payload without the values of a subject, and the number of removed values.
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
  /// The function searches the string for the name `$personal`, without parsing the JSON. So the function is fast, but
  /// it can return true for a payload without personal fields. The function also returns true if it finds `\u00`,
  /// because the name can be written with escapes: `"\u0024personal"`.
  ///
  /// - Parameter payload: The payload, as JSON.
  /// - Returns: False if the payload certainly has no personal fields.
  public static func mayHaveFields(_ payload: String) -> Bool {
    var payload = payload
    return payload.withUTF8 { mayHaveFields(UnsafeRawBufferPointer($0)) }
  }

  /// Returns whether a payload, given as UTF-8 bytes, may have personal fields.
  ///
  /// - Parameter payload: The bytes of the payload's JSON.
  /// - Returns: False if the payload certainly has no personal fields.
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
