/// The manual page of the tool for `man`, in the macros of man(7), made from the table of subcommands.
struct ManPage {
  let tool: String
  let version: String
  let groups: [SubcommandGroup]

  var lines: [String] {
    var lines = [
      ".TH \(Self.quoted(tool.uppercased())) 1 \"\" \(Self.quoted("\(tool) \(version)")) \"User Commands\"", ".SH NAME",
      Self.text("\(tool) - show the history of an event log"), ".SH SYNOPSIS", ".B \(Self.quoted(tool))",
      ".I SUBCOMMAND LOG", Self.text("[options]"), ".SH DESCRIPTION",
    ]
    lines += Self.paragraph("Shows what is listed at any position of an event log, and what changed on the way.")
    lines += Self.paragraph("LOG is a file. Reading never changes it.") + [".SH SHARED OPTIONS"]
    for topic in HelpTopic.allCases {
      lines += [".SS \(Self.quoted(topic.rawValue))"] + Self.paragraph(topic.summary)
      lines += Self.paragraphs(Subcommand.paragraphs(topic.details)) + Self.options(topic.shared)
    }
    for group in groups {
      lines.append(".SH \(Self.quoted(group.title.uppercased()))")
      for subcommand in group.subcommands { lines += section(of: subcommand) }
    }
    return lines + Self.end
  }

  private func section(of subcommand: Subcommand) -> [String] {
    var lines = [".SS \(Self.quoted(subcommand.usage(tool: tool)))"] + Self.paragraph(subcommand.summary)
    lines += Self.paragraphs(subcommand.paragraphs) + Self.options(subcommand.options.filter { $0.topic == nil })
    lines += [".PP", "Examples:", ".PP", ".RS 4", ".nf"] + subcommand.examples(tool: tool).map(Self.text)
    let topics = HelpTopic.topics(of: subcommand).map(\.rawValue)
    return lines + [".fi", ".RE", ".PP"] + Self.paragraph("Shared options: " + topics.joined(separator: ", "))
  }

  private static func paragraphs(_ paragraphs: [String]) -> [String] {
    paragraphs.filter { !$0.isEmpty }.flatMap {
      $0.hasPrefix(" ") ? [".nf", text($0), ".fi"] : [".PP"] + paragraph($0)
    }
  }

  private static func options(_ options: [Subcommand.Option]) -> [String] {
    options.flatMap { [".TP", ".B \(quoted($0.head))"] + paragraph($0.help) }
  }

  /// The environment variables that the tool reads.
  static let variables: KeyValuePairs<String, String> = [
    "ANNALS_PAGER, PAGER": "The program for long output, by default less. With cat or an empty value, no pager.",
    "LESS": "The options of less, by default FRX.",
    "COLUMNS, LINES": "The terminal's size, if the terminal doesn't report it.",
    "NO_COLOR": "If it isn't empty, output has no colors unless --color is always.",
    "TERM": "With dumb, output has no colors and no pager.",
    "XDG_CACHE_HOME": "The folder for indexes of long logs, by default ~/.cache, or ~/Library/Caches on macOS.",
  ]

  private static var end: [String] {
    func list(_ title: String, _ items: [(String, String)]) -> [String] {
      [".SH \(title)"] + items.flatMap { [".TP", ".B \(quoted($0.0))"] + paragraph($0.1) }
    }
    return list("EXIT STATUS", ReplayError.Status.meanings.map { ("\($0.rawValue)", $1) })
      + list("ENVIRONMENT", variables.map { ($0, $1) })
  }

  /// Lines of text, none of them long.
  private static func paragraph(_ words: String) -> [String] { Text.wrapped(words, to: 72).map(text) }

  /// A line of text in which nothing is a request or an escape.
  private static func text(_ text: String) -> String {
    var line = text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": line += "\\e"
      // A hyphen that you may copy into a command line.
      case "-": line += "\\-"
      case "…": line += "..."
      case "'": line += "\\(aq"
      case "`": line += "\\(ga"
      case "^": line += "\\(ha"
      case "~": line += "\\(ti"
      case " "..."~": line.unicodeScalars.append(character)
      // groff without its preprocessor reads Latin-1.
      default:
        let number = String(character.value, radix: 16, uppercase: true)
        line += "\\[u" + String(repeating: "0", count: max(0, 4 - number.count)) + number + "]"
      }
    }
    return line
  }

  /// A text as one argument of a macro.
  private static func quoted(_ words: String) -> String {
    "\"" + text(words).replacing("\"", with: "\\(dq") + "\""
  }
}
