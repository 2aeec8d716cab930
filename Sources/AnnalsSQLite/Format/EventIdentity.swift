import AnnalsLog

/// A hash of a removed event's identity in eight bytes, which lets the log refuse a new event with the same identity.
enum EventIdentity {
  /// Returns the FNV-1a hash (Fowler, Noll, Vo) with 64 bits of the source, the byte 0x1F and the id, as UTF-8.
  static func of(_ id: EventID) -> Int64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    for byte in id.source.utf8 { add(byte) }
    add(0x1F)
    for byte in id.id.utf8 { add(byte) }
    return Int64(bitPattern: hash)
  }
}
