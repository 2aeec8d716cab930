extension UnsafeRawBufferPointer {
  /// The place of the next byte that stands in no JSON string as itself: a quote, a backslash or a control character.
  ///
  /// Eight bytes at a time: a text of many megabytes is read several times on its way into a log. "Some byte is less than
  /// n" is from Warren, Hacker's Delight, 6-1; a byte is a quote if its exclusive or with one is less than 1.
  func nextOfJSONString(from start: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    var place = start
    while place + 8 <= count {
      let word = loadUnaligned(fromByteOffset: place, as: UInt64.self)
      let quote = word ^ ones &* 0x22
      let backslash = word ^ ones &* 0x5C
      let control: UInt64 = (word &- ones &* 0x20) & ~word
      let found = control | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash
      if found & highs != 0 { break }
      place += 8
    }
    while place < count {
      let byte = self[place]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
      place += 1
    }
    return place
  }
}

extension JSONValue {
  /// A string as JSON writes it, with everything below space escaped.
  package static func quoted(_ string: String) -> String {
    var string = string
    return string.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      var text: [UInt8] = []
      text.reserveCapacity(bytes.count + 2)
      text.append(UInt8(ascii: "\""))
      var place = 0
      while true {
        let next = bytes.nextOfJSONString(from: place)
        text += bytes[place..<next]
        guard next < bytes.count else { break }
        text += escaped(bytes[next]).utf8
        place = next + 1
      }
      text.append(UInt8(ascii: "\""))
      return String(decoding: text, as: UTF8.self)
    }
  }

  private static func escaped(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "\""): return "\\\""
    case UInt8(ascii: "\\"): return "\\\\"
    case UInt8(ascii: "\n"): return "\\n"
    case UInt8(ascii: "\r"): return "\\r"
    case UInt8(ascii: "\t"): return "\\t"
    default: return "\\u00" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
    }
  }
}

extension StringProtocol {
  /// The text, or its beginning with an ellipsis where it has more scalars: what a message says of a text of any length.
  ///
  /// By scalars, not characters: one character may be megabytes of marks.
  package func shortened(to count: Int) -> String {
    guard let end = unicodeScalars.index(startIndex, offsetBy: count, limitedBy: endIndex), end < endIndex else {
      return String(self)
    }
    return String(self[..<end]) + "…"
  }
}
