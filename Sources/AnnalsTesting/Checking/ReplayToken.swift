import Foundation

/// A failing case as one line of text: `a1.` and the packed choices, with a checksum that detects incomplete copies.
struct ReplayToken: Hashable, Sendable {
  /// The hash of the property that failed.
  let property: UInt32
  /// The choices.
  let indices: [UInt64]

  init(property: UInt32, indices: [UInt64]) {
    self.property = property
    self.indices = indices
  }

  init(_ text: String) throws {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].hasPrefix("a"), let version = Int(parts[0].dropFirst()) else {
      throw CheckError(description: "expected a replay token that begins with \"a1.\", found \"\(text)\"")
    }
    guard version == 1 else {
      throw CheckError(
        description: "expected a replay token of version 1, found version \(version): \"\(text)\"")
    }
    var base64 = parts[1].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
    let bytes = Data(base64Encoded: base64).map { [UInt8]($0) } ?? []
    let sum = bytes.suffix(2).reduce(0) { $0 << 8 | UInt16($1) }
    guard bytes.count >= 6, Self.sum(bytes.dropLast(2)) == sum else {
      throw CheckError(description: "the replay token \"\(text)\" is incomplete or damaged. Copy the whole token")
    }
    property = bytes[..<4].reduce(0) { $0 << 8 | UInt32($1) }
    var (indices, index, shift) = ([UInt64](), 0 as UInt64, 0 as UInt64)
    for byte in bytes[4..<(bytes.count - 2)] {
      index |= UInt64(byte & 0x7F) << shift
      shift += 7
      guard byte < 0x80 else { continue }
      indices.append(index)
      index = 0
      shift = 0
    }
    self.indices = indices
  }

  /// The token in its printed form.
  var text: String {
    var bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: property >> $0) }
    for var index in indices {
      // Seven bits per byte, with the lowest bits first. The highest bit indicates that more bytes follow.
      while index >= 0x80 {
        bytes.append(UInt8(truncatingIfNeeded: index) | 0x80)
        index >>= 7
      }
      bytes.append(UInt8(index))
    }
    let sum = Self.sum(bytes[...])
    bytes += [UInt8(sum >> 8), UInt8(truncatingIfNeeded: sum)]
    let base64 = Data(bytes).base64EncodedString()
    let text = base64.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    return "a1." + text.filter { $0 != "=" }
  }

  /// Fletcher's 16-bit checksum.
  private static func sum(_ bytes: ArraySlice<UInt8>) -> UInt16 {
    var (low, high) = (0 as UInt16, 0 as UInt16)
    for byte in bytes {
      low = (low + UInt16(byte)) % 255
      high = (high + low) % 255
    }
    return high << 8 | low
  }
}
