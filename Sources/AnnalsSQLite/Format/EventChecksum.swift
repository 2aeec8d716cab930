import AnnalsLog

/// The checksum of an event, which covers all its stored data.
enum EventChecksum {
  /// Returns the tags as a JSON array, in the given order.
  static func tagText(_ tags: [EventTag]) -> String {
    if tags.isEmpty { return "[]" }
    return "[" + tags.map { JSONValue.quoted($0.text) }.joined(separator: ",") + "]"
  }

  /// Returns zlib's CRC-32 checksum of all columns as strings.
  ///
  /// After every column, the checksum includes the byte 0x1F. A missing payload counts as the byte 0x00.
  static func of(
    position: Int, transaction: Int, stream: String, version: Int, type: String, schema: Int, source: String,
    id: String,
    time: Int64, tagText: String, payload: String?, metadataText: String
  ) -> UInt32 {
    // The columns are joined first and summed in one pass.
    let names = stream.utf8.count + type.utf8.count + source.utf8.count + id.utf8.count
    // Numbers have 20 characters at most.
    let size = names + tagText.utf8.count + (payload?.utf8.count ?? 1) + metadataText.utf8.count + 5 * 20 + 12
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: size) { buffer in
      var text = ColumnText(buffer)
      text.add(position)
      text.add(transaction)
      text.add(stream)
      text.add(version)
      text.add(type)
      text.add(schema)
      text.add(source)
      text.add(id)
      text.add(Int(time))
      text.add(tagText)
      text.add(payload ?? "\0")
      text.add(metadataText)
      var sum = CRC32()
      sum.add(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: buffer[..<text.count])))
      return sum.value
    }
  }
}

/// A buffer that contains an event's columns as strings, with the byte 0x1F after every column.
private struct ColumnText {
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0

  init(_ bytes: UnsafeMutableBufferPointer<UInt8>) { self.bytes = bytes }

  private mutating func end() {
    bytes[count] = 0x1F
    count += 1
  }

  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { found in
      _ = UnsafeMutableBufferPointer(rebasing: bytes[count...]).update(fromContentsOf: found)
      count += found.count
    }
    end()
  }

  /// Appends the digits of a number, after a minus sign if the number is negative.
  mutating func add(_ number: Int) {
    if number < 0 {
      bytes[count] = UInt8(ascii: "-")
      count += 1
    }
    var rest = number.magnitude
    let start = count
    repeat {
      bytes[count] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      count += 1
      rest /= 10
    } while rest > 0
    bytes[start..<count].reverse()
    end()
  }
}

/// The CRC-32 checksum of zlib, gzip and PNG (ISO 3309), which is available in every language.
package struct CRC32 {
  /// Sixteen tables of 256 values, which process sixteen bytes at a time.
  ///
  /// The method is "slicing-by-8" by Kounavis and Berry (2005).
  private static let tables: [UInt32] = {
    var tables: [UInt32] = []
    for index in 0..<256 as Range<UInt32> {
      var value = index
      for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
      tables.append(value)
    }
    for place in 256..<4_096 {
      let before = tables[place - 256]
      tables.append(before >> 8 ^ tables[Int(before & 0xFF)])
    }
    return tables
  }()

  private var sum = UInt32.max

  package init() {}

  package var value: UInt32 { ~sum }

  /// Returns the checksum of some strings, each followed by the byte 0x1F, and of the bytes after the strings.
  static func of(_ texts: [String], _ bytes: [UInt8] = []) -> UInt32 {
    var sum = CRC32()
    for text in texts { sum.add(text) }
    bytes.withUnsafeBytes { sum.add($0) }
    return sum.value
  }

  /// Adds a string's UTF-8 to the checksum, and then the byte 0x1F, which ends a field.
  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    withUnsafeBytes(of: 0x1F as UInt8) { add($0) }
  }

  /// Returns the contribution of eight bytes to the checksum, using eight tables beginning at `first`.
  ///
  /// The code is unrolled because a loop would take longer than the sum itself. The terms are combined in pairs, so
  /// that fewer terms depend on earlier ones.
  @inline(__always)
  private static func slice(_ word: UInt64, _ first: UInt64, _ tables: UnsafeBufferPointer<UInt32>) -> UInt32 {
    let (a, b) = (tables[Int(first + 1_792 | word & 0xFF)], tables[Int(first + 1_536 | word >> 8 & 0xFF)])
    let (c, d) = (tables[Int(first + 1_280 | word >> 16 & 0xFF)], tables[Int(first + 1_024 | word >> 24 & 0xFF)])
    let (e, f) = (tables[Int(first + 768 | word >> 32 & 0xFF)], tables[Int(first + 512 | word >> 40 & 0xFF)])
    let (g, h) = (tables[Int(first + 256 | word >> 48 & 0xFF)], tables[Int(first | word >> 56)])
    return ((e ^ f) ^ (g ^ h)) ^ ((a ^ b) ^ (c ^ d))
  }

  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    sum = Self.tables.withUnsafeBufferPointer { tables in
      var sum = sum
      var place = 0
      while place + 16 <= bytes.count {
        let (first, second) = (
          UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)) ^ UInt64(sum),
          UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self))
        )
        // The first byte uses the last table. Four of the lookups depend on the previous sum, and so are last.
        sum = Self.slice(second, 0, tables) ^ Self.slice(first, 2_048, tables)
        place += 16
      }
      if place + 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        sum = Self.slice(UInt64(littleEndian: word) ^ UInt64(sum), 0, tables)
        place += 8
      }
      while place < bytes.count {
        sum = tables[Int(UInt8(truncatingIfNeeded: sum) ^ bytes[place])] ^ sum >> 8
        place += 1
      }
      return sum
    }
  }
}
