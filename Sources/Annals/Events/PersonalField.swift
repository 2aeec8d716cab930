import Foundation

/// A personal field of a payload, as a store keeps it beside the event.
package struct PersonalField: Hashable, Sendable {
  /// Whom it is about.
  package let subject: String
  /// The JSON object as it came, with the value; nil if it came without one.
  package let object: String?

  package init(subject: String, object: String?) { (self.subject, self.object) = (subject, object) }

  /// What stands in a payload where a field was cut out or erased.
  package static func placeholder(of subject: String) -> String { "{\"$personal\":\(JSONValue.quoted(subject))}" }
}

/// The personal fields of payloads: cut out, put back, erased.
///
/// A field is a JSON object with the member `$personal`, which names the subject, and the member `value`, or without
/// it. Fields have places in a payload: 0 for the one that begins first, and so on. Placeholders are fields too, so
/// that a payload has the same places whatever was cut out of it.
package enum PersonalPayload {
  /// A payload whose personal fields are not as they must be.
  package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
  }

  /// Tells cheaply that a payload has no personal fields; true where it has to be looked at closely.
  ///
  /// The reserved name may be spelled with escapes, `"\u0024personal"`; then there is a `\u00` in the text.
  package static func mayHaveFields(_ payload: String) -> Bool {
    var payload = payload
    return payload.withUTF8 { mayHaveFields(UnsafeRawBufferPointer($0)) }
  }

  /// Tells of the bytes of a payload whether it may have fields.
  package static func mayHaveFields(_ payload: UnsafeRawBufferPointer) -> Bool {
    payload.withMemoryRebound(to: UInt8.self) { text in
      guard let start = text.baseAddress else { return false }
      func found(_ byte: UInt8, _ isMeant: (Int) -> Bool) -> Bool {
        var place = 0
        while place < text.count, let next = memchr(start + place, Int32(byte), text.count - place) {
          let at = UnsafePointer(next.assumingMemoryBound(to: UInt8.self)) - start
          if isMeant(at) { return true }
          place = at + 1
        }
        return false
      }
      return found(UInt8(ascii: "$")) { at in
        at > 0 && text[at - 1] == UInt8(ascii: "\"") && text.count - at >= 10
          && memcmp(start + at, "$personal\"", 10) == 0
      } || found(UInt8(ascii: "\\")) { at in text.count - at >= 4 && memcmp(start + at, "\\u00", 4) == 0 }
    }
  }

  /// Cuts the values of all personal fields out.
  ///
  /// - Parameter payload: JSON.
  /// - Returns: The payload with placeholders, and the fields by place; nil if there are none.
  /// - Throws: ``Problem`` if a field is not as it must be.
  package static func cut(_ payload: String) throws -> (payload: String, fields: [PersonalField])? {
    guard mayHaveFields(payload) else { return nil }
    let scan = try PersonalScan(payload)
    if scan.fields.isEmpty { return nil }
    let fields = scan.fields.map { field in
      PersonalField(subject: field.subject, object: field.hasValue ? scan.text(field.range) : nil)
    }
    return (
      scan.replacing { _, field in field.hasValue ? PersonalField.placeholder(of: field.subject) : nil }, fields
    )
  }

  /// The subjects of a payload's fields, by place.
  package static func subjects(of payload: String) throws -> [String] {
    mayHaveFields(payload) ? try PersonalScan(payload).fields.map(\.subject) : []
  }

  /// Puts values back: each object in the place that it had.
  package static func joined(_ payload: String, _ objects: [Int: String]) throws -> String {
    objects.isEmpty ? payload : try PersonalScan(payload).replacing { place, _ in objects[place] }
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
}
