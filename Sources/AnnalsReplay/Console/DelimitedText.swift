/// Cells of formats with a line for each row.
enum DelimitedText {
  /// A cell as RFC 4180 has it: in quotes if it has a comma, a quote or a line break; a quote in it stands twice.
  static func csv(_ text: String) -> String {
    let isQuoted = text.utf8.contains { [0x0A, 0x0D, UInt8(ascii: "\""), UInt8(ascii: ",")].contains($0) }
    return isQuoted ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
  }

  /// A cell in which a tab, a line feed, a carriage return and a backslash are `\t`, `\n`, `\r` and `\\`.
  static func tsv(_ text: String) -> String {
    var cell = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\t": cell += "\\t"
      case "\n": cell += "\\n"
      case "\r": cell += "\\r"
      case "\\": cell += "\\\\"
      default: cell.unicodeScalars.append(scalar)
      }
    }
    return cell
  }

  /// A cell in which no sign formats, links or ends anything.
  static func markdown(_ text: String) -> String {
    var cell = ""
    for character in text.unicodeScalars {
      if "\\`*_[]<>|~&$".unicodeScalars.contains(character) { cell += "\\" }
      cell.unicodeScalars.append(character)
    }
    return cell
  }
}
