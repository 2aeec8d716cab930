extension UnsafeRawBufferPointer {
  /// Returns the offset of the next byte that must be escaped in a JSON string: a quote, a backslash or a control
  /// character.
  ///
  /// The method processes eight bytes at a time. The test "some byte is less than n" is from Warren, Hacker's Delight,
  /// 6-1. A byte is a quote if its exclusive or with a quote is less than 1. A byte after a match can be a false
  /// positive, so only the first match is used.
  func nextOfJSONString(from start: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    var offset = start
    while offset + 8 <= count {
      let word = UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      let quote = word ^ ones &* 0x22
      let backslash = word ^ ones &* 0x5C
      let control: UInt64 = (word &- ones &* 0x20) & ~word
      let found = (control | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash) & highs
      if found != 0 { return offset + found.trailingZeroBitCount / 8 }
      offset += 8
    }
    while offset < count {
      let byte = self[offset]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
      offset += 1
    }
    return offset
  }
}
