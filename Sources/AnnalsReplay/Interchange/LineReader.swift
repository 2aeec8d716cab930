import Foundation

/// Reads a file line by line, without loading all of it.
///
/// Skips a byte-order mark at the beginning and a carriage return at the end of a line.
struct LineReader {
  /// A line that has bytes that are not UTF-8.
  struct NotText: Error {
    /// The number of the first wrong byte in the line, from 1.
    let byte: Int
  }

  private let read: () throws -> Data
  private var buffer = Data()
  private var isAtEnd = false
  /// The number of the last line that was read, from 1.
  private(set) var number = 0

  /// - Parameters:
  ///   - start: The first bytes, where you have read them already.
  ///   - read: Returns the next bytes; no bytes at the end.
  init(start: Data = Data(), read: @escaping () throws -> Data) {
    buffer = start
    self.read = read
  }

  /// The next line without its end; nil after the last.
  mutating func next() throws -> String? {
    // Where to look next: there is no line end before this index.
    var searched = buffer.startIndex
    while true {
      if let end = Self.lineEnd(in: buffer, from: searched) {
        let line = buffer[buffer.startIndex..<end]
        buffer = buffer[buffer.index(after: end)...]
        return try text(line)
      }
      if isAtEnd {
        guard !buffer.isEmpty else { return nil }
        defer { buffer = Data() }
        return try text(buffer)
      }
      let seen = buffer.count
      let more = try read()
      if more.isEmpty { isAtEnd = true }
      // The bytes that were read lie before the buffer's start. They are freed once they are a megabyte.
      if buffer.startIndex > 1 << 20 { buffer = Data(buffer) }
      buffer.append(more)
      searched = buffer.startIndex + seen
    }
  }

  private static func lineEnd(in buffer: Data, from start: Int) -> Int? {
    buffer.withUnsafeBytes { bytes in
      let offset = start - buffer.startIndex
      guard offset < bytes.count, let base = bytes.baseAddress else { return nil }
      return memchr(base + offset, 0x0A, bytes.count - offset).map {
        buffer.startIndex + (UnsafeRawPointer($0) - base)
      }
    }
  }

  private mutating func text(_ line: Data) throws -> String {
    number += 1
    var bytes = line[...]
    if number == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    if bytes.last == 0x0D { bytes = bytes.dropLast() }
    if let text = bytes.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) { return text }
    var decoder = UTF8()
    var rest = bytes.makeIterator()
    var good = 0
    while case .scalarValue(let scalar) = decoder.decode(&rest) { good += UTF8.width(scalar) }
    throw NotText(byte: bytes.startIndex - line.startIndex + good + 1)
  }
}
