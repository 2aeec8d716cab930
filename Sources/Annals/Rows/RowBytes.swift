import Foundation

/// Writes a row's content, and reads it again: JSON, in which numbers that JSON does not have are words.
struct RowBytes<Row: Annals.Row> {
  private let coder = PayloadCoder()

  /// The bytes of a row, after a check that they lead to an equal row again.
  func encode(_ row: Row) throws -> [UInt8] {
    let bytes: [UInt8]
    do {
      bytes = Array(try coder.encode(row).utf8)
    } catch is EncodingError {
      // An event cannot hold infinity, a row can.
      bytes = [Self.wordsMark] + (try Self.encoderOfWords.encode(row))
    }
    let again = try decode(bytes[...])
    // A row with NaN does not equal itself; what it holds is compared then.
    guard again == row || row != row && "\(again)" == "\(row)", OrderKey(again.id) == OrderKey(row.id) else {
      throw PageError(
        "a row of \(Row.self) with the id \(row.id) cannot be saved: expected its coding to lead to an equal row, "
          + "found \(again); make Codable keep all that == compares")
    }
    return bytes
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
