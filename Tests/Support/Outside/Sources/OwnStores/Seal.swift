import AnnalsLog

/// Another form of a payload, which the store inside a ``SealingStore`` keeps: `{"sealed":"0F1A…"}`.
///
/// This is an example and no cryptography: anyone can open the seal. A real one calls a library for it here.
struct Seal: Sendable {
  private static let (start, end) = ("{\"sealed\":\"", "\"}")
  private static let digits = Array("0123456789ABCDEF".utf8)
  let key: UInt8

  /// The sealed form of a payload, which is JSON too.
  func close(_ payload: String) -> String {
    let hex = payload.utf8.flatMap { byte in
      [Self.digits[Int((byte ^ key) >> 4)], Self.digits[Int((byte ^ key) & 15)]]
    }
    return Self.start + String(decoding: hex, as: UTF8.self) + Self.end
  }

  /// The payload of a sealed form.
  func open(_ text: String) throws -> String {
    guard text.hasPrefix(Self.start), text.hasSuffix(Self.end) else { throw Self.broken }
    let hex = Array(text.utf8.dropFirst(Self.start.utf8.count).dropLast(Self.end.utf8.count))
    let halves = try hex.map { digit in
      guard let value = Self.digits.firstIndex(of: digit) else { throw Self.broken }
      return UInt8(value)
    }
    guard halves.count.isMultiple(of: 2) else { throw Self.broken }
    let bytes = stride(from: 0, to: halves.count, by: 2).map { (halves[$0] << 4 | halves[$0 + 1]) ^ key }
    return String(decoding: bytes, as: UTF8.self)
  }

  func open(_ event: StoredEvent) throws -> StoredEvent { event.with(payload: try event.payload.map(open)) }

  private static var broken: EventStoreError {
    EventStoreError(.corrupt, "expected a sealed payload, {\"sealed\":HEX}, found another one; the log was not sealed")
  }
}
