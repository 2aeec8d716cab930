/// What other programs call the things that subcommands do.
enum OtherNames {
  /// Words, and what they mean here: a subcommand, and perhaps an option of it.
  private static let names: [String: String] = [
    "list": "show", "ls": "show", "rows": "show", "print": "show", "view": "show", "state": "show",
    "log": "events", "cat": "events", "history": "blame", "who": "blame", "annotate": "blame",
    "tail": "events --tail", "head": "events --limit", "grep": "events --grep", "watch": "follow",
    "search": "find", "where": "find", "when": "find", "bisect": "find --bisect",
    "what-if": "show --without", "whatif": "show --without", "without": "show --without", "undo": "show --without",
    "revert": "show --without", "changes": "replay", "compare": "diff", "browse": "scrub", "ui": "scrub",
    "html": "timeline", "page": "timeline", "report": "timeline", "redact": "export --redact", "dump": "export",
    "copy": "backup", "cp": "backup", "mirror": "clone", "pull": "clone",
    "repair": "salvage", "recover": "salvage", "fsck": "verify", "check": "verify",
    "restore": "import", "load": "import", "forget": "erase", "anonymize": "erase", "vacuum": "compact",
    "shrink": "compact", "size": "stats", "count": "stats", "people": "subjects", "run": "execute",
  ]

  /// What a word means here, if that is among the subcommands; nil if it is not known.
  static func meant(by word: String, among subcommands: [String]) -> String? {
    guard let meant = names[word.lowercased()], let name = meant.split(separator: " ").first else { return nil }
    return subcommands.contains(String(name)) ? meant : nil
  }

  /// Every subcommand that a word leads to, and the option after it.
  static var all: [(subcommand: String, option: String?)] {
    names.values.map { text in
      let parts = text.split(separator: " ").map(String.init)
      return (parts[0], parts.count > 1 ? parts[1] : nil)
    }
  }
}
