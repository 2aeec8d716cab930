/// A subcommand.
///
/// Parsing, help and errors all use this one table.
struct Subcommand: Sendable {
  struct Option: Sendable {
    let name: String
    /// The placeholder of the value in the help; nil if the option takes no value.
    var value: String?
    var repeats = false
    let help: String

    init(_ name: String, _ help: String) {
      (self.name, self.help) = (name, help)
    }

    init(_ name: String, _ value: String, repeats: Bool = false, _ help: String) {
      (self.name, self.value, self.repeats, self.help) = (name, value, repeats, help)
    }
  }

  let name: String
  /// The placeholders of the operands in the help.
  ///
  /// One in brackets is optional; optional ones come last.
  let operands: [String]
  /// The placeholder of what may follow the operands, any number of times; nil if nothing may.
  var rest: String?
  let summary: String
  var details: [String] = []
  var options: [Option] = []
  let examples: [String]
  let run: @Sendable (Session) throws -> ReplayError.Status

  static let common = [
    Option("--json", "Print JSON."), Option("--help", "Print this and do nothing else."),
  ]

  /// The options of everything that shows a list.
  static let list = [
    Option("--list", "NAME", "The list to show; by default the only one that the log has events of."),
    Option("--collection", "NAME", "The collection to show, in a log of records; by default the only one."),
    Option("--section-by", "FIELD", "Cut the rows into sections by a field."),
    Option("--sort", "FIELD", repeats: true, "Sort by a field; -FIELD descends. Repeat it, or separate by commas."),
    Option(
      "--where", "CONDITION", repeats: true,
      "Show the rows for which 'FIELD OP VALUE' holds; OP is = != < <= > >= contains starts ends matches in exists, with "
        + "and, or, not and brackets. Repeated: and."),
    Option("--limit", "N", "Show N rows at most."), Option("--offset", "N", "Leave out the first N rows."),
    Option("--time", "ZONE", "Print times in utc (the default) or local."),
  ] + whatIf

  var requiredOperands: Int { operands.prefix { !$0.hasPrefix("[") }.count }

  var allOptions: [Option] { options + Self.common }

  func usage(tool: String) -> String {
    let words = (operands + [rest].compactMap { $0 }).joined(separator: " ")
    return "\(tool) \(name) \(words)\(options.isEmpty ? "" : " [options]")"
  }

  /// The page of help.
  ///
  /// Examples are written with the name `annals`, and shown with the tool's own.
  func help(tool: String) -> String {
    var lines = [summary, "", "usage: \(usage(tool: tool))", ""]
    if !details.isEmpty { lines += details + [""] }
    lines.append("options:")
    for option in allOptions {
      let head = "  " + [option.name, option.value].compactMap { $0 }.joined(separator: " ")
      lines += Self.wrapped(head, option.help)
    }
    return (lines + ["", "examples:"] + examples.map { "  " + $0.replacing("annals ", with: tool + " ") }).joined(
      separator: "\n")
  }

  /// A word and its meaning, side by side within 80 columns.
  static func wrapped(_ head: String, _ text: String, at column: Int = 24) -> [String] {
    var lines = [head.count < column - 1 ? head + String(repeating: " ", count: column - head.count) : head]
    if lines[0].count >= column, head.count >= column - 1 { lines.append(String(repeating: " ", count: column)) }
    for word in text.split(separator: " ") {
      let last = lines[lines.count - 1]
      let isFresh = last.count == column
      if !isFresh, last.count + 1 + word.count > 80 {
        lines.append(String(repeating: " ", count: column) + word)
      } else {
        lines[lines.count - 1] += (isFresh ? "" : " ") + word
      }
    }
    return lines
  }
}
