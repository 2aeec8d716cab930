import CAnnalsSQLite
import Foundation

/// The state of a stream as it is made by hand: C API, Foundation's decoder, a struct.
final class StreamByHand {
  /// What a payload holds.
  private struct Book: Decodable {
    let price: Double
    let shelf: String
    let title: String
  }

  private let statement: HandStatement
  private let decoder = JSONDecoder()

  init(_ path: String) throws {
    statement = try HandStatement(
      path,
      """
      SELECT type, version, payload FROM event WHERE stream = (SELECT key FROM stream WHERE name = ?1) ORDER BY version
      """)
  }

  /// The last price, and the number of events.
  func load(_ stream: String) throws -> (price: Double, count: Int) {
    try statement.check(sqlite3_bind_text(statement.select, 1, stream, -1, ANNALS_SQLITE_TRANSIENT))
    var (price, count) = (0.0, 0)
    try statement.forEach { row in
      guard let bytes = sqlite3_column_blob(row, 2) else { return }
      let data = Data(bytes: bytes, count: Int(sqlite3_column_bytes(row, 2)))
      price = try decoder.decode(Book.self, from: data).price
      count += 1
    }
    return (price, count)
  }
}

/// Wares as they are made by hand: C API, a reader that knows the order of the members, a dictionary, one sort.
final class WaresByHand {
  private let statement: HandStatement

  init(_ path: String) throws {
    statement = try HandStatement(path, "SELECT position, type, payload FROM event ORDER BY position")
  }

  /// All wares: by shelf, then by price and title.
  func load() throws -> [Ware] {
    var wares: [String: Ware] = [:]
    try statement.forEach { row in
      guard let bytes = sqlite3_column_blob(row, 2) else { return }
      let ware = Self.read(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(row, 2))))
      wares[ware.id] = ware
    }
    return wares.values.sorted { $0.shelf != $1.shelf ? $0.shelf < $1.shelf : Ware.stands($0, before: $1) }
  }

  private static func read(_ bytes: UnsafeRawBufferPointer) -> Ware {
    var place = 0
    /// The text up to a quote, after a quote.
    func text() -> String {
      while bytes[place] != UInt8(ascii: "\"") { place += 1 }
      let start = place + 1
      place = start
      while bytes[place] != UInt8(ascii: "\"") { place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1 }
      defer { place += 1 }
      return String(decoding: bytes[start..<place], as: UTF8.self)
    }
    /// Goes past a name and the colon.
    func name(_ count: Int) { place += count + 4 }
    func number() -> Double {
      let start = place
      while bytes[place] != UInt8(ascii: ","), bytes[place] != UInt8(ascii: "}") { place += 1 }
      var (digits, scale) = (0.0, 0.0)
      for byte in bytes[start..<place] {
        if byte == UInt8(ascii: ".") {
          scale = 1
        } else {
          digits = digits * 10 + Double(byte - UInt8(ascii: "0"))
          scale *= 10
        }
      }
      return scale == 0 ? digits : digits / scale
    }
    name("id".utf8.count)
    let id = text()
    name("maker".utf8.count)
    _ = text()
    name("price".utf8.count)
    let price = number()
    name("shelf".utf8.count)
    let shelf = Int(number())
    name("title".utf8.count)
    return Ware(id: id, title: text(), price: price, shelf: shelf)
  }
}
