/// Reads CSV according to RFC 4180, with LF or CR LF at the end of a line.
///
/// Blank lines are skipped.
struct CSVReader {
  /// An error in a line.
  struct Problem: Error, CustomStringConvertible {
    let line: Int
    let description: String
  }

  private static let (quote, comma, feed, carriage): (UInt8, UInt8, UInt8, UInt8) = (0x22, 0x2C, 0x0A, 0x0D)

  private let bytes: [UInt8]
  private var offset = 0
  private var line = 1

  init(_ text: String) { bytes = Array(text.utf8) }

  /// Returns the cells of the next line and the number of the line in which they begin, or nil at the end.
  ///
  /// - Throws: ``Problem``.
  mutating func next() throws -> (cells: [String], line: Int)? {
    while skipLineEnd() {}
    if offset == bytes.count { return nil }
    let start = line
    var cells: [String] = []
    while true {
      cells.append(try cell())
      if offset == bytes.count || skipLineEnd() { return (cells, start) }
      // A cell ends at the end of the text, at the end of a line or at a comma.
      offset += 1
    }
  }

  private mutating func skipLineEnd() -> Bool {
    let length = lineEnd
    offset += length
    if length > 0 { line += 1 }
    return length > 0
  }

  /// The number of bytes of the line end at the offset, or 0.
  private var lineEnd: Int {
    let rest = bytes[offset...]
    return rest.first == Self.feed ? 1 : rest.starts(with: [Self.carriage, Self.feed]) ? 2 : 0
  }

  private mutating func cell() throws -> String {
    if offset < bytes.count, bytes[offset] == Self.quote { return try quotedCell() }
    let start = offset
    while offset < bytes.count, bytes[offset] != Self.comma, lineEnd == 0 {
      if bytes[offset] == Self.quote {
        throw Problem(line: line, description: "expected a cell in quotes, found a quote inside a cell without quotes")
      }
      offset += 1
    }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  private mutating func quotedCell() throws -> String {
    let start = line
    var cell: [UInt8] = []
    offset += 1
    while offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      if byte != Self.quote {
        if byte == Self.feed { line += 1 }
        cell.append(byte)
      } else if offset < bytes.count, bytes[offset] == Self.quote {
        cell.append(byte)
        offset += 1
      } else {
        guard offset == bytes.count || bytes[offset] == Self.comma || lineEnd > 0 else {
          throw Problem(line: line, description: "expected a comma or the end of the line after a closing quote")
        }
        return String(decoding: cell, as: UTF8.self)
      }
    }
    throw Problem(line: start, description: "expected a closing quote, found the end of the text")
  }
}
