import Annals
import AnnalsLog

/// A column of a table.
struct TableColumn: Sendable {
  /// The name in `--fields` and in formats for programs.
  let name: String
  /// The heading for people.
  let title: String
  let alignment: Text.Alignment

  init(_ name: String, title: String? = nil, _ alignment: Text.Alignment = .left) {
    self.name = name
    self.title = title ?? name
    self.alignment = alignment
  }
}

/// A value in a table.
enum TableCell: Sendable {
  /// A name or a sentence of the tool's own.
  case text(String)
  /// A value from data, which people must not misread.
  case json(JSONValue)
  /// A value that people see in another form than programs, such as "2.1 kB" for 2106.
  indirect case shown(as: String, TableCell)

  /// No value: null in JSON, and nothing elsewhere.
  static let none = TableCell.json(.null)

  static func number(_ number: Int) -> TableCell { .json(.number(JSONNumber(number))) }

  /// Writes the cell as JSON.
  func write(to writer: inout PayloadWriter) {
    switch self {
    case .text(let text): writer.write(text)
    case .json(let value): writer.write(json: value.text)
    case .shown(_, let cell): cell.write(to: &writer)
    }
  }

  /// The cell for programs that read lines: a text as it is.
  var data: String {
    switch self {
    case .json(.null): ""
    case .text(let text), .json(.string(let text)): text
    case .json(let value): value.text
    case .shown(_, let cell): cell.data
    }
  }

  /// The cell for people, safe to show.
  var text: String {
    switch self {
    case .json(.null): ""
    case .text(let text): Text.safe(text)
    case .json(let value): Text.safe(Text.value(value))
    case .shown(let text, _): Text.safe(text)
    }
  }
}
