extension Subcommand {
  /// An option in help, errors, completions and the manual page.
  struct Option: Sendable {
    let name: String
    /// A name of one letter, such as `-n`.
    let short: String?
    /// The placeholder of the value in the help; nil if the option takes no value.
    var value: String?
    /// The values that it takes; empty if it takes any.
    var choices: [String] = []
    var repeats = false
    let help: String
    /// The topic that documents the option, or `nil` if the subcommand's own page does.
    private(set) var topic: HelpTopic?

    init(_ name: String, short: String? = nil, _ help: String) {
      self.name = name
      self.short = short
      self.help = help
    }

    init(
      _ name: String, short: String? = nil, _ value: String, choices: [String] = [], repeats: Bool = false,
      _ help: String
    ) {
      self.name = name
      self.short = short
      self.help = help
      self.value = value
      self.choices = choices
      self.repeats = repeats
    }

    /// Returns the option as a part of a topic.
    func documented(in topic: HelpTopic) -> Option {
      var option = self
      option.topic = topic
      return option
    }

    /// All its names.
    var names: [String] { [short, name].compactMap { $0 } }

    /// Its names and its value's placeholder, as help shows them.
    var head: String { names.joined(separator: ", ") + (value.map { " " + $0 } ?? "") }
  }

  /// The options that every subcommand takes, also before its name.
  static let common = [
    Option("--json", "Print JSON."),
    Option(
      "--format", "FORMAT", choices: OutputFormat.allCases.map(\.rawValue),
      "Print \(Text.either(OutputFormat.allCases.map(\.rawValue))); json is --json. csv ends lines with CR LF, as RFC "
        + "4180 requires."),
    Option("--fields", "NAME", repeats: true, "Print these columns, in this order. Repeat it, or separate by commas."),
    Option(
      "--color", "WHEN", choices: ColourChoice.allCases.map(\.rawValue),
      "Print colours: auto (on a terminal, unless NO_COLOR is set), always or never."),
    Option(
      "--progress", "HOW", choices: ProgressChoice.allCases.map(\.rawValue),
      "Show the progress of a long task: auto (on a terminal), plain (a line every five seconds) or none."),
    Option("--quiet", short: "-q", "Print no messages in addition to the data, except errors and questions."),
    Option("--help", short: "-h", "Print the subcommand's help page."),
  ].map { $0.documented(in: .options) }

  /// The option of every output that can be without some values.
  static let redact = Option(
    "--redact", "WHAT", repeats: true,
    "Hide a field, a path such as address.street, author, tags, subject:NAME, personal (all personal values), payloads "
      + "or app (the values that an app's tool names). Repeat it, or separate by commas."
  ).documented(in: .options)

  /// The option of every output that can contain lists.
  static let withList = Option("--with-list", "Print the list, or its changes by every event, too.")

  /// The options of subcommands that show a list.
  static let list = listOptions + [times, without]

  /// The options that choose the rows of a list.
  static let listOptions =
    [
      Option(
        "--list", "NAME",
        "The list to show, in a log of records a collection; by default the only one that the log has events of."),
      Option("--section-by", "FIELD", "Group the rows into sections by a field."),
      Option("--sort", "FIELD", repeats: true, "Sort by a field; -FIELD descends. Repeat it, or separate by commas."),
      Option(
        "--where", "CONDITION", repeats: true,
        "Show the rows for which 'FIELD OP VALUE' holds; OP is = != < <= > >= contains starts ends matches in exists, "
          + "with and, or, not and brackets. Repeated: and."),
      Option("--limit", short: "-n", "N", "Show N rows at most."),
    ].map { $0.documented(in: .lists) }

  /// The option of subcommands that print batches of changes.
  static let stat = Option("--stat", "Print only the numbers of changed rows and sections.")

  /// The option of subcommands that print times.
  static let times = Option(
    "--time", "HOW", choices: ["local", "utc", "relative", "none"],
    "Print times in local (the default), utc, relative ('2 days ago') or none. Programs get utc."
  ).documented(in: .options)
}

extension Session {
  /// True if every batch is printed as counts of its changes.
  var countsOnly: Bool { arguments.has(Subcommand.stat.name) }
}
