/// Reads JSON by RFC 8259, strictly, and keeps the text of what it is not asked to understand.
package struct JSONScanner {
  /// What is wrong with a text, and where.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package let message: String
    /// The place of the byte at which it was seen, from 1.
    package let byte: Int

    package var description: String { "\(message) (at byte \(byte))" }
  }

  /// Values nested deeper are refused: a reader that follows them would run out of stack.
  package static let maximumDepth = 256

  private let bytes: [UInt8]
  private var place = 0
  private var depth = 0

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Reads a text that is one value.
  package static func value(of text: String) throws -> JSONValue {
    var scanner = JSONScanner(Array(text.utf8))
    let value = try scanner.value()
    try scanner.end()
    return value
  }

  /// Throws if a text is not one value; nothing is made of it.
  package static func check(_ text: String) throws {
    var scanner = JSONScanner(Array(text.utf8))
    try scanner.skipValue()
    try scanner.end()
  }

  /// Reads a text that is one object, and answers its members with the values' texts as they came.
  package static func members(ofObject text: String) throws -> [(name: String, json: String)] {
    var scanner = JSONScanner(Array(text.utf8))
    var members: [(name: String, json: String)] = []
    scanner.skipSpace()
    guard scanner.peek == UInt8(ascii: "{") else { throw scanner.expected("an object") }
    try scanner.object { name, scanner in
      scanner.skipSpace()
      let start = scanner.place
      try scanner.skipValue()
      members.append((name, String(decoding: scanner.bytes[start..<scanner.place], as: UTF8.self)))
    }
    try scanner.end()
    return members
  }

  private var peek: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
  }

  private func failure(_ message: String) -> Failure {
    Failure(message: message, byte: place + 1)
  }

  private func expected(_ what: String) -> Failure {
    guard let byte = peek else { return failure("expected \(what), found the end of the text") }
    let rest = String(decoding: bytes[place..<min(place + 4, bytes.count)], as: UTF8.self)
    let found = byte > 0x20 && byte != 0x7F ? "\"\(rest.first.map(String.init) ?? "?")\"" : "the byte \(byte)"
    return failure("expected \(what), found \(found)")
  }

  private mutating func end() throws {
    skipSpace()
    if place < bytes.count { throw expected("nothing more") }
  }

  private mutating func value() throws -> JSONValue {
    skipSpace()
    switch peek {
    case UInt8(ascii: "{"):
      var members: [JSONValue.Member] = []
      try object { name, scanner in
        let value = try scanner.value()
        if value != .null { members.append(.init(name: name, value: value)) }
      }
      return .object(members.sorted { ExactString($0.name) < ExactString($1.name) })
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case .some(let byte) where byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte):
      return .number(try number())
    default: throw expected("a JSON value")
    }
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws -> JSONValue {
    guard bytes[place...].starts(with: "\(word)".utf8) else { throw expected("\(word)") }
    place += word.utf8CodeUnitCount
    return value
  }

  private mutating func enter() throws {
    depth += 1
    if depth > Self.maximumDepth { throw failure("nested deeper than \(Self.maximumDepth) levels") }
    place += 1
    skipSpace()
  }

  private mutating func leave() {
    depth -= 1
    place += 1
  }

  /// Goes past a value, by the same rules as ``value()``.
  private mutating func skipValue() throws {
    skipSpace()
    switch peek {
    case UInt8(ascii: "{"): try skipObject()
    case UInt8(ascii: "["):
      try enter()
      if peek != UInt8(ascii: "]") {
        while true {
          try skipValue()
          skipSpace()
          guard peek == UInt8(ascii: ",") else { break }
          place += 1
        }
        guard peek == UInt8(ascii: "]") else { throw expected("\",\" or \"]\"") }
      }
      leave()
    case UInt8(ascii: "\""):
      let start = place
      place += 1
      skipPlain()
      if peek == UInt8(ascii: "\"") {
        place += 1
      } else {
        place = start
        _ = try string()
      }
    case .some(let byte) where byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte):
      try skipNumber()
    default: _ = try value()
    }
  }

  /// Goes past an object; as long as its names are few and plain, none of them is made.
  ///
  /// Each byte is gone past once: what began an object again at a name that is not plain would take twice as long for each level
  /// of a nested one.
  private mutating func skipObject() throws {
    try enter()
    var plain: [Range<Int>] = []
    var made: Set<ExactString> = []
    if peek != UInt8(ascii: "}") {
      while true {
        skipSpace()
        guard peek == UInt8(ascii: "\"") else { throw expected("a member's name") }
        let start = place
        place += 1
        skipPlain()
        if peek == UInt8(ascii: "\""), made.isEmpty, plain.count < 16 {
          let name = start + 1..<place
          for known in plain where known.count == name.count && bytes[known] == bytes[name] {
            throw twice(String(decoding: bytes[name], as: UTF8.self), at: start)
          }
          plain.append(name)
          place += 1
        } else {
          if made.isEmpty { made = Set(plain.map { ExactString(String(decoding: bytes[$0], as: UTF8.self)) }) }
          place = start
          let name = try string()
          guard made.insert(ExactString(name)).inserted else { throw twice(name, at: start) }
        }
        skipSpace()
        guard peek == UInt8(ascii: ":") else { throw expected("\":\"") }
        place += 1
        try skipValue()
        skipSpace()
        guard peek == UInt8(ascii: ",") else { break }
        place += 1
      }
      guard peek == UInt8(ascii: "}") else { throw expected("\",\" or \"}\"") }
    }
    leave()
  }

  private mutating func twice(_ name: String, at start: Int) -> Failure {
    place = start
    return failure("the member \(JSONValue.quoted(name.shortened(to: 100))) stands twice in one object")
  }

  private mutating func object(_ member: (String, inout JSONScanner) throws -> Void) throws {
    try enter()
    var names: Set<ExactString> = []
    if peek != UInt8(ascii: "}") {
      while true {
        skipSpace()
        guard peek == UInt8(ascii: "\"") else { throw expected("a member's name") }
        let start = place
        let name = try string()
        guard names.insert(ExactString(name)).inserted else { throw twice(name, at: start) }
        skipSpace()
        guard peek == UInt8(ascii: ":") else { throw expected("\":\"") }
        place += 1
        try member(name, &self)
        skipSpace()
        guard peek == UInt8(ascii: ",") else { break }
        place += 1
      }
      guard peek == UInt8(ascii: "}") else { throw expected("\",\" or \"}\"") }
    }
    leave()
  }

  private mutating func array() throws -> JSONValue {
    try enter()
    var values: [JSONValue] = []
    if peek != UInt8(ascii: "]") {
      while true {
        values.append(try value())
        skipSpace()
        guard peek == UInt8(ascii: ",") else { break }
        place += 1
      }
      guard peek == UInt8(ascii: "]") else { throw expected("\",\" or \"]\"") }
    }
    leave()
    return .array(values)
  }

  private mutating func number() throws -> JSONNumber {
    let start = place
    _ = try numberEnd()
    guard let number = JSONNumber(text: String(decoding: bytes[start..<place], as: UTF8.self)) else {
      place = start
      throw failure("the number's exponent is beyond 1,000,000,000")
    }
    return number
  }

  /// Goes past a number; one with a long exponent is read, because it may be beyond what is taken.
  private mutating func skipNumber() throws {
    let start = place
    guard try numberEnd() > 9 else { return }
    place = start
    _ = try number()
  }

  /// Goes to a number's end; answers the number of digits of its exponent.
  private mutating func numberEnd() throws -> Int {
    if peek == UInt8(ascii: "-") { place += 1 }
    if peek == UInt8(ascii: "0") { place += 1 } else { try digits() }
    if peek == UInt8(ascii: ".") {
      place += 1
      try digits()
    }
    guard peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") else { return 0 }
    place += 1
    if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { place += 1 }
    let start = place
    try digits()
    return place - start
  }

  private mutating func digits() throws {
    let start = place
    while let byte = peek, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { place += 1 }
    if place == start { throw expected("a digit") }
  }

  private mutating func string() throws -> String {
    place += 1
    let start = place
    skipPlain()
    if peek == UInt8(ascii: "\"") {
      defer { place += 1 }
      return String(decoding: bytes[start..<place], as: UTF8.self)
    }
    var text = Array(bytes[start..<place])
    while true {
      guard let byte = peek else { throw expected("the string's closing quote") }
      place += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += Array(String(Character(try escape())).utf8)
      case 0..<0x20:
        place -= 1
        throw failure("a string holds the control character \(byte) unescaped")
      default:
        let start = place - 1
        skipPlain()
        text += bytes[start..<place]
      }
    }
  }

  /// Goes on to the next byte that means something in a string.
  private mutating func skipPlain() {
    place = bytes.withUnsafeBytes { $0.nextOfJSONString(from: place) }
  }

  private mutating func escape() throws -> Unicode.Scalar {
    guard let byte = peek else { throw expected("an escape") }
    place += 1
    switch byte {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let unit = try hexadecimal()
      if let scalar = Unicode.Scalar(unit) { return scalar }
      if unit < 0xDC00, peek == UInt8(ascii: "\\") {
        place += 1
        if peek == UInt8(ascii: "u") {
          place += 1
          let low = try hexadecimal()
          if low >= 0xDC00, low <= 0xDFFF,
            let scalar = Unicode.Scalar(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
          {
            return scalar
          }
        }
      }
      throw failure("half of a surrogate pair stands alone; no Unicode text holds it")
    default:
      place -= 1
      throw expected("an escape (one of \" \\ / b f n r t u)")
    }
  }

  private mutating func hexadecimal() throws -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw expected("four hexadecimal digits")
      }
      value = value << 4 | UInt32(digit)
      place += 1
    }
    return value
  }
}
