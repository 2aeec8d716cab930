import AnnalsLog
import Foundation

/// The encoding and decoding of a row's content as JSON, with words, such as "nan", for numbers that JSON doesn't
/// support.
package struct RowBytes<Row: AnnalsLists.Row> {
  private let coder = PayloadCoder()

  package init() {}

  /// Encodes a row, and returns the row decoded from the bytes, without a check that both rows are the same.
  package func again(_ row: Row) throws -> Row { try decode(bytes(of: row)[...]) }

  /// Encodes a row, and checks that the bytes decode to an equal row.
  package func encode(_ row: Row) throws -> [UInt8] {
    let bytes = try bytes(of: row)
    let again = try decode(bytes[...])
    guard again.isSame(as: row), OrderKey(again.id) == OrderKey(row.id) else {
      throw PageError(
        "the \(Row.self) row with the id \(described(row.id)) cannot be saved: expected an equal row after "
          + "decoding, found \(described(again)). "
          + "\(row == row ? "Encode and decode every value that `==` compares" : Self.advice)"
      )
    }
    return bytes
  }

  private func bytes(of row: Row) throws -> [UInt8] {
    do {
      return Array(try coder.encode(row).utf8)
    } catch is EncodingError {
      // Foundation's encoder is used only for a row with a number that JSON can't represent. This encoder overflows the
      // stack for a deeply nested row. A row can have both problems, so the depth is checked first.
      _ = try PayloadCoder.comparisonText(of: row)
      // Events can't contain infinity, but rows can.
      return [Self.wordsMark] + (try Self.encoderOfWords.encode(row))
    }
  }

  private static var advice: String {
    "The row isn't equal to itself, perhaps because one of its values is NaN. Use nil instead of NaN, or correct the "
      + "row's Codable conformance, so that the decoded row is encoded in the same way as the original row"
  }

  package func decode(_ bytes: ArraySlice<UInt8>) throws -> Row { try decode(Row.self, bytes) }

  /// Returns the properties that the row's type requests while a row is decoded.
  package func shape(_ bytes: ArraySlice<UInt8>) throws -> RowSamples.Found {
    let found = try decode(RecordedShape<Row>.self, bytes)
    return (found.shape, found.parts)
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ bytes: ArraySlice<UInt8>) throws -> Value {
    if bytes.first == Self.wordsMark { return try Self.decoderOfWords.decode(type, from: Data(bytes.dropFirst())) }
    return try coder.decode(type, from: String(decoding: bytes, as: UTF8.self))
  }

  /// The first byte of a row in which numbers can be words.
  ///
  /// JSON never begins with this byte.
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
