/// The checksum in the last eight bytes of every page of a log's file.
///
/// It is the checksum of SQLite's own extension (sqlite.org/cksumvfs.html), so that the extension can also check a log.
/// The checksum consists of two sums of 32 bits over the page's words, and each sum is added to the other at every
/// step. So a flipped bit is guaranteed to change at least one of the sums. The bit adds to every sum a power of two,
/// multiplied by a Fibonacci number. The two Fibonacci numbers are neighbors, so at least one of them is odd.
package enum PageChecksum {
  /// The checksum's size in bytes.
  static let size = 8

  /// Returns the checksum of some bytes, whose number must be a multiple of eight.
  static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var (first, second) = (0 as UInt32, 0 as UInt32)
    var place = 0
    while place + 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      first &+= UInt32(truncatingIfNeeded: word) &+ second
      second &+= UInt32(truncatingIfNeeded: word >> 32) &+ first
      place += 8
    }
    return UInt64(first) | UInt64(second) << 32
  }

  /// Returns true if a page's last bytes are the checksum of the other bytes.
  package static func fits(_ page: UnsafeRawBufferPointer) -> Bool {
    let rest = page.count - size
    let found = UInt64(littleEndian: page.loadUnaligned(fromByteOffset: rest, as: UInt64.self))
    return found == of(UnsafeRawBufferPointer(rebasing: page[..<rest]))
  }

  /// Writes the checksum into a page's last bytes.
  package static func write(to page: UnsafeMutableRawBufferPointer) {
    let rest = page.count - size
    let sum = of(UnsafeRawBufferPointer(rebasing: page[..<rest]))
    page.storeBytes(of: sum.littleEndian, toByteOffset: rest, as: UInt64.self)
  }

  /// Returns true if bytes of the file are a whole page, judging by their number and offset.
  static func isPage(_ count: Int, at offset: Int64) -> Bool {
    count >= 512 && count & (count - 1) == 0 && offset % Int64(count) == 0
  }
}
