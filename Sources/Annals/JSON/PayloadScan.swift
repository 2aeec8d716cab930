/// Goes through a JSON text once and writes its tokens on a tape.
struct PayloadScan {
  private let tape: PayloadTape
  private let bytes: UnsafeMutablePointer<UInt8>
  private let end: Int
  private var place = 0
  private var depth = 0

  init(_ tape: PayloadTape) {
    self.tape = tape
    bytes = tape.bytes
    end = tape.byteCount
  }

  /// Reads one value, and nothing after it.
  mutating func whole() throws(JSONScanner.Failure) {
    try value()
    skipSpace()
    if place < end { throw expected("nothing more") }
  }

  // Behind the text stand zeros, so that a byte can be looked at without asking for the end.

  private mutating func skipSpace() {
    while true {
      switch bytes[place] {
      case 0x20, 0x0A, 0x0D, 0x09: place += 1
      default: return
      }
    }
  }

  private mutating func value() throws(JSONScanner.Failure) {
    skipSpace()
    switch bytes[place] {
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): try number()
    case UInt8(ascii: "{"): try object()
    case UInt8(ascii: "["): try array()
    case UInt8(ascii: "t"): try word("true", .yes)
    case UInt8(ascii: "f"): try word("false", .no)
    case UInt8(ascii: "n"): try word("null", .null)
    default: throw expected("a JSON value")
    }
  }

  private mutating func word(_ word: StaticString, _ kind: PayloadTape.Kind) throws(JSONScanner.Failure) {
    let count = word.utf8CodeUnitCount
    for index in 0..<count where bytes[place + index] != word.utf8Start[index] { throw expected("\(word)") }
    _ = tape.add(kind, start: place, count: count)
    place += count
  }

  private mutating func enter() throws(JSONScanner.Failure) {
    depth += 1
    if depth > PayloadTape.maximumDepth { throw failure("nested deeper than \(PayloadTape.maximumDepth) levels") }
    place += 1
    skipSpace()
  }

  private mutating func object() throws(JSONScanner.Failure) {
    let token = tape.add(.object, start: place, count: 0)
    try enter()
    var count = 0
    if bytes[place] != UInt8(ascii: "}") {
      while true {
        guard bytes[place] == UInt8(ascii: "\"") else { throw expected("a member's name") }
        try string()
        skipSpace()
        guard bytes[place] == UInt8(ascii: ":") else { throw expected("\":\"") }
        place += 1
        try value()
        count += 1
        skipSpace()
        guard bytes[place] == UInt8(ascii: ",") else { break }
        place += 1
        skipSpace()
      }
      guard bytes[place] == UInt8(ascii: "}") else { throw expected("\",\" or \"}\"") }
    }
    depth -= 1
    place += 1
    tape.close(token, count: count)
  }

  private mutating func array() throws(JSONScanner.Failure) {
    let token = tape.add(.array, start: place, count: 0)
    try enter()
    var count = 0
    if bytes[place] != UInt8(ascii: "]") {
      while true {
        try value()
        count += 1
        skipSpace()
        guard bytes[place] == UInt8(ascii: ",") else { break }
        place += 1
      }
      guard bytes[place] == UInt8(ascii: "]") else { throw expected("\",\" or \"]\"") }
    }
    depth -= 1
    place += 1
    tape.close(token, count: count)
  }

  private mutating func number() throws(JSONScanner.Failure) {
    let start = place
    var kind = PayloadTape.Kind.integer
    if bytes[place] == UInt8(ascii: "-") { place += 1 }
    if bytes[place] == UInt8(ascii: "0") { place += 1 } else { try digits() }
    if bytes[place] == UInt8(ascii: ".") {
      kind = .number
      place += 1
      try digits()
    }
    if bytes[place] | 0x20 == UInt8(ascii: "e") {
      kind = .number
      place += 1
      if bytes[place] == UInt8(ascii: "+") || bytes[place] == UInt8(ascii: "-") { place += 1 }
      try digits()
    }
    _ = tape.add(kind, start: start, count: place - start)
  }

  private mutating func digits() throws(JSONScanner.Failure) {
    let start = place
    while bytes[place] &- UInt8(ascii: "0") < 10 { place += 1 }
    if place == start { throw expected("a digit") }
  }

  private mutating func string() throws(JSONScanner.Failure) {
    let start = place + 1
    let all = UnsafeRawBufferPointer(start: bytes, count: end)
    var kind = PayloadTape.Kind.plain
    place = all.nextOfJSONString(from: start)
    while place < end, bytes[place] != UInt8(ascii: "\"") {
      guard bytes[place] == UInt8(ascii: "\\") else {
        throw failure("a string holds the control character \(bytes[place]) unescaped")
      }
      kind = .escaped
      try escape()
      place = all.nextOfJSONString(from: place)
    }
    guard place < end else { throw expected("the string's closing quote") }
    _ = tape.add(kind, start: start, count: place - start)
    place += 1
  }

  private mutating func escape() throws(JSONScanner.Failure) {
    place += 1
    switch bytes[place] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      place += 1
    case UInt8(ascii: "u"):
      let unit = try hexadecimal()
      guard unit & 0xF800 == 0xD800 else { return }
      if unit < 0xDC00, bytes[place] == UInt8(ascii: "\\"), bytes[place + 1] == UInt8(ascii: "u") {
        place += 1
        if try hexadecimal() & 0xFC00 == 0xDC00 { return }
      }
      throw failure("half of a surrogate pair stands alone; no Unicode text holds it")
    default: throw expected("an escape (one of \" \\ / b f n r t u)")
    }
  }

  /// Reads the four digits after the letter u, at which it stands.
  private mutating func hexadecimal() throws(JSONScanner.Failure) -> UInt16 {
    place += 1
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = PayloadTape.hexadecimalDigit(bytes[place]) else { throw expected("four hexadecimal digits") }
      unit = unit << 4 | digit
      place += 1
    }
    return unit
  }

  private func failure(_ message: String) -> JSONScanner.Failure {
    JSONScanner.Failure(message: message, byte: place + 1)
  }

  private func expected(_ what: String) -> JSONScanner.Failure {
    guard place < end else { return failure("expected \(what), found the end of the text") }
    let rest = String(decoding: UnsafeBufferPointer(start: bytes + place, count: min(4, end - place)), as: UTF8.self)
    let found = bytes[place] > 0x20 && bytes[place] < 0x7F ? "\"\(rest.prefix(1))\"" : "the byte \(bytes[place])"
    return failure("expected \(what), found \(found)")
  }
}
