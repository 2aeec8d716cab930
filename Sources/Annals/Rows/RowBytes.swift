import Foundation

/// Writes a row's content, and reads it again: JSON, in which numbers that JSON does not have are words.
package struct RowBytes<Row: Annals.Row> {
  private let coder = PayloadCoder()

  package init() {}

  /// A row as it is after it was saved and read, without the check that it is the same.
  package func again(_ row: Row) throws -> Row { try decode(bytes(of: row)[...]) }

  /// The bytes of a row, after a check that they lead to an equal row again.
  func encode(_ row: Row) throws -> [UInt8] {
    let bytes = try bytes(of: row)
    let again = try decode(bytes[...])
    guard again.isSame(as: row), OrderKey(again.id) == OrderKey(row.id) else {
      throw PageError(
        "a row of \(Row.self) with the id \(row.id) cannot be saved: expected its coding to lead to an equal row, "
          + "found \(again); \(row == row ? "make Codable keep all that == compares" : Self.advice)")
    }
    return bytes
  }

  private func bytes(of row: Row) throws -> [UInt8] {
    do {
      return Array(try coder.encode(row).utf8)
    } catch is EncodingError {
      // An event cannot hold infinity, a row can.
      return [Self.wordsMark] + (try Self.encoderOfWords.encode(row))
    }
  }

  private static var advice: String {
    "the row isn't equal to itself, as one with NaN: make Codable write the same after it is read, or use nil for NaN"
  }

  func decode(_ bytes: ArraySlice<UInt8>) throws -> Row { try decode(Row.self, bytes) }

  /// What a row's type asks for where the row is decoded.
  func shape(_ bytes: ArraySlice<UInt8>) throws -> RowSamples.Found {
    let found = try decode(RecordedShape<Row>.self, bytes)
    return (found.shape, found.parts)
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ bytes: ArraySlice<UInt8>) throws -> Value {
    if bytes.first == Self.wordsMark { return try Self.decoderOfWords.decode(type, from: Data(bytes.dropFirst())) }
    return try coder.decode(type, from: String(decoding: bytes, as: UTF8.self))
  }

  /// Begins a row in which numbers may be words; no JSON text begins with it.
  private static var wordsMark: UInt8 { 0 }

  private static var encoderOfWords: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }

  private static var decoderOfWords: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }
}
