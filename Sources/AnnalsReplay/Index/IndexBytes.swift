import Foundation

/// A hash of bytes that finds damage, but no deliberate changes.
struct IndexHash {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ word: UInt64) {
    value = (value ^ word) &* 0x9E37_79B9_7F4A_7C15
    value ^= value >> 29
  }

  mutating func add(_ text: String) {
    for byte in text.utf8 { add(UInt64(byte)) }
    add(0xFF00)
  }

  /// The hash of some texts.
  static func of(_ texts: String...) -> UInt64 {
    var hash = IndexHash()
    for text in texts { hash.add(text) }
    return hash.value
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    for start in stride(from: 0, to: bytes.count & ~7, by: 8) {
      add(bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
    }
    for byte in bytes[(bytes.count & ~7)...] { add(UInt64(byte)) }
  }
}

/// Writes the numbers of an index in the machine's own order of bytes.
struct IndexWriter {
  private(set) var bytes = Data()

  mutating func write<Number: FixedWidthInteger>(_ numbers: [Number]) {
    withUnsafeBytes(of: UInt64(numbers.count)) { bytes.append(contentsOf: $0) }
    numbers.withUnsafeBytes { bytes.append(contentsOf: $0) }
  }

  /// The bytes with their hash at the end.
  var sealed: Data {
    var hash = IndexHash()
    bytes.withUnsafeBytes { hash.add($0) }
    return bytes + withUnsafeBytes(of: hash.value) { Data($0) }
  }
}

/// Reads the numbers of an index.
struct IndexReader {
  /// The bytes aren't an index, or were damaged.
  struct Damage: Error {}

  private let bytes: Data
  private var place = 0

  init(_ sealed: Data) throws {
    guard sealed.count >= 8 else { throw Damage() }
    bytes = sealed.prefix(sealed.count - 8)
    var hash = IndexHash()
    bytes.withUnsafeBytes { hash.add($0) }
    let end = sealed.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: sealed.count - 8, as: UInt64.self) }
    guard hash.value == end else { throw Damage() }
  }

  mutating func numbers<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws -> [Number] {
    guard bytes.count - place >= 8 else { throw Damage() }
    let count = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: UInt64.self) }
    place += 8
    let size = MemoryLayout<Number>.size
    guard count <= UInt64((bytes.count - place) / size) else { throw Damage() }
    let length = Int(count) * size
    defer { place += length }
    return bytes.withUnsafeBytes { bytes in
      [Number](unsafeUninitializedCapacity: Int(count)) { numbers, initialized in
        UnsafeMutableRawBufferPointer(numbers).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: bytes[place..<place + length]))
        initialized = Int(count)
      }
    }
  }

  var isAtEnd: Bool { place == bytes.count }
}
