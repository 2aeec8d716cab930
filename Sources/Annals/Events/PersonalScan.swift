/// Goes through JSON that is known to be right and finds the personal fields in it.
///
/// It takes no text for right, all the same: what it does not expect is a problem, and never a crash.
struct PersonalScan {
  struct Found {
    let range: Range<Int>
    let subject: String
    let hasValue: Bool
  }

  let bytes: [UInt8]
  /// In the order in which they begin: no field is inside another.
  private(set) var found: [Found] = []
  private var place = 0
  private var depth = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private var peek: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
  }

  private func problem(_ what: String, at start: Int) -> PersonalPayload.Problem {
    PersonalPayload.Problem(
      description:
        "the member \"$personal\" is kept for personal fields: expected {\"$personal\": SUBJECT, \"value\": VALUE}, "
        + "found \(what) (at byte \(start + 1))")
  }

  private var broken: PersonalPayload.Problem {
    PersonalPayload.Problem(description: "expected JSON, found something else (at byte \(place + 1))")
  }

  /// Goes past a value.
  mutating func value() throws {
    skipSpace()
    switch peek {
    case UInt8(ascii: "{"): try object()
    case UInt8(ascii: "["):
      try enter()
      skipSpace()
      while peek != UInt8(ascii: "]") {
        try value()
        skipSpace()
        if peek == UInt8(ascii: ",") { place += 1 } else if peek != UInt8(ascii: "]") { throw broken }
      }
      leave()
    case UInt8(ascii: "\""): _ = try string()
    case nil: throw broken
    default:
      let start = place
      while let byte = peek, byte > 0x20, byte != UInt8(ascii: ","), byte != UInt8(ascii: "]"),
        byte != UInt8(ascii: "}")
      { place += 1 }
      if place == start { throw broken }
    }
  }

  private mutating func enter() throws {
    depth += 1
    place += 1
    if depth > JSONScanner.maximumDepth { throw broken }
  }

  private mutating func leave() {
    depth -= 1
    place += 1
  }

  private mutating func object() throws {
    let (start, before) = (place, found.count)
    var (subject, wrong, hasValue): (String?, String?, Bool) = (nil, nil, false)
    var (isField, other): (Bool, String?) = (false, nil)
    try enter()
    skipSpace()
    while peek != UInt8(ascii: "}") {
      guard peek == UInt8(ascii: "\"") else { throw broken }
      let name = try text(of: string())
      skipSpace()
      guard peek == UInt8(ascii: ":") else { throw broken }
      place += 1
      skipSpace()
      let first = place
      try value()
      if ExactString(name) == ExactString("$personal") {
        isField = true
        if bytes[first] == UInt8(ascii: "\"") {
          subject = try text(of: first..<place)
        } else {
          wrong = "a subject that is no string"
        }
      } else if ExactString(name) == ExactString("value") {
        hasValue = true
      } else {
        other = other ?? name
      }
      skipSpace()
      if peek == UInt8(ascii: ",") {
        place += 1
        skipSpace()
      } else if peek != UInt8(ascii: "}") {
        throw broken
      }
    }
    leave()
    guard isField else { return }
    if let other { wrong = wrong ?? "the member \(JSONValue.quoted(other)) beside it" }
    if found.count > before { wrong = wrong ?? "a personal field inside its value; put the two side by side" }
    if subject?.isEmpty ?? false { wrong = wrong ?? "an empty subject" }
    if subject?.utf8.contains(0) ?? false { wrong = wrong ?? "a NUL character in the subject" }
    guard wrong == nil, let subject else { throw problem(wrong ?? "no subject", at: start) }
    found.append(Found(range: start..<place, subject: subject, hasValue: hasValue))
  }

  /// Goes past a string, and answers where it stands, its quotes included.
  private mutating func string() throws -> Range<Int> {
    let start = place
    place += 1
    while true {
      place = bytes.withUnsafeBytes { $0.nextOfJSONString(from: place) }
      guard let byte = peek else { throw broken }
      place += byte == UInt8(ascii: "\\") ? 2 : 1
      if byte == UInt8(ascii: "\"") { return start..<place }
      if place > bytes.count { throw broken }
    }
  }

  private func text(of range: Range<Int>) throws -> String {
    let inner = bytes[range].dropFirst().dropLast()
    guard inner.contains(UInt8(ascii: "\\")) else { return String(decoding: inner, as: UTF8.self) }
    guard case .string(let text) = try JSONValue(parsing: String(decoding: bytes[range], as: UTF8.self)) else {
      throw broken
    }
    return text
  }
}
