import Annals

/// The text of values in cells of the screen.
enum CellText {
  /// The shortest form of dates in which they differ.
  enum DateForm: Sendable {
    case day, time

    /// The form for some dates: days, or times if all are of one day.
    init(_ dates: some Sequence<String>) {
      let dates = Set(dates)
      self = dates.count > 1 && Set(dates.map { $0.prefix(10) }).count == 1 ? .time : .day
    }

    func text(_ date: String) -> String {
      switch self {
      case .day: String(date.prefix(10))
      case .time: String(date.dropFirst(11).prefix(8))
      }
    }
  }

  /// A value that is a date and a time of RFC 3339, nil for any other value.
  static func date(_ value: JSONValue) -> String? {
    guard case .string(let text) = value, 20...35 ~= text.utf8.count else { return nil }
    let bytes = Array(text.utf8)
    func isNumber(_ range: Range<Int>) -> Bool {
      bytes[range].allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }
    let marks: [(Int, String)] = [(4, "-"), (7, "-"), (10, "Tt "), (13, ":"), (16, ":")]
    guard marks.allSatisfy({ $0.1.utf8.contains(bytes[$0.0]) }), isNumber(0..<4), isNumber(5..<7), isNumber(8..<10),
      isNumber(11..<13), isNumber(14..<16), isNumber(17..<19), "Zz0123456789".utf8.contains(bytes[bytes.count - 1])
    else { return nil }
    return text
  }

  /// A value with a date in its short form.
  static func text(_ value: JSONValue, _ form: DateForm = .day) -> String {
    date(value).map(form.text) ?? TextLines.value(value)
  }

  /// A date and a time to the minute, and any other text as it is.
  static func minute(_ text: String) -> String {
    date(.string(text)).map { "\($0.prefix(10)) \($0.dropFirst(11).prefix(5))" } ?? text
  }

  /// A former and a new value in their short forms.
  ///
  /// Dates that have the same short form are whole.
  private static func texts(_ old: JSONValue, _ new: JSONValue) -> (old: String, new: String) {
    let form = DateForm([old, new].compactMap(date))
    let (short, other) = (text(old, form), text(new, form))
    return short == other ? (TextLines.value(old), TextLines.value(new)) : (short, other)
  }

  /// A former and a new value in some columns.
  ///
  /// The new value stays in sight if only one has room.
  static func change(_ old: JSONValue, _ new: JSONValue, width: Int? = nil) -> String {
    let (old, new) = texts(old, new)
    let whole = Text.safe("\(old) → \(new)")
    guard let width, Text.width(whole) > width else { return whole }
    let tail = Text.safe("→ \(new)")
    let room = width - Text.width(tail) - 1
    return room >= 2 ? Text.cut(Text.safe(old), to: room) + " " + tail : Text.cut(tail, to: width)
  }

  /// The columns that the new value of a change needs.
  static func least(_ old: JSONValue, _ new: JSONValue) -> Int { Text.width(Text.safe("→ \(texts(old, new).new)")) }

  /// The changed fields of a row with the new value first, and short values before long ones.
  static func changes(_ fields: [(name: String, old: JSONValue, new: JSONValue)]) -> ScrubLine {
    let all = fields.map { field in
      var (old, new) = texts(field.old, field.new)
      // A time alone would not contain the day.
      if let date = date(field.new), new.count == 8 { new = "\(date.prefix(10)) \(new)" }
      return (
        new: field.name + (field.new == .null ? " removed" : " \(new)"), old: field.old == .null ? "" : " (was \(old))"
      )
    }
    let sorted = all.sorted { Text.width($0.new + $0.old) < Text.width($1.new + $1.old) }
    return sorted.enumerated().flatMap { index, field -> ScrubLine in
      [(index == 0 ? "" : ", ", .plain), (field.new, .plain), (field.old, .dim)]
    }
  }

  /// The fields whose text is a part of another field's text in all rows, such as a file's name next to its path.
  ///
  /// - Parameters:
  ///   - rows: The rows.
  ///   - heading: The field in the headings of the sections, if any. A path of it and another field repeats them.
  /// - Returns: The names of the fields.
  static func repeated(in rows: [Record], heading: String? = nil) -> Set<String> {
    let texts = rows.map { row in
      Dictionary(
        row.members.prefix(16).compactMap { member -> (String, String)? in
          if case .string(let text) = member.value { (member.name, text) } else { nil }
        }, uniquingKeysWith: { first, _ in first })
    }
    var found: Set<String> = []
    let names = Set(texts.flatMap(\.keys)).filter { $0 != heading }.sorted()
    func find(_ isRepeated: (_ text: String, _ other: String, _ row: [String: String]) -> Bool) {
      for name in names where !found.contains(name) {
        let isFound = names.contains { other in
          other != name && !found.contains(other)
            && texts.contains { $0[name]?.utf8.count ?? 0 != $0[other]?.utf8.count ?? 0 }
            && texts.allSatisfy { row in row[name].map { isRepeated($0, row[other] ?? "", row) } ?? true }
        }
        if isFound { found.insert(name) }
      }
    }
    if let heading {
      find { text, other, row in text == "\(row[heading] ?? "")/\(other)" || row[heading] == "." && text == other }
    }
    find { text, other, _ in
      other.hasSuffix("/" + text) || other.hasPrefix(text + "/")
        || !other.contains("/") && (text == "." || text == other)
    }
    return found
  }
}
