// The locations of tokens in the JSON, and their values.
extension JSONTape {
  /// Returns the bytes in a range of offsets.
  func bytes(in range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes + range.lowerBound, count: range.count)
  }

  /// Returns the range of a value or a name in the JSON, including a string's quotes.
  ///
  /// - Complexity: For an array or an object, O(n) for the n values directly inside it and directly inside the last
  ///   value of every level.
  func range(of token: Int) -> Range<Int> {
    let (start, count, next) = (Int(tokens[token].start), Int(tokens[token].count), Int(tokens[token].next))
    switch kind(token) {
    case .plain, .escaped: return start - 1..<start + count + 1
    case .array, .object:
      if next == token + 1, count > 0 { return start..<start + count }
      // After its last value there are only spaces and the closing bracket.
      var offset = start + 1
      if next > token + 1 {
        var last = token + 1
        while Int(tokens[last].next) < next { last = Int(tokens[last].next) }
        offset = range(of: last).upperBound
      }
      while [0x20, 0x0A, 0x0D, 0x09].contains(bytes[offset]) { offset += 1 }
      return start..<offset + 1
    default: return start..<start + count
    }
  }

  /// Returns a description of the character or byte at an offset, or of the JSON's end, for an error message.
  func found(at offset: Int) -> String {
    guard offset < byteCount else { return "the end of the text" }
    let first = String(decoding: bytes(in: offset..<min(offset + 4, byteCount)), as: UTF8.self).unicodeScalars.first
    switch first?.properties.generalCategory {
    case nil, .control?, .format?, .spaceSeparator?, .unassigned?: return "the byte \(bytes[offset])"
    default: return first == "\u{FFFD}" ? "the byte \(bytes[offset])" : "\"\(first.map(String.init) ?? "")\""
    }
  }

  /// Returns a string's value, with replacement characters for invalid UTF-8.
  func scalars(of token: Int) -> String { withString(token) { String(decoding: $0, as: UTF8.self) } }

  /// Returns the JSON as a value.
  ///
  /// The JSON must have been loaded strictly.
  ///
  /// The method needs no recursion. It processes tokens from last to first, so the contents of an array or an object
  /// are created before the array or object.
  func value() -> JSONValue {
    var made: [JSONValue] = []
    for token in stride(from: tokenCount - 1, through: Self.root, by: -1) {
      switch kind(token) {
      case .null: made.append(.null)
      case .yes: made.append(.bool(true))
      case .no: made.append(.bool(false))
      case .plain, .escaped: made.append(.string(scalars(of: token)))
      case .integer, .number:
        guard let number = JSONNumber(text: String(decoding: text(token), as: UTF8.self)) else {
          preconditionFailure("a JSONValue can be created only from a JSONTape that was loaded with `strictly: true`")
        }
        made.append(.number(number))
      case .array:
        let count = Int(tokens[token].count)
        let values = Array(made.suffix(count).reversed())
        made.removeLast(count)
        made.append(.array(values))
      case .object:
        let count = 2 * Int(tokens[token].count)
        let parts = Array(made.suffix(count).reversed())
        made.removeLast(count)
        made.append(.object(members(parts)))
      }
    }
    return made[0]
  }

  /// Creates members from alternating names and values, without null values and sorted by name.
  private func members(_ parts: [JSONValue]) -> [JSONMember] {
    stride(from: 0, to: parts.count, by: 2).compactMap { index in
      guard case .string(let name) = parts[index], parts[index + 1] != .null else { return nil }
      return JSONMember(name: name, value: parts[index + 1])
    }
    .sorted { ExactString($0.name) < ExactString($1.name) }
  }
}
