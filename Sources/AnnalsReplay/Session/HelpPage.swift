/// Pages of help, wrapped to the terminal's width.
struct HelpPage {
  private let tool: String
  private let columns: Int
  private let hasColour: Bool

  init(tool: String, on console: Console) {
    self.tool = tool
    columns = console.textColumns
    hasColour = console.hasColour
  }

  /// The page of the whole tool.
  func lines(of groups: [SubcommandGroup]) -> [String] {
    var lines = text(
      "\(tool) shows the history of an event log: what is listed at any position, and what changed on the way.")
    lines += ["", "usage: \(tool) SUBCOMMAND LOG [options]", "       \(tool) --version"]
    for group in groups {
      lines += ["", head(group.title)]
      for subcommand in group.subcommands {
        lines += side("\(subcommand.name) \(subcommand.operands.joined(separator: " "))", subcommand.summary)
      }
    }
    lines += ["", head("Topics")]
    for topic in HelpTopic.allCases { lines += side("help \(topic.rawValue)", topic.summary) }
    let names = groups.flatMap(\.subcommands).map(\.name)
    let demo = names.contains("demo") ? "; demo takes none" : ""
    lines += [""] + text("LOG is a file. Reading never changes it\(demo).")
    lines += ["", "examples:"]
    let examples =
      names.contains("demo")
      ? [
        "demo", "import shop.annals shop.jsonl", "show shop.annals --section-by shelf --sort price,title", "help show",
      ] : ["info shop.annals", "show shop.annals yesterday 15:00", "scrub shop.annals", "help show"]
    return lines + examples.map { "  \(tool) \($0)" }
  }

  /// The page of a subcommand.
  func lines(of subcommand: Subcommand) -> [String] {
    var lines = text(subcommand.summary) + [""] + text("usage: \(subcommand.usage(tool: tool))", hanging: "       ")
    lines += paragraphs(subcommand.paragraphs) + options(subcommand.options.filter { $0.topic == nil })
    lines += ["", "examples:"] + subcommand.examples(tool: tool).map { "  " + $0 }
    let topics = HelpTopic.topics(of: subcommand).map { "help \($0.rawValue)" }
    return lines + [""] + text("see also: " + topics.joined(separator: ", "), hanging: "  ")
  }

  /// The page of a topic.
  func lines(of topic: HelpTopic) -> [String] {
    text(topic.summary) + paragraphs(Subcommand.paragraphs(topic.details)) + options(topic.shared)
  }

  private func paragraphs(_ paragraphs: [String]) -> [String] {
    if paragraphs.isEmpty { return [] }
    return [""] + paragraphs.flatMap { $0.isEmpty || $0.hasPrefix(" ") ? [$0] : text($0) }
  }

  private func options(_ options: [Subcommand.Option]) -> [String] {
    options.isEmpty ? [] : ["", "options:"] + options.flatMap { side($0.head, $0.help) }
  }

  private func head(_ title: String) -> String { Style.bold.on(title, if: hasColour) }

  private func text(_ text: String, hanging: String = "") -> [String] {
    Text.wrapped(text, to: columns, hanging: hanging)
  }

  /// Words and their meaning side by side, or the meaning below them if the terminal is narrow.
  private func side(_ words: String, _ meaning: String) -> [String] {
    let (head, column) = ("  " + words, columns < 50 ? 6 : 24)
    let indent = String(repeating: " ", count: column)
    if Text.width(head) < column - 1, columns >= 50 {
      let first = Text.padded(head, to: column)
      return Text.wrapped(meaning, to: columns, indent: first, hanging: indent)
    }
    return Text.wrapped(words, to: columns, indent: "  ", hanging: "      ")
      + Text.wrapped(meaning, to: columns, indent: indent)
  }
}
