import Annals

/// The identity of a compacted event as eight bytes, which prevents a reuse of the identity.
enum EventIdentity {
  /// Returns the FNV-1a hash with 64 bits (Fowler, Noll, Vo) of the source's UTF-8, the byte 0x1F and the id's UTF-8.
  static func of(_ id: EventID) -> Int64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    for byte in id.source.utf8 { add(byte) }
    add(0x1F)
    for byte in id.id.utf8 { add(byte) }
    return Int64(bitPattern: hash)
  }
}
