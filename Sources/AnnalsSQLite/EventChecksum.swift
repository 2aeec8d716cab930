import Annals

extension StoredEvent {
  /// The tags as a JSON array, in order.
  var tagText: String { "[" + tags.sorted().map { JSONValue.quoted($0.text) }.joined(separator: ",") + "]" }

  /// The CRC-32 (zlib's) of all columns as text, each ended by the byte 0x1F; the absent payload is the byte 0x00.
  var checksum: UInt32 {
    let fields = [
      String(position.rawValue), String(transaction), stream.text, String(version), type, String(schema), id.source,
      id.id,
      String(time.microseconds), tagText, payload ?? "\0", metadata.json,
    ]
    return CRC32.of(fields.flatMap { Array($0.utf8) + [0x1F] })
  }
}

/// The checksum of zlib, gzip and PNG (ISO 3309), which every language has.
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
  }

  static func of(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
  }
}
