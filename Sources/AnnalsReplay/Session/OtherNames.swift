/// What other programs call the things that subcommands do.
enum OtherNames {
  /// Words, and the command line that takes their place: a subcommand, perhaps with placeholders and options.
  private static let names: [String: String] = [
    "list": "show", "ls": "show", "rows": "show", "print": "show", "view": "show", "state": "show",
    "events": "log LOG A..B", "event": "log LOG PLACE", "export": "log LOG --json", "trace": "log LOG --tree ID",
    "commands": "log LOG --commands", "cat": "log", "history": "why", "who": "why", "annotate": "why",
    "blame": "why LOG ROW[.FIELD] [PLACE]",
    "tail": "log LOG --limit -10", "head": "log LOG --limit 10", "grep": "log LOG grep:REGEX",
    "replay": "diff LOG --each", "follow": "diff LOG --follow", "watch": "diff LOG --follow",
    "changes": "diff LOG --each", "search": "find", "where": "find", "when": "find", "bisect": "find",
    "what-if": "show --without", "whatif": "show --without", "without": "show --without", "undo": "help what-if",
    "revert": "help what-if", "compare": "diff", "browse": "scrub", "ui": "scrub",
    "html": "timeline", "page": "timeline", "report": "timeline", "redact": "log LOG --json --redact WHAT",
    "dump": "log LOG --json", "copy": "backup", "cp": "backup", "mirror": "import LOG URL",
    "pull": "import LOG URL", "clone": "import LOG URL", "git": "import LOG FOLDER",
    "repair": "salvage", "recover": "salvage", "fsck": "verify", "check": "verify",
    "restore": "import", "load": "import", "forget": "erase", "anonymize": "erase", "vacuum": "compact",
    "shrink": "compact", "size": "info", "count": "info", "stats": "info", "kept": "info", "people": "erase LOG",
    "subjects": "erase LOG", "run": "do", "schema": "help schema SUBCOMMAND", "man": "help man",
    "completions": "help completions SHELL", "execute": "do LOG DECIDER [ID] JSON",
    "insert": "do LOG insert ID FIELD=VALUE", "update": "do LOG update ID FIELD=VALUE", "delete": "do LOG delete ID",
    "rename-section": "do LOG rename-section KEY TITLE",
  ]

  /// The new forms of options that are an operand now or have another name.
  ///
  /// A key can begin with a subcommand.
  private static let options: [String: String] = [
    "--at": "PLACE after the log", "why --at": "why LOG ROW PLACE", "why --place": "why LOG ROW",
    "--from": "A..B after the log", "--to": "A..B after the log",
    "--since": "A..B after the log", "--until": "A..B after the log", "--tail": "--limit -N", "--reverse": "--limit -N",
    "--stream": "stream:NAME after the log", "--type": "type:NAME after the log", "--tag": "tag:NAME after the log",
    "--author": "author:NAME after the log", "--actor": "author:NAME after the log",
    "--correlation": "correlation:ID after the log", "--command": "command:ID after the log",
    "--source": "source:NAME after the log", "--grep": "grep:REGEX after the log", "--lists": "--with-list",
    "--collection": "--list", "--list-dropped": "--json",
    "--before": "PLACE after the log", "followers --to": "PLACE after the follower",
    "--every": "--each", "--all": "--each", "--meta": "--json", "--without-payloads": "--redact payloads",
    "--max-size": "A..B after the log", "--fail-empty": "find LOG 'count > 0' last", "--no-verify": "verify FILE",
    "--no-pager": "PAGER=cat before the command", "--wide": "a pipe, such as | less -S",
    "--offset": "--limit, or --format csv and a pipe to tail", "--last": "--each, whose last line is the last place",
    "--keep": "demo NAME FILE", "--skip": "followers LOG NAME PLACE", "--forget": "followers LOG NAME 0",
    "--schema": "help schema SUBCOMMAND", "--man": "help man", "--completions": "help completions SHELL",
    "--backup": "backup LOG FILE before it, or import FILE URL",
    "--instead": "show LOG PLACE --instead PLACE=JSON", "--title": "a log of this name, which is the page's title",
    "--group-by": "--section-by", "--order-by": "--sort", "--as-of": "PLACE after the log", "--filter": "--where",
    "log --filter": "a condition after the log, such as 'price > 5'", "--columns": "--fields",
    "--csv": "--format csv", "--out": "> FILE", "timeline --out": "--output", "test --out": "--output",
    "--force": "--yes", "--without-personal": "--redact personal", "--redacted": "--redact app",
  ]

  /// The new form of an option that no subcommand has, or nil for an unknown option.
  static func form(ofOption name: String) -> String? { options[name] }

  /// The new form of an option that a subcommand doesn't have, or nil if the subcommand has no such form.
  ///
  /// If the subcommand takes no such operand, the form is a command line of `log`, which takes every operand.
  static func form(ofOption name: String, of subcommand: Subcommand) -> String? {
    guard let form = options["\(subcommand.name) \(name)"] ?? options[name] else { return nil }
    if form.hasPrefix("--") {
      let option = form.prefix { $0 != " " && $0 != "," }
      return subcommand.allOptions.contains { $0.name == option } ? form : nil
    }
    let end = " after the log"
    guard form.hasSuffix(end) else { return form }
    let operand = String(form.dropLast(end.count))
    let kind = EventChoice.keys.contains { operand.hasPrefix($0 + ":") } ? "CHOICE" : operand
    let takes = (subcommand.operands + [subcommand.rest ?? ""]).contains { $0.contains(kind) }
    return takes ? form : "log LOG \(operand)"
  }

  /// What a word means here, if that is among the subcommands; nil if it is not known.
  static func meant(by word: String, among subcommands: [String]) -> String? {
    guard let meant = names[word.lowercased()], let name = meant.split(separator: " ").first else { return nil }
    return subcommands.contains(String(name)) ? meant : nil
  }

  /// The subcommands of all command lines, with the option in the command line.
  static var all: [(subcommand: String, option: String?)] {
    names.values.map { text in
      let parts = text.split(separator: " ").map(String.init)
      return (parts[0], parts.first { $0.hasPrefix("--") })
    }
  }
}
