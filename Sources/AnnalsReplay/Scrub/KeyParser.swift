/// Makes keys of the bytes that a terminal sends.
///
/// Bytes may come in any pieces. Sequences that no key of ours sends are swallowed.
struct KeyParser {
  private var rest: [UInt8] = []
  /// What was pasted so far; nil if nothing is being pasted.
  private var pasted: [UInt8]?

  /// True if a lone escape may be the start of a sequence: after a moment without bytes, call ``settle()``.
  ///
  /// A part of a report of the mouse isn't a key, however late its other bytes arrive.
  var isWaiting: Bool { !rest.isEmpty && pasted == nil && !rest.starts(with: [0x1B, 0x5B, 0x3C]) }

  /// Takes bytes, and returns the keys that are complete.
  mutating func feed(_ bytes: some Sequence<UInt8>) -> [Key] {
    rest += bytes
    var keys: [Key] = []
    while let key = next() { if let key = key.key { keys.append(key) } }
    return keys
  }

  /// Says that no bytes follow at once: an escape that came alone is the key.
  mutating func settle() -> [Key] {
    guard isWaiting else { return [] }
    let isEscape = rest == [0x1B]
    rest = []
    return isEscape ? [.escape] : []
  }

  /// What was read: a key, or bytes that are none.
  private struct Read { let key: Key? }

  private mutating func next() -> Read? {
    if pasted != nil { return paste() }
    guard let first = rest.first else { return nil }
    switch first {
    case 0x1B: return sequence()
    case 0x0D, 0x0A: return take(1, .enter)
    case 0x09: return take(1, .tab)
    case 0x7F, 0x08: return take(1, .backspace)
    case 0..<0x20: return take(1, .control(Character(Unicode.Scalar(first | 0x60))))
    case 0x20..<0x7F: return take(1, .text(Character(Unicode.Scalar(first))))
    default: return character(first)
    }
  }

  /// A character beyond ASCII.
  private mutating func character(_ first: UInt8) -> Read? {
    let size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    guard first >= 0xC2, first <= 0xF4 else { return take(1, nil) }
    let bytes = rest.prefix(size)
    // A byte that does not go on ends a broken character, and is read again.
    if let wrong = bytes.dropFirst().firstIndex(where: { $0 & 0xC0 != 0x80 }) { return take(wrong, nil) }
    guard bytes.count == size else { return nil }
    let text = String(validating: bytes, as: UTF8.self)
    return take(size, text?.first.map { .text($0) })
  }

  private mutating func sequence() -> Read? {
    guard rest.count > 1 else { return nil }
    switch rest[1] {
    case UInt8(ascii: "["): return control()
    case UInt8(ascii: "O"):
      guard rest.count > 2 else { return nil }
      return take(3, Self.key(final: rest[2], numbers: []))
    case 0x1B:
      // Alt with an arrow is an escape before the arrow's sequence on some terminals.
      guard rest.count > 2 else { return nil }
      if rest[2] == UInt8(ascii: "[") || rest[2] == UInt8(ascii: "O") {
        guard rest.count > 3 else { return nil }
        switch rest[3] {
        case UInt8(ascii: "C"): return take(4, .right(.alt))
        case UInt8(ascii: "D"): return take(4, .left(.alt))
        default: break
        }
      }
      return take(1, .escape)
    // What readline sends for alt with an arrow.
    case UInt8(ascii: "b"): return take(2, .left(.alt))
    case UInt8(ascii: "f"): return take(2, .right(.alt))
    case 0x20..<0x7F: return take(2, nil)
    default: return take(1, .escape)
    }
  }

  /// A sequence of ECMA-48: parameters, intermediate bytes, and a final byte.
  private mutating func control() -> Read? {
    var index = 2
    while index < rest.count, 0x20...0x3F ~= rest[index] { index += 1 }
    guard index < rest.count else { return rest.count > 64 ? take(rest.count, nil) : nil }
    let final = rest[index]
    // A byte that is in no sequence ends it.
    guard 0x40...0x7E ~= final else { return take(index, nil) }
    // The Linux console sends ESC [ [ A for F1.
    if final == UInt8(ascii: "["), index == 2 { return rest.count > 3 ? take(4, nil) : nil }
    let text = String(decoding: rest[2..<index], as: UTF8.self)
    let numbers = text.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    if final == UInt8(ascii: "~"), numbers.first == 200 {
      pasted = []
      return take(index + 1, nil)
    }
    if text.hasPrefix("<") { return take(index + 1, Self.mouse(text.dropFirst(), isPress: final == UInt8(ascii: "M"))) }
    // X10 mouse reports have three bytes more. We request none, but a terminal may have been left so.
    if final == UInt8(ascii: "M"), text.isEmpty {
      return rest.count >= index + 4 ? take(index + 4, nil) : nil
    }
    return take(index + 1, Self.key(final: final, numbers: numbers))
  }

  /// A report of the mouse in mode 1006: the button with the held keys, the column and the row.
  private static func mouse(_ text: Substring, isPress: Bool) -> Key? {
    let numbers = text.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
    guard isPress, numbers.count == 3, 1...10_000 ~= numbers[1], 1...10_000 ~= numbers[2] else { return nil }
    let (x, y) = (numbers[1] - 1, numbers[2] - 1)
    // Shift 4, alt 8 and control 16 may be held. 32 is a move of the mouse.
    switch numbers[0] & ~28 {
    case 0: return .click(x: x, y: y)
    case 64: return .wheel(-1, x: x, y: y)
    case 65: return .wheel(1, x: x, y: y)
    default: return nil
    }
  }

  private static func key(final: UInt8, numbers: [Int]) -> Key? {
    // The second number is 1 more than the sum of shift 1, alt 2, control 4 and meta 8.
    let held = max(0, (numbers.count > 1 ? numbers[1] : 1) - 1)
    let modifier: Key.Modifier = held & 14 != 0 ? .alt : held & 1 != 0 ? .shift : .none
    switch final {
    case UInt8(ascii: "A"): return .up
    case UInt8(ascii: "B"): return .down
    case UInt8(ascii: "C"): return .right(modifier)
    case UInt8(ascii: "D"): return .left(modifier)
    case UInt8(ascii: "H"): return .home
    case UInt8(ascii: "F"): return .end
    case UInt8(ascii: "Z"): return .backTab
    case UInt8(ascii: "~"):
      switch numbers.first {
      case 1, 7: return .home
      case 4, 8: return .end
      case 5: return .pageUp
      case 6: return .pageDown
      case 3: return .backspace
      default: return nil
      }
    default: return nil
    }
  }

  /// What was pasted, once its end was read.
  private mutating func paste() -> Read? {
    let end: [UInt8] = [0x1B, 0x5B, 0x32, 0x30, 0x31, 0x7E]
    guard !rest.isEmpty else { return nil }
    var index = 0
    defer { rest.removeFirst(min(index, rest.count)) }
    while index < rest.count {
      if rest[index] == end[0] {
        if rest.count - index < end.count, end.starts(with: rest[index...]) { return nil }
        if rest[index...].starts(with: end) {
          let text = String(decoding: pasted ?? [], as: UTF8.self)
          pasted = nil
          index += end.count
          return Read(key: .paste(text))
        }
      }
      // More than a prompt can use is not kept.
      if pasted?.count ?? 0 < 4_096 { pasted?.append(rest[index]) }
      index += 1
    }
    return nil
  }

  private mutating func take(_ count: Int, _ key: Key?) -> Read {
    rest.removeFirst(min(count, rest.count))
    return Read(key: key)
  }
}
