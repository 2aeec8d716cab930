import Foundation

// The values of tokens. `nil` means that the token has another kind or that the Swift type cannot represent it. Only
// then does `failure(_:at:_:)` determine the reason.
extension JSONTape {
  func bool(_ token: Int) -> Bool? {
    switch kind(token) {
    case .yes: true
    case .no: false
    default: nil
    }
  }

  /// Returns a string's value, or `nil` for another kind of token or invalid UTF-8.
  func string(_ token: Int) -> String? {
    switch kind(token) {
    case .plain: Self.validText(text(token))
    case .escaped: unescaped(token) { Self.validText($0) }
    default: nil
    }
  }

  /// Returns the bytes as a string, or `nil` if they are not UTF-8.
  ///
  /// Most strings are ASCII, which needs no validation. Skipping the validation saves time, because the standard
  /// library's validation looks up types by name for every string.
  private static func validText(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    isASCII(UnsafeRawBufferPointer(bytes))
      ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
  }

  private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var (offset, highs) = (0, 0 as UInt64)
    while offset + 8 <= bytes.count {
      highs |= bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    while offset < bytes.count {
      highs |= UInt64(bytes[offset])
      offset += 1
    }
    return highs & 0x8080_8080_8080_8080 == 0
  }

  /// Calls a closure with the bytes of a string's value.
  func withString<Result>(_ token: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    kind(token) == .escaped ? unescaped(token, body) : body(text(token))
  }

  /// Calls a closure with the unescaped bytes of a string, which are never longer than its JSON.
  private func unescaped<Result>(_ token: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let text = text(token)
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { room in
      var (from, to) = (0, 0)
      func add(_ byte: UInt8) {
        room.initializeElement(at: to, to: byte)
        to += 1
      }
      func unit() -> UInt32 {
        defer { from += 4 }
        // The scan has checked that there are four digits.
        return (0..<4).reduce(0) { $0 << 4 | UInt32(Self.hexadecimalDigit(text[from + $1]) ?? 0) }
      }
      while from < text.count {
        guard text[from] == UInt8(ascii: "\\") else {
          add(text[from])
          from += 1
          continue
        }
        let letter = text[from + 1]
        from += 2
        switch letter {
        case UInt8(ascii: "b"): add(0x08)
        case UInt8(ascii: "f"): add(0x0C)
        case UInt8(ascii: "n"): add(0x0A)
        case UInt8(ascii: "r"): add(0x0D)
        case UInt8(ascii: "t"): add(0x09)
        case UInt8(ascii: "u"):
          var scalar = unit()
          if scalar & 0xFC00 == 0xD800 {
            from += 2
            scalar = 0x10000 + ((scalar - 0xD800) << 10) + (unit() - 0xDC00)
          }
          // The scan has checked that it is a scalar.
          for byte in UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? .init() { add(byte) }
        default: add(letter)
        }
      }
      return body(UnsafeBufferPointer(start: room.baseAddress, count: to))
    }
  }

  static func hexadecimalDigit(_ byte: UInt8) -> UInt16? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  @inline(__always)
  func integer<T: FixedWidthInteger>(_ token: Int) -> T? {
    guard kind(token) == .integer else { return kind(token) == .number ? fractional(token) : nil }
    let text = text(token)
    // Up to 18 digits cannot overflow 64 bits.
    guard text.count < 19 else { return T(String(decoding: text, as: UTF8.self)) }
    let isNegative = text[0] == UInt8(ascii: "-")
    var value: Int64 = 0
    for offset in (isNegative ? 1 : 0)..<text.count { value = value &* 10 &+ Int64(text[offset] &- UInt8(ascii: "0")) }
    return T(exactly: isNegative ? -value : value)
  }

  /// Returns an integer that is written with a fraction or an exponent, such as 5.0 or 1e3.
  ///
  /// The integer is read as Foundation reads it. Below 2^53, it is read through a Double, which is exact. Any
  /// larger integer is read through a Decimal, which must be whole.
  private func fractional<T: FixedWidthInteger>(_ token: Int) -> T? {
    let text = String(decoding: text(token), as: UTF8.self)
    guard let double = Double(text), let value = T(exactly: double) else { return nil }
    if double.magnitude < 0x1p53 { return value }
    guard let decimal = Decimal(string: text) else { return nil }
    var (exact, whole) = (decimal, Decimal())
    NSDecimalRound(&whole, &exact, 0, .down)
    return whole == decimal ? T(whole.description) : nil
  }

  func double(_ token: Int) -> Double? {
    guard kind(token) == .number || kind(token) == .integer else { return nil }
    let text = text(token)
    if let value = Self.exactDouble(text) { return value }
    // Swift's own parsing rounds correctly for any length. For a number beyond the range of Double, it returns infinity
    // or zero.
    guard let value = Double(String(decoding: text, as: UTF8.self)), isHeld(value, token) else { return nil }
    return value
  }

  func float(_ token: Int) -> Float? {
    guard kind(token) == .number || kind(token) == .integer else { return nil }
    guard let value = Float(String(decoding: text(token), as: UTF8.self)), isHeld(value, token) else { return nil }
    return value
  }

  /// Returns false for infinity, and for a zero if the number in the JSON isn't zero.
  private func isHeld(_ value: some BinaryFloatingPoint, _ token: Int) -> Bool {
    if value != 0 { return value.isFinite }
    for byte in text(token) {
      if (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(byte) { return false }
      if byte | 0x20 == UInt8(ascii: "e") { return true }
    }
    return true
  }

  /// Returns a number as its digits divided by an exact power of ten, or `nil` if the digits don't fit in 53 bits or
  /// the number has another form.
  ///
  /// The result is rounded only once, and therefore correctly (Clinger, How to read floating point numbers accurately,
  /// 1990).
  private static func exactDouble(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    guard text.count < 20 else { return nil }
    var (digits, fraction, offset) = (0 as UInt64, 0, 0)
    let isNegative = text[0] == UInt8(ascii: "-")
    if isNegative { offset = 1 }
    var isFraction = false
    while offset < text.count {
      let byte = text[offset]
      if byte == UInt8(ascii: ".") {
        isFraction = true
      } else if byte &- UInt8(ascii: "0") < 10 {
        digits = digits &* 10 &+ UInt64(byte &- UInt8(ascii: "0"))
        if isFraction { fraction += 1 }
      } else {
        return nil
      }
      offset += 1
    }
    guard digits <= 1 << 53, fraction < powersOfTen.count else { return nil }
    let value = fraction == 0 ? Double(digits) : Double(digits) / powersOfTen[fraction]
    return isNegative ? -value : value
  }

  func decimal(_ token: Int) -> Decimal? {
    guard kind(token) == .number || kind(token) == .integer else { return nil }
    return Decimal(string: String(decoding: text(token), as: UTF8.self))
  }

  /// Returns a date from a time in RFC 3339, or from the number of seconds since 2001 that older versions wrote.
  func date(_ token: Int) -> Date? {
    switch kind(token) {
    case .plain, .escaped: withString(token) { RFC3339.parts(of: $0) }.map { Date($0) }
    default: double(token).map { Date(timeIntervalSinceReferenceDate: $0) }
    }
  }

  func data(_ token: Int) -> Data? {
    string(token).flatMap { Data(base64Encoded: $0) }
  }

  func url(_ token: Int) -> URL? {
    string(token).flatMap { URL(string: $0) }
  }
}

/// The powers of ten that a Double represents exactly.
let powersOfTen: [Double] = [
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
  1e21,
  1e22,
]
