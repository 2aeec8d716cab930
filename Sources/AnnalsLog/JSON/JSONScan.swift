/// A single pass over a JSON string that writes its tokens to a tape.
///
/// The scan is not recursive. The tape records the open arrays and objects, so nested values need no additional stack.
struct JSONScan {
  private let tape: JSONTape
  private let bytes: UnsafeMutablePointer<UInt8>
  private let end: Int
  /// True if names must be unique and exponents are limited.
  private let isStrict: Bool
  /// The maximum depth at which arrays and objects keep the tokens of their contents.
  private let kept: Int
  private let maximumDepth: Int
  private var offset = 0
  private var depth = 0
  /// The innermost open array or object.
  ///
  /// Until it is closed, its `next` is the enclosing array or object.
  private var open = JSONTape.missing

  init(_ tape: JSONTape, strictly isStrict: Bool, keeping extent: JSONTape.Extent) {
    self.tape = tape
    self.isStrict = isStrict
    bytes = tape.bytes
    end = tape.byteCount
    kept = extent.depth
    maximumDepth = JSON.maximumDepth + (extent == .members ? 1 : 0)
  }

  /// Reads exactly one value, and throws an error if other data follows the value.
  mutating func whole() throws(JSONFailure) {
    while true {
      skipSpace()
      switch bytes[offset] {
      case UInt8(ascii: "\""): try string()
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): try number()
      case UInt8(ascii: "{"):
        try enter(.object)
        if bytes[offset] != UInt8(ascii: "}") {
          try name()
          continue
        }
        try leave()
      case UInt8(ascii: "["):
        try enter(.array)
        if bytes[offset] != UInt8(ascii: "]") { continue }
        try leave()
      case UInt8(ascii: "t"): try word("true", .yes)
      case UInt8(ascii: "f"): try word("false", .no)
      case UInt8(ascii: "n"): try word("null", .null)
      default: throw expected("a JSON value")
      }
      repeat {
        skipSpace()
        if open == JSONTape.missing {
          if offset < end { throw expected("the end of the text") }
          return
        }
      } while try !hasNext()
    }
  }

  /// Reads the tokens after a value, and returns true after a comma and the next name, or false after a closing
  /// bracket.
  private mutating func hasNext() throws(JSONFailure) -> Bool {
    let isObject = tape.kind(open) == .object
    tape.tokens[open].count &+= 1
    if bytes[offset] == UInt8(ascii: ",") {
      offset += 1
      if isObject {
        skipSpace()
        try name()
      } else if depth > kept {
        tape.cut(after: open)
      }
      return true
    }
    guard bytes[offset] == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
      throw expected(isObject ? "\",\" or \"}\"" : "\",\" or \"]\"")
    }
    try leave()
    return false
  }

  // The string is followed by zeros, so that a byte can be read without checking for the end.

  private mutating func skipSpace() {
    while true {
      switch bytes[offset] {
      case 0x20, 0x0A, 0x0D, 0x09: offset += 1
      default: return
      }
    }
  }

  private mutating func word(_ word: StaticString, _ kind: JSONTape.Kind) throws(JSONFailure) {
    let count = word.utf8CodeUnitCount
    for index in 0..<count where bytes[offset + index] != word.utf8Start[index] { throw expected("\(word)") }
    _ = tape.add(kind, start: offset, count: count)
    offset += count
  }

  private mutating func enter(_ kind: JSONTape.Kind) throws(JSONFailure) {
    depth += 1
    if depth > maximumDepth { throw failure("the value is nested deeper than \(JSON.maximumDepth) levels") }
    let token = tape.add(kind, start: offset, count: 0)
    tape.tokens[token].next = UInt32(truncatingIfNeeded: open)
    open = token
    offset += 1
    skipSpace()
  }

  /// Reads a closing bracket.
  private mutating func leave() throws(JSONFailure) {
    let (closed, around) = (open, Int(tape.tokens[open].next))
    offset += 1
    depth -= 1
    tape.close(closed)
    if isStrict, tape.kind(closed) == .object, let key = tape.repeatedName(in: closed) {
      offset = tape.range(of: key).lowerBound
      let name = JSONValue.quoted(tape.scalars(of: key).shortened(to: 100))
      throw failure("the member \(name) appears twice in one object")
    }
    if depth >= kept { tape.fold(closed, end: offset) }
    open = around
  }

  private mutating func name() throws(JSONFailure) {
    guard bytes[offset] == UInt8(ascii: "\"") else { throw expected("a member's name") }
    try string()
    skipSpace()
    guard bytes[offset] == UInt8(ascii: ":") else { throw expected("\":\"") }
    offset += 1
  }

  private mutating func number() throws(JSONFailure) {
    let start = offset
    var kind = JSONTape.Kind.integer
    var power = 0
    if bytes[offset] == UInt8(ascii: "-") { offset += 1 }
    if bytes[offset] == UInt8(ascii: "0") { offset += 1 } else { try digits() }
    if bytes[offset] == UInt8(ascii: ".") {
      kind = .number
      offset += 1
      try digits()
    }
    if bytes[offset] | 0x20 == UInt8(ascii: "e") {
      kind = .number
      offset += 1
      if bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-") { offset += 1 }
      let first = offset
      try digits()
      power = offset - first
    }
    // All exponents with at most nine digits are within the limit.
    if power > 9, isStrict {
      let text = String(decoding: UnsafeBufferPointer(start: bytes + start, count: offset - start), as: UTF8.self)
      if JSONNumber(text: text) == nil {
        offset = start
        throw failure("the number's exponent must be from -1,000,000,000 to 1,000,000,000")
      }
    }
    _ = tape.add(kind, start: start, count: offset - start)
  }

  private mutating func digits() throws(JSONFailure) {
    let start = offset
    while bytes[offset] &- UInt8(ascii: "0") < 10 { offset += 1 }
    if offset == start { throw expected("a digit") }
  }

  private mutating func string() throws(JSONFailure) {
    let start = offset + 1
    // The zeros after the string are control characters, at which the search ends.
    let all = UnsafeRawBufferPointer(start: bytes, count: end + 8)
    var kind = JSONTape.Kind.plain
    offset = all.nextOfJSONString(from: start)
    while offset < end, bytes[offset] != UInt8(ascii: "\"") {
      guard bytes[offset] == UInt8(ascii: "\\") else {
        throw failure("a string contains the unescaped control character with the code \(bytes[offset])")
      }
      kind = .escaped
      try escape()
      offset = all.nextOfJSONString(from: offset)
    }
    guard offset < end else { throw expected("the string's closing quote") }
    _ = tape.add(kind, start: start, count: offset - start)
    offset += 1
  }

  private mutating func escape() throws(JSONFailure) {
    offset += 1
    switch bytes[offset] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      offset += 1
    case UInt8(ascii: "u"):
      let unit = try hexadecimal()
      guard unit & 0xF800 == 0xD800 else { return }
      if unit < 0xDC00, bytes[offset] == UInt8(ascii: "\\"), bytes[offset + 1] == UInt8(ascii: "u") {
        offset += 1
        if try hexadecimal() & 0xFC00 == 0xDC00 { return }
      }
      throw failure("found only one half of a surrogate pair, but Unicode requires both halves")
    default: throw expected("one of the characters \" \\ / b f n r t u after a backslash")
    }
  }

  /// Reads the four digits after the letter u, which is the current byte.
  private mutating func hexadecimal() throws(JSONFailure) -> UInt16 {
    offset += 1
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = JSONTape.hexadecimalDigit(bytes[offset]) else { throw expected("four hexadecimal digits") }
      unit = unit << 4 | digit
      offset += 1
    }
    return unit
  }

  private func failure(_ message: String) -> JSONFailure { JSONFailure(message: message, byte: offset + 1) }

  private func expected(_ what: String) -> JSONFailure {
    failure("expected \(what), found \(tape.found(at: offset))")
  }
}
