/// A subcommand.
///
/// Parsing, help, errors, completions and the manual page all use this one table.
struct Subcommand: Sendable {
  let name: String
  /// The placeholders of the operands in the help.
  ///
  /// One in brackets is optional; optional ones come last.
  let operands: [String]
  /// The placeholder of what may follow the operands, any number of times; nil if nothing may.
  var rest: String?
  let summary: String
  /// More about it, for its page: lines of one paragraph, which the page wraps again.
  ///
  /// An empty line separates paragraphs. A line that begins with a space stays as it is.
  var details: [String] = []
  var options: [Option] = []
  /// The values that an operand may have, by its placeholder, for completions; the subcommand checks them itself.
  var choices: [String: [String]] = [:]
  var examples: [String]
  /// The values that it prints as JSON, or nil if it prints none.
  var output: SubcommandOutput?
  let run: @Sendable (Session) throws -> ReplayError.Status
  /// True if what is longer than the screen goes to a pager.
  var isPaged = false
  /// True if its output comes bit by bit and is read as it comes, so that no pager may hold it back.
  var isLive = false

  var requiredOperands: Int { operands.prefix { !$0.hasPrefix("[") }.count }

  var allOptions: [Option] { options + Self.common }

  func usage(tool: String) -> String {
    let words = (operands + [rest].compactMap { $0 }).joined(separator: " ")
    return "\(tool) \(name)\(words.isEmpty ? "" : " ")\(words)\(options.isEmpty ? "" : " [options]")"
  }

  /// The same, with output that is read as it comes.
  var live: Subcommand {
    var subcommand = self
    subcommand.isLive = true
    return subcommand
  }

  /// The examples with the tool's own name; they are written with the name `annals`.
  func examples(tool: String) -> [String] {
    // Not in shop.annals, which is a log.
    examples.map { $0.replacing(#/(^|[ \/(])annals(?=[ .])/#) { $0.output.1 + tool } }
  }

  /// The paragraphs of the details, and the lines that aren't wrapped.
  var paragraphs: [String] { Self.paragraphs(details) }

  static func paragraphs(_ details: [String]) -> [String] {
    var paragraphs: [String] = []
    var isOpen = false
    for line in details {
      let stays = line.isEmpty || line.hasPrefix(" ")
      if isOpen, !stays { paragraphs[paragraphs.count - 1] += " " + line } else { paragraphs.append(line) }
      isOpen = !stays
    }
    return paragraphs
  }
}

/// Subcommands that serve one purpose.
struct SubcommandGroup: Sendable {
  let title: String
  var subcommands: [Subcommand]

  /// Makes a group.
  ///
  /// - Parameters:
  ///   - title: Its title in help.
  ///   - isPaged: True if what is longer than the screen goes to a pager, except from a live subcommand.
  ///   - subcommands: Its subcommands.
  init(_ title: String, isPaged: Bool = false, _ subcommands: [Subcommand]) {
    self.title = title
    self.subcommands = subcommands.map { subcommand in
      var subcommand = subcommand
      subcommand.isPaged = isPaged && !subcommand.isLive
      return subcommand
    }
  }
}
