/// A help page about something that several subcommands share.
enum HelpTopic: String, CaseIterable, Sendable {
  case lists, filters, whatIf = "what-if", places, options

  /// The topic in one sentence.
  var summary: String {
    switch self {
    case .lists: "Choose, sort and section the rows of a list."
    case .filters: "Choose events by stream, type, author or payload: CHOICE."
    case .whatIf: "Show a list as if events were missing or different. The log isn't changed."
    case .places: "Name a position in a log: PLACE and A..B."
    case .options: "Options for output, and exit status."
    }
  }

  /// More about the topic, in the format of ``Subcommand/details``.
  var details: [String] {
    switch self {
    case .lists: []
    case .whatIf:
      [
        "`show` prints the list, and `diff` the rows that are different from the real list:",
        "  annals diff shop.annals --without 'correlation:nightly-sync'",
        "To undo events of records, import the list without them:",
        "  show LOG --without 6 --format jsonl > rows.jsonl",
        "  import LOG rows.jsonl --rows id --delete-missing",
        "The log then has more events, which change the rows back.",
      ]
    case .filters:
      [
        "CHOICE is one or more words, for example `type:Book* author:ann price > 5`:",
        "  type:PATTERN        events of a type",
        "  stream:PATTERN      events of a stream",
        "  tag:PATTERN         events with a tag, NAME or NAME:VALUE",
        "  author:PATTERN      events of an author",
        "  correlation:ID      events of a correlation",
        "  command:ID          events of a command",
        "  source:NAME         events from a source",
        "  grep:REGEX          events with a match in the payload or the metadata",
        "  price > 5           events whose payload meets a condition",
        "",
        "A value can contain * (any characters) and ? (any character). Quote a value with",
        "spaces, as in author:\"Ann Lee\". A ! before the value leaves out the matching",
        "events. If a key is repeated, an event must match one of the values. It must match",
        "all keys. A subcommand that prints batches of changes leaves out the batches",
        "without a matching event.",
      ]
    case .places:
      [
        "PLACE is one of these:",
        "  120                 a position (0 is before the first event)",
        "  -20                 20 events before the end",
        "  first, last         the first or the last event",
        "  2026-11-01T10:00    a time in the local time zone, or 10:00, 90m,",
        "                      'yesterday 15:00', '2 days ago'",
        "  2026-03-15          the end of a day or month, or 'march 2026', 'last friday'",
        "  tx:LABEL            the end of the transaction with a label",
        "  id:EVENT            the event with an id",
        "  cmd:COMMAND         the last event of the command with an id",
        "",
        "A..B is a range. Without A, it begins with the first event, and without B, it ends with",
        "the last event. A day or month at the beginning of a range is its first moment. Alone",
        "in log, diff and timeline, it is the range from its first moment to its end.",
      ]
    case .options:
      [
        "Every subcommand takes --json and the options after it. They can also be before",
        "the subcommand's name. Subcommands that print times take --time. After --, every",
        "argument is an operand.",
        "",
        "`log` and `timeline` take --redact. It hides values at any depth of payloads and",
        "metadata: a string becomes \"[redacted]\", a number 0, and true becomes false. Arrays",
        "and objects become empty.",
        "",
        "Exit status:",
      ] + ReplayError.Status.meanings.map { "  \($0.rawValue)  \($1)" }
    }
  }

  /// The options that the page documents.
  var shared: [Subcommand.Option] {
    switch self {
    case .lists: Subcommand.listOptions
    case .whatIf: [Subcommand.without, Subcommand.instead]
    case .filters, .places: []
    case .options: [Subcommand.times, Subcommand.redact] + Subcommand.common
    }
  }

  /// Returns the topics that a subcommand's page leaves out.
  static func topics(of subcommand: Subcommand) -> [HelpTopic] {
    let words = subcommand.operands + [subcommand.rest].compactMap { $0 } + subcommand.options.compactMap(\.value)
    return allCases.filter { topic in
      switch topic {
      case .places: words.contains { $0.contains("PLACE") || $0.contains("..") }
      case .filters: words.contains { $0.contains("CHOICE") }
      case .options: true
      case .lists, .whatIf: subcommand.options.contains { $0.topic == topic }
      }
    }
  }
}
