import Foundation

/// Methods for a list's parts on pages. `Docs/FileFormat.md` describes the layout.
extension PageWriter {
  mutating func sectionKey(_ key: SectionKey) {
    switch key {
    case .null: int(0)
    case .bool(let value):
      int(1)
      int(value ? 1 : 0)
    case .int(let value):
      int(2)
      int(value)
    case .double(let value):
      int(3)
      word(value.bitPattern)
    case .date(let value):
      int(4)
      word(value.timeIntervalSinceReferenceDate.bitPattern)
    case .string(let value):
      int(5)
      text(value)
    case .other(let value):
      int(6)
      text(value)
    }
  }

  mutating func header(_ header: SectionHeader) {
    sectionKey(header.id.name)
    blob(header.id.order.bytes)
    text(header.title)
    blob(header.order.bytes)
    int(header.isPinned ? 1 : 0)
    optional(header.appearance) { $0.int($1.rawValue) }
  }

  mutating func settings(_ settings: SectionSettings) {
    blob(settings.key.bytes)
    optional(settings.values.title) { $0.text($1) }
    optional(settings.values.number) { $0.word($1.bitPattern) }
  }
}

extension PageReader {
  mutating func sectionKey() throws -> SectionKey {
    switch try int() {
    case 0: .null
    case 1: .bool(try bool())
    case 2: .int(try int())
    case 3: .double(Double(bitPattern: try word()))
    case 4: .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: try word())))
    case 5: .string(try text())
    case 6: .other(try text())
    case let kind: throw PageError("expected a section key of a kind from 0 to 6, found kind \(kind)")
    }
  }

  mutating func position() throws -> Position {
    let number = try int()
    guard number >= 0 else { throw PageError("a position must be at least 0 (was \(number))") }
    return Position(number)
  }

  mutating func orderKey() throws -> OrderKey {
    let bytes = try blob()
    return OrderKey { $0.write(bytes: bytes) }
  }

  mutating func header() throws -> SectionHeader {
    let name = try sectionKey()
    return SectionHeader(
      SectionID(name, order: try orderKey()), title: try text(), order: RowOrder(bytes: try orderKey()),
      isPinned: try bool(), appearance: try optional { try $0.position() })
  }

  mutating func settings() throws -> SectionSettings {
    SectionSettings(
      try orderKey(),
      SectionSettings.Values(
        title: try optional { try $0.text() }, number: try optional { Double(bitPattern: try $0.word()) }))
  }
}
