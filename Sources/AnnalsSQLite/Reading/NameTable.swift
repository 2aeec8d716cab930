/// Names by their keys as bytes, read a stretch of keys at a time: whoever reads the whole log needs them all.
///
/// Names never change, and keys are counted from 1. Beyond a limit they are asked one by one, as `NameCache` does, so that a log
/// with millions of streams does not fill the memory of every connection.
final class NameTable {
  /// How many keys are read at once.
  private static let stretch: Int64 = 256
  /// How many names are kept.
  private static let limit: Int64 = 1 << 21

  private let table: String
  // A connection, and with it the table, is used by one thread at a time.
  @exclusivity(unchecked) private var bytes: [UInt8] = []
  /// By key: where the name begins, and how long it is; a length of -1 is a name that is not known.
  @exclusivity(unchecked) private var places: [(start: Int, count: Int32)] = []
  /// The name of a key beyond the limit.
  private var single: [UInt8] = []

  init(_ table: String) { self.table = table }

  /// Hands over a name's bytes, nil if the log has no such key.
  func withName<Result>(
    _ key: Int64, _ connection: SQLiteConnection, _ body: (UnsafeRawBufferPointer?) throws -> Result
  ) throws -> Result {
    guard key >= 0 else { return try body(nil) }
    if key >= Self.limit {
      guard let name = try NameCache(connection).name(key, in: table == "stream" ? .stream : .source) else {
        return try body(nil)
      }
      single = Array(name.utf8)
      return try single.withUnsafeBytes { try body($0) }
    }
    if key >= places.count || places[Int(key)].count < 0 { try read(around: key, connection) }
    guard key < places.count, case let place = places[Int(key)], place.count >= 0 else { return try body(nil) }
    return try bytes.withUnsafeBytes {
      try body(UnsafeRawBufferPointer(rebasing: $0[place.start..<place.start + Int(place.count)]))
    }
  }

  private func read(around key: Int64, _ connection: SQLiteConnection) throws {
    let first = key / Self.stretch * Self.stretch
    let find = try connection.statement("SELECT key, name FROM \(table) WHERE key >= ?1 AND key < ?2")
    try find.bind(1, first)
    try find.bind(2, first + Self.stretch)
    try find.run { row in
      let found = Int(row.int(0))
      guard let name = row.bytes(1) else { return }
      while places.count <= found { places.append((0, -1)) }
      guard places[found].count < 0 else { return }
      places[found] = (bytes.count, Int32(name.count))
      bytes.append(contentsOf: name)
    }
  }
}
