/// A cache of names by key, for a reader of the whole log, which needs all names.
///
/// Names are stored as bytes, and are read in ranges of keys. Names never change, and keys start with 1. If a key is
/// greater than a limit, its name is read separately, as in `NameCache`. So a log with millions of streams doesn't fill
/// the memory of every connection.
///
/// Streams have their keys in the order in which they are created. So a reader of the whole log needs the names in the
/// order of keys, but a reader of a single event needs one name. The first range is small, and a range near the last
/// range has twice the number of keys. (Reading 256 names took 93,000 instructions.)
final class NameTable {
  /// The numbers of keys that are read together, at the first missing name and at most.
  private static let (least, most): (Int64, Int64) = (8, 256)
  /// The maximum number of cached names.
  private static let limit: Int64 = 1 << 21

  private let (table, column): (String, String)
  // A connection, and with it the table, is used by one thread at a time.
  @exclusivity(unchecked) private var bytes: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var (byteCount, byteCapacity) = (0, 4_096)
  /// The offset and the length of every name, by key.
  ///
  /// A length of -1 means that the name has not been read.
  @exclusivity(unchecked) private var places: [(start: Int, count: Int32)] = []
  /// The range of keys that was read last.
  @exclusivity(unchecked) private var last: Range<Int64> = 0..<0
  /// The last name that was read for a key beyond the limit.
  @exclusivity(unchecked) private var single = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 1)

  init(_ table: String, column: String = "name") {
    self.table = table
    self.column = column
    bytes = .allocate(byteCount: byteCapacity, alignment: 1)
  }

  deinit {
    bytes.deallocate()
    single.deallocate()
  }

  /// Discards all names.
  func forget() { (places, byteCount, last) = ([], 0, 0..<0) }

  /// Returns a name's bytes, which are valid until the next call, or `nil` if the log doesn't contain the key.
  @inline(__always)
  func name(_ key: Int64, _ connection: SQLiteConnection) throws -> UnsafeRawBufferPointer? {
    if key < 0 || key >= places.count || places[Int(key)].count < 0 {
      guard try isThere(key, connection) else { return key < Self.limit ? nil : try rare(key, connection) }
    }
    let place = places[Int(key)]
    return UnsafeRawBufferPointer(start: bytes + place.start, count: Int(place.count))
  }

  /// Reads the names of a range of keys around a key, and returns false if the log doesn't contain the key.
  private func isThere(_ key: Int64, _ connection: SQLiteConnection) throws -> Bool {
    guard key >= 0, key < Self.limit else { return false }
    last = range(around: key)
    let find = try connection.statement("SELECT key, \(column) FROM \(table) WHERE key >= ?1 AND key < ?2")
    try find.bind(1, last.lowerBound)
    try find.bind(2, last.upperBound)
    try find.run { row in
      let found = Int(row.int(0))
      guard let name = row.bytes(1) else { return }
      while places.count <= found { places.append((0, -1)) }
      if places[found].count < 0 { add(name, at: found) }
    }
    return key < places.count && places[Int(key)].count >= 0
  }

  /// Returns the range of keys to read for a key whose name is missing.
  private func range(around key: Int64) -> Range<Int64> {
    let start = key / Self.least * Self.least
    let (end, count) = (start + Self.least, Int64(last.count))
    let twice = min(2 * count, Self.most)
    if start >= last.upperBound, start - last.upperBound < count { return start..<start + twice }
    if end <= last.lowerBound, last.lowerBound - end < count { return max(0, end - twice)..<end }
    return start..<end
  }

  private func add(_ name: UnsafeRawBufferPointer, at key: Int) {
    if byteCount + name.count > byteCapacity {
      byteCapacity = max(2 * byteCapacity, byteCount + name.count)
      let more = UnsafeMutableRawPointer.allocate(byteCount: byteCapacity, alignment: 1)
      more.copyMemory(from: bytes, byteCount: byteCount)
      bytes.deallocate()
      bytes = more
    }
    if let start = name.baseAddress { (bytes + byteCount).copyMemory(from: start, byteCount: name.count) }
    places[key] = (byteCount, Int32(name.count))
    byteCount += name.count
  }

  /// Returns the name for a key that is greater than the table's limit.
  private func rare(_ key: Int64, _ connection: SQLiteConnection) throws -> UnsafeRawBufferPointer? {
    let find = try connection.statement("SELECT \(column) FROM \(table) WHERE key = ?1")
    try find.bind(1, key)
    var isThere = false
    try find.run { row in
      guard let name = row.bytes(0) else { return }
      single.deallocate()
      single = .allocate(byteCount: name.count, alignment: 1)
      single.copyMemory(from: name)
      isThere = true
    }
    return isThere ? UnsafeRawBufferPointer(single) : nil
  }
}
