import Annals
import AnnalsLog

extension Subcommand {
  /// Prints pages of help; `groups` is the table that has this subcommand too, `every` has what it leaves out.
  static func help(
    of groups: @escaping @Sendable () -> [SubcommandGroup], among every: @escaping @Sendable () -> [SubcommandGroup]
  ) -> Subcommand {
    Subcommand(
      name: "help", operands: ["[SUBCOMMAND]"], summary: "Print all subcommands, or the page of one.",
      details: ["--json prints the table of subcommands and options that help, completions and man are made from."],
      examples: ["annals help", "annals help show", "annals help --json"],
      run: { session in
        let (tool, groups) = (session.tool, groups())
        let one = try session.arguments.operands.first.map { name in
          // What help does not list has a page too.
          try (groups + every()).flatMap(\.subcommands).first { $0.name == name }
            ?? groups.subcommand(name, tool: tool)
        }
        if session.isJSON {
          try session.printJSON(one.map { $0.json(tool: tool) } ?? groups.json(tool: tool))
        } else {
          let page = HelpPage(tool: tool, on: session.console)
          for line in one.map(page.lines(of:)) ?? page.lines(of: groups) { try session.print(line) }
        }
        return .done
      })
  }

  /// Prints a shell's script.
  static func completions(of groups: @escaping @Sendable () -> [SubcommandGroup]) -> Subcommand {
    let shells = Completions.Shell.allCases.map(\.rawValue)
    return Subcommand(
      name: "completions", operands: ["SHELL"],
      summary: "Print the script with which a shell completes subcommands, options and files.",
      details: [
        "SHELL is \(Text.either(shells)). The script's first lines say what to do with it."
      ],
      choices: ["SHELL": shells],
      examples: ["annals completions bash", "annals completions fish > ~/.config/fish/completions/annals.fish"],
      run: { session in
        let name = session.arguments.operands[0]
        guard let shell = Completions.Shell(rawValue: name) else {
          let nearest = Nearest.name(to: name, among: shells).map { "; did you mean \($0)?" } ?? ""
          throw ReplayError.usage("SHELL: expected \(Text.either(shells)), found \"\(name)\"\(nearest)")
        }
        let script = Completions(tool: session.tool, groups: groups()).script(for: shell)
        if session.isJSON {
          try session.printJSON("{\"shell\":\"\(shell)\",\"script\":\(JSONValue.quoted(script))}")
        } else {
          try session.printData(script)
        }
        return .done
      })
  }

  /// Prints the manual page.
  static func man(version: String, of groups: @escaping @Sendable () -> [SubcommandGroup]) -> Subcommand {
    Subcommand(
      name: "man", operands: [], summary: "Print the manual page, for the program man.",
      details: ["man(1) shows it from a file whose name ends in .1; -l is for a file that is not installed."],
      examples: ["annals man > annals.1", "annals man | man -l -"],
      run: { session in
        let lines = ManPage(tool: session.tool, version: version, groups: groups()).lines
        if session.isJSON {
          try session.printJSON("{\"page\":\(JSONValue.quoted(lines.joined(separator: "\n")))}")
        } else {
          for line in lines { try session.print(line) }
        }
        return .done
      })
  }
}

extension [SubcommandGroup] {
  /// The subcommand of a name.
  ///
  /// Throws a mistake of usage with the nearest name if there is none.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - tool: What the tool is called.
  ///   - listed: The subcommands that may be suggested; nil for all.
  /// - Returns: The subcommand.
  /// - Throws: ``ReplayError``.
  func subcommand(_ name: String, tool: String, listed: [SubcommandGroup]? = nil) throws -> Subcommand {
    if let found = flatMap(\.subcommands).first(where: { $0.name == name }) { return found }
    let known = (listed ?? self).flatMap(\.subcommands).map(\.name)
    let names = known + ["--version"] + Subcommand.common.map(\.name)
    let meant = OtherNames.meant(by: name, among: known) ?? Nearest.name(to: name, among: names)
    let nearest = meant.map { "; did you mean \($0)?" } ?? ""
    throw ReplayError.usage(
      "unknown \(name.hasPrefix("-") ? "option" : "subcommand") \(name)\(nearest)\n\(tool) --help lists them")
  }
}
