import Annals
import AnnalsTesting
import Testing

/// A key keeps its bytes as words, as a text of the row or as an array: none of that may show.
@Suite struct KeyFormsTests {
  /// What may be written before a text, in one key.
  private enum Start: CaseIterable {
    case nothing, byte, word, words, short, long

    func write(into writer: inout KeyWriter, _ number: Int) {
      switch self {
      case .nothing: break
      case .byte: writer.write(byte: UInt8(number & 1))
      case .word: writer.write(word: UInt64(number & 1))
      case .words:
        writer.write(word: 7)
        writer.write(byte: UInt8(number & 1))
      case .short: writer.write(text: number & 1 == 0 ? "ab" : "abc")
      case .long: writer.write(text: number & 1 == 0 ? "a text of some length" : "a text")
      }
    }
  }

  /// Texts of each length around the ends of words, and others that differ late, early, or by what ends a text.
  private static let texts: [String] =
    (0...44).flatMap { length -> [String] in
      let text = String(repeating: "m", count: length)
      return [text, text + "\u{0}", text + "\u{1}", text + "z", "a" + text, "é" + text]
    } + ["", "\u{0}\u{0}", "😀 beyond the first plane, and long enough"]

  private struct Made {
    let key: OrderKey
    let bytes: [UInt8]
  }

  private static func made(_ start: Start, _ number: Int, _ text: String, descending: Bool) -> Made {
    var writer = KeyWriter()
    start.write(into: &writer, number)
    writer.write(text, descending: descending)
    return Made(key: OrderKey(writer), bytes: writer.bytes)
  }

  @Test(arguments: [false, true])
  func `keys of all forms are ordered as their bytes are`(descending: Bool) {
    for start in Start.allCases {
      let keys = Self.texts.enumerated().map { Self.made(start, $0, $1, descending: descending) }
      for one in keys {
        for other in keys {
          let isBefore = one.bytes.lexicographicallyPrecedes(other.bytes)
          if (one.key < other.key) != isBefore || (one.key == other.key) != (one.bytes == other.bytes) {
            Issue.record("\(start): \(one.bytes) and \(other.bytes)")
          }
        }
      }
    }
  }

  @Test func `a key that was read from a file equals the one that keeps its text`() {
    for start in Start.allCases {
      for (number, text) in Self.texts.enumerated() {
        let made = Self.made(start, number, text, descending: false)
        var writer = KeyWriter()
        for byte in made.bytes { writer.write(byte: byte) }
        let read = OrderKey(writer)
        #expect(made.key.bytes == made.bytes)
        #expect(read == made.key && !(read < made.key) && !(made.key < read), "\(start), \(text.utf8.count) bytes")
        #expect(read.hashValue == made.key.hashValue)
        // Saved lists have their rows by this number.
        #expect(made.key.fingerprint == fingerprint(made.bytes))
        #expect(read.fingerprint == fingerprint(made.bytes))
      }
    }
  }

  @Test func `a text that a key keeps is not the next key's`() {
    let long = "a text that is too long for words"
    var writer = KeyWriter()
    writer.write(text: long)
    let text = OrderKey(writer)
    writer.write(byte: 1)
    let longer = OrderKey(writer)
    #expect(longer.bytes == text.bytes + [1])
    writer.clear()
    while writer.bytes.count < text.bytes.count { writer.write(byte: 9) }
    #expect(OrderKey(writer).bytes == Array(repeating: 9, count: text.bytes.count))
  }

  /// The number by which rows are found, from its bytes alone: SplitMix64's finisher over words of eight bytes.
  private func fingerprint(_ bytes: [UInt8]) -> UInt64 {
    func mixed(_ value: UInt64) -> UInt64 {
      var z = value
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
    func word(_ bytes: some Collection<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    let start = bytes.prefix(8)
    var sum = mixed(word(start) << UInt64(8 * (8 - start.count) % 64) ^ 0x9E37_79B9_7F4A_7C15)
    if bytes.count <= 8 { return bytes.isEmpty ? mixed(0x9E37_79B9_7F4A_7C15) : sum }
    var rest = bytes.dropFirst(8)
    while rest.count >= 8 {
      sum = mixed(sum ^ word(rest.prefix(8).reversed()))
      rest = rest.dropFirst(8)
    }
    return mixed(sum ^ rest.reduce(UInt64(rest.count)) { $0 << 8 | UInt64($1) })
  }
}
