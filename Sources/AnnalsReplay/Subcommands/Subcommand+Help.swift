import Annals
import AnnalsLog

extension Subcommand {
  /// Prints help pages, schemas, the manual page and scripts for completion.
  ///
  /// - Parameters:
  ///   - groups: The listed subcommands, including this subcommand.
  ///   - every: All subcommands. A subcommand that isn't listed has a page, too.
  /// - Returns: The subcommand.
  static func help(
    of groups: @escaping @Sendable () -> [SubcommandGroup], among every: @escaping @Sendable () -> [SubcommandGroup]
  ) -> Subcommand {
    Subcommand(
      name: "help", operands: ["[SUBCOMMAND]"],
      summary: "Print a help page, the schema of JSON output, the manual page or shell completions.",
      details: [
        "Without SUBCOMMAND, the page lists all subcommands and the topics, such as `help",
        "lists`. --json prints the definitions of subcommands and options, which completions",
        "and the manual page are made from.",
        "Schemas are JSON Schemas of draft 2020-12. Later versions add members, but don't",
        "change or remove them. Exit status: 1 if the subcommand prints no JSON.",
      ],
      options: [
        Option("--schema", "Print the schema of the subcommand's JSON output. Without SUBCOMMAND, list all schemas."),
        Option("--man", "Print the manual page, for the program man."),
        Option(
          "--completions", "SHELL", choices: Completions.Shell.allCases.map(\.rawValue),
          "Print a shell's script for completion. Its first lines explain how to install it."),
      ],
      examples: [
        "annals help show", "annals help show --schema", "annals help --man | man -l -",
        "annals help --completions fish > ~/.config/fish/completions/annals.fish",
      ],
      run: { session in
        let (arguments, groups) = (session.arguments, groups())
        let chosen = ["--schema", "--man", "--completions"].filter { arguments.has($0) }
        if chosen.count > 1 {
          throw ReplayError.usage("expected one option, found \(chosen.joined(separator: " and "))")
        }
        let name = arguments.operands.first
        if let option = chosen.first, option != "--schema", let name {
          throw ReplayError.usage("\(option): expected no SUBCOMMAND, found \"\(name)\"")
        }
        switch chosen.first {
        case "--schema": try session.printSchema(of: name, in: groups)
        case "--man":
          let page = ManPage(tool: session.tool, version: session.version, groups: groups).lines
          try session.printText(page.joined(separator: "\n")) { .members(["page": $0]) }
        case nil: try session.printHelp(on: name, in: groups, among: every())
        default:
          guard let shell = arguments.value("--completions").flatMap(Completions.Shell.init) else { break }
          let script = Completions(tool: session.tool, groups: groups).script(for: shell)
          try session.printText(script) { .members(["shell": .string(shell.rawValue), "script": $0]) }
        }
        return .done
      })
  }
}

extension Session {
  /// Prints a text for another program, or an object with the text.
  fileprivate func printText(_ text: String, _ json: (JSONValue) -> JSONValue) throws {
    if isJSON { try printJSON(json(.string(text)).text) } else { try printData(text) }
  }

  fileprivate func printHelp(
    on name: String?, in groups: [SubcommandGroup], among every: [SubcommandGroup]
  ) throws {
    let page = HelpPage(tool: tool, on: console)
    if let topic = name.flatMap(HelpTopic.init) {
      if isJSON { return try printJSON(topic.json.text) }
      return try page.lines(of: topic).forEach { try print($0) }
    }
    let found = try name.map { name in
      try (groups + every).flatMap(\.subcommands).first { $0.name == name }
        ?? groups.subcommand(name, tool: tool, pages: HelpTopic.allCases.map(\.rawValue))
    }
    if isJSON { return try printJSON((found?.json(tool: tool) ?? groups.json(tool: tool)).text) }
    for line in found.map(page.lines(of:)) ?? page.lines(of: groups) { try print(line) }
  }

  fileprivate func printSchema(of name: String?, in groups: [SubcommandGroup]) throws {
    // An app's tool might have fewer subcommands.
    let names = Set(groups.flatMap(\.subcommands).map(\.name))
    let schemas = OutputSchema.all.filter { names.contains($0.name) }
    if let name {
      let subcommand = try groups.subcommand(name, tool: tool)
      guard let schema = schemas.first(where: { $0.name == subcommand.name }) else {
        throw ReplayError(.negative, "\(tool) \(subcommand.name) prints no JSON, and has no schema")
      }
      let document = schema.document(tool: tool)
      if isJSON { return try printJSON(document.text) }
      for line in document.pretty() { try print(line) }
    } else if isJSON {
      let list = schemas.map { schema in
        JSONValue.members([
          "name": .string(schema.name), "form": .string(schema.form.rawValue), "description": .string(schema.summary),
        ])
      }
      try printJSON(JSONValue.members(["tool": .string(tool), "schemas": .array(list)]).text)
    } else {
      let width = schemas.map(\.name.count).max() ?? 0
      for schema in schemas {
        let form = schema.form == .lines ? "a value a line" : "one value"
        let line = schema.name.padding(to: width) + "  " + form.padding(to: 14) + "  " + schema.summary
        try print(Text.cut(line, to: console.columns))
      }
    }
  }
}

extension [SubcommandGroup] {
  /// Returns the subcommand with a name.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - tool: The tool's name.
  ///   - listed: The subcommands that an error can suggest, or `nil` for all subcommands.
  ///   - pages: Other names that an error can suggest.
  /// - Returns: The subcommand.
  /// - Throws: A ``ReplayError`` with the nearest name, if no subcommand has the name.
  func subcommand(_ name: String, tool: String, listed: [SubcommandGroup]? = nil, pages: [String] = []) throws
    -> Subcommand
  {
    if let found = flatMap(\.subcommands).first(where: { $0.name == name }) { return found }
    let known = (listed ?? self).flatMap(\.subcommands).map(\.name)
    let names = known + pages + ["--version"] + Subcommand.common.map(\.name)
    let meant = OtherNames.meant(by: name, among: known) ?? Nearest.name(to: name, among: names)
    let nearest = meant.map { "; did you mean \($0)?" } ?? ""
    throw ReplayError.usage(
      "unknown \(name.hasPrefix("-") ? "option" : "subcommand") \(name)\(nearest)\n\(tool) --help lists them")
  }
}
