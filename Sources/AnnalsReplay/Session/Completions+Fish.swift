extension Completions {
  /// The script for fish.
  var fish: String {
    var lines = [
      "# Completions for fish. Write them into a file that fish reads by itself:",
      "#   \(tool) help completions fish > ~/.config/fish/completions/\(tool).fish", line("", "-f"),
      line("__fish_use_subcommand", "-l version -d 'Print the version.'"),
    ]
    lines += Subcommand.common.map { line("", words(for: $0)) }
    for subcommand in subcommands {
      lines.append(line("__fish_use_subcommand", "-a \(subcommand.name) -d \(Self.single(subcommand.summary))"))
      let condition = "__fish_seen_subcommand_from \(subcommand.name)"
      lines += subcommand.options.map { line(condition, words(for: $0)) }
      // fish does not count operands. What one of them may be is offered for each.
      var offered: [Expected] = []
      for expected in subcommand.expectedOperands where expected != .other && !offered.contains(expected) {
        offered.append(expected)
        lines.append(line(condition, action(expected)))
      }
    }
    return lines.joined(separator: "\n")
  }

  private func line(_ condition: String, _ words: String) -> String {
    "complete -c \(Self.single(tool))" + (condition.isEmpty ? "" : " -n \(Self.single(condition))") + " " + words
  }

  private func words(for option: Subcommand.Option) -> String {
    let names = (option.short.map { "-s \($0.dropFirst()) " } ?? "") + "-l \(option.name.dropFirst(2))"
    let value =
      switch option.expected {
      case nil: ""
      case .file: " -r -F"
      case .other: " -x"
      case .some(let expected): " -x " + action(expected)
      }
    return "\(names)\(value) -d \(Self.single(option.help))"
  }

  private func action(_ expected: Expected) -> String {
    switch expected {
    // Other files follow the logs, because a log can have any name.
    case .log: "-k -a '(__fish_complete_suffix .annals)'"
    case .file: "-F"
    case .page: "-a \(Self.single(pages))"
    case .oneOf(let choices): "-a \(Self.single(choices.joined(separator: " ")))"
    case .other: ""
    }
  }

  /// A text in fish's single quotes.
  private static func single(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
