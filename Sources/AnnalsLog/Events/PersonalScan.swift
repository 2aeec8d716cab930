/// The personal fields of one payload, with their locations.
///
/// A log might be damaged. So a string that isn't JSON, or a malformed field, causes a thrown error instead of a crash.
struct PersonalScan {
  struct Field {
    let range: Range<Int>
    let subject: String
    let hasValue: Bool
  }

  /// The fields in the order of their starts.
  ///
  /// No field is inside another.
  private(set) var fields: [Field] = []
  private let tape = JSONTape()

  init(_ payload: String) throws(PersonalPayload.Problem) {
    do { try tape.load(payload) } catch { throw PersonalPayload.Problem(description: error.description) }
    var token = JSONTape.root
    while token < tape.tokenCount {
      if let subject = subject(of: token) {
        fields.append(try field(token, of: subject))
        token = Int(tape.tokens[token].next)
      } else {
        token += 1
      }
    }
  }

  /// Returns the token of an object's member `$personal`, which makes the object a field, or nil for any other value.
  private func subject(of token: Int) -> Int? {
    tape.kind(token) == .object ? tape.member("$personal", of: token) : nil
  }

  private func field(_ object: Int, of subject: Int) throws(PersonalPayload.Problem) -> Field {
    let range = tape.range(of: object)
    func problem(_ found: String) -> PersonalPayload.Problem {
      PersonalPayload.Problem(
        description:
          "the member \"$personal\" is reserved for personal fields: expected "
          + "{\"$personal\": SUBJECT, \"value\": VALUE} at byte \(range.lowerBound + 1), found \(found)")
    }
    guard let text = tape.string(subject) else { throw problem("a subject that isn't a string") }
    let names = tape.names(of: object) ?? []
    if let other = names.first(where: { !["$personal", "value"].map { ExactString($0) }.contains(ExactString($0)) }) {
      throw problem("the additional member \(JSONValue.quoted(other))")
    }
    if (object + 1..<Int(tape.tokens[object].next)).contains(where: { self.subject(of: $0) != nil }) {
      throw problem("a nested personal field. Move the inner field next to the outer field")
    }
    if text.isEmpty { throw problem("an empty subject") }
    if text.utf8.contains(0) { throw problem("a NUL character in the subject") }
    return Field(range: range, subject: text, hasValue: names.count > 1)
  }

  /// Returns the string in a range of bytes.
  func text(_ range: Range<Int>) -> String { String(decoding: tape.bytes(in: range), as: UTF8.self) }

  /// Returns the payload with replaced fields.
  ///
  /// A field without a replacement is unchanged.
  func replacing(_ text: (Int, Field) -> String?) -> String {
    let result = JSONText(capacity: tape.byteCount + 64)
    var last = 0
    for (number, field) in fields.enumerated() {
      guard let text = text(number, field) else { continue }
      result.add(tape.bytes + last, field.range.lowerBound - last)
      result.add(bare: text)
      last = field.range.upperBound
    }
    result.add(tape.bytes + last, tape.byteCount - last)
    return result.text
  }
}
