import AnnalsLog

/// A table row that was found on a page.
///
/// See sqlite.org/fileformat.html, section 1.6 for pages and section 2.1 for records.
struct SalvagedRow {
  enum Value: Equatable {
    case null
    case int(Int64)
    case text(String)
    case blob([UInt8])
    case other
  }

  /// The row's key, or `nil` in the tree of primary keys of a table without rowids, whose records contain all columns.
  let key: Int64?
  let values: [Value]

  func int(_ column: Int) -> Int64? {
    if column < values.count, case .int(let value) = values[column] { value } else { nil }
  }

  func text(_ column: Int) -> String? {
    if column < values.count, case .text(let value) = values[column] { value } else { nil }
  }

  /// Returns an event's id as a string, whether it's stored as a string or as bytes.
  func id(_ column: Int) -> String? {
    guard column < values.count, case .blob(let bytes) = values[column] else { return text(column) }
    return bytes.withUnsafeBytes { OrderedID(bytes: $0)?.text }
  }

  func isNull(_ column: Int) -> Bool { column < values.count && values[column] == .null }
}

extension SalvagedPages {
  /// Calls a closure with every row of a page.
  ///
  /// A page of a kind without rows has no effect. Invalid rows are skipped, because the page can be damaged in any way.
  func forEachRow(ofPage number: Int, _ body: (_ cell: Int, SalvagedRow) -> Void) {
    guard let page = page(number), let kind = SalvagedCell.Kind(page, number) else { return }
    for cell in 0..<kind.count {
      if let row = row(number, cell, page, kind) { body(cell, row) }
    }
  }

  /// Returns a row by its location.
  func row(ofPage number: Int, cell: Int) -> SalvagedRow? {
    guard let page = page(number), let kind = SalvagedCell.Kind(page, number), cell < kind.count else { return nil }
    return row(number, cell, page, kind)
  }

  private func row(_ number: Int, _ cell: Int, _ page: [UInt8], _ kind: SalvagedCell.Kind) -> SalvagedRow? {
    var reader = SalvagedCell(page, at: kind.place(of: cell, page), end: usable)
    if kind.hasChild { reader.skip(4) }
    guard let size = reader.varint(), size > 0, size < 1 << 31 else { return nil }
    var key: Int64?
    if kind.isTable {
      guard let found = reader.varint() else { return nil }
      key = found
    }
    guard let record = record(Int(size), &reader, isTable: kind.isTable) else { return nil }
    return SalvagedCell.values(record).map { SalvagedRow(key: key, values: $0) }
  }

  /// Returns the bytes of a record, including bytes on overflow pages.
  private func record(_ size: Int, _ reader: inout SalvagedCell, isTable: Bool) -> [UInt8]? {
    let least = (usable - 12) * 32 / 255 - 23
    let most = isTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
    guard size > most else { return reader.bytes(size) }
    let rest = least + (size - least) % (usable - 4)
    guard var record = reader.bytes(rest <= most ? rest : least), var next = reader.word() else { return nil }
    var seen: Set<Int> = []
    while record.count < size {
      guard seen.insert(next).inserted, let page = page(next) else { return nil }
      record += page[4..<4 + min(usable - 4, size - record.count)]
      next = Self.word(page, 0)
    }
    return record
  }
}

/// A reader of a page's cell, which never reads past the page's end.
struct SalvagedCell {
  /// The type and the cells of a page with rows, from the page's header.
  struct Kind {
    let isTable: Bool
    let hasChild: Bool
    let count: Int
    private let pointers: Int

    /// Creates a description, or returns `nil` if the page has no rows.
    init?(_ page: [UInt8], _ number: Int) {
      let start = number == 1 ? 100 : 0
      switch page[start] {
      case 0x0D: (isTable, hasChild, pointers) = (true, false, start + 8)
      case 0x0A: (isTable, hasChild, pointers) = (false, false, start + 8)
      case 0x02: (isTable, hasChild, pointers) = (false, true, start + 12)
      default: return nil
      }
      let written = Int(page[start + 3]) << 8 | Int(page[start + 4])
      count = min(written, (page.count - pointers) / 2)
    }

    func place(of cell: Int, _ page: [UInt8]) -> Int {
      Int(page[pointers + 2 * cell]) << 8 | Int(page[pointers + 2 * cell + 1])
    }
  }

  private let page: [UInt8]
  private var place: Int
  private let end: Int

  init(_ page: [UInt8], at place: Int, end: Int) {
    self.page = page
    self.place = place
    self.end = end
  }

  mutating func skip(_ count: Int) { place += count }

  mutating func byte() -> UInt8? {
    guard place < end else { return nil }
    place += 1
    return page[place - 1]
  }

  mutating func bytes(_ count: Int) -> [UInt8]? {
    guard count >= 0, place + count <= end else { return nil }
    place += count
    return Array(page[place - count..<place])
  }

  mutating func word() -> Int? { bytes(4).map { $0.reduce(0) { $0 << 8 | Int($1) } } }

  /// Reads a number of up to nine bytes, high bits first.
  mutating func varint() -> Int64? {
    var value: UInt64 = 0
    for index in 0..<9 {
      guard let byte = byte() else { return nil }
      if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return Int64(bitPattern: value) }
    }
    return nil
  }

  /// Returns the values of a record, or `nil` if the bytes are not a record.
  static func values(_ record: [UInt8]) -> [SalvagedRow.Value]? {
    var head = SalvagedCell(record, at: 0, end: record.count)
    guard let size = head.varint(), size >= 1, size <= Int64(record.count) else { return nil }
    var body = SalvagedCell(record, at: Int(size), end: record.count)
    var values: [SalvagedRow.Value] = []
    head = SalvagedCell(record, at: head.place, end: Int(size))
    while head.place < head.end {
      guard values.count < 32, let kind = head.varint(), let value = value(kind, &body) else { return nil }
      values.append(value)
    }
    return values
  }

  private static func value(_ kind: Int64, _ body: inout SalvagedCell) -> SalvagedRow.Value? {
    func int(_ count: Int) -> SalvagedRow.Value? {
      guard let bytes = body.bytes(count), let first = bytes.first else { return nil }
      let start: Int64 = first >= 0x80 ? -1 : 0
      return .int(bytes.reduce(start) { $0 << 8 | Int64($1) })
    }
    switch kind {
    case 0: return .null
    case 1, 2, 3, 4: return int(Int(kind))
    case 5: return int(6)
    case 6: return int(8)
    case 7: return body.bytes(8).map { _ in .other }
    case 8: return .int(0)
    case 9: return .int(1)
    case 12...:
      guard let count = Int(exactly: (kind - 12) / 2), let bytes = body.bytes(count) else { return nil }
      if kind % 2 == 0 { return .blob(bytes) }
      return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .other
    default: return nil
    }
  }
}
