import Annals

/// What a log keeps of the identity of an event that was cut: eight bytes, so that the identity cannot be given again.
enum EventIdentity {
  /// FNV-1a over 64 bits (Fowler, Noll, Vo) of the source's UTF-8, the byte 0x1F and the id's UTF-8.
  static func of(_ id: EventID) -> Int64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    for byte in id.source.utf8 { add(byte) }
    add(0x1F)
    for byte in id.id.utf8 { add(byte) }
    return Int64(bitPattern: hash)
  }
}
