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
      output: .init(
        .object, "The definitions of all subcommands or of one, schemas, the manual page, or a shell's script.",
        [
          subcommandForm.schema, toolForm.schema, HelpTopic.schema, pageForm.schema, scriptForm.schema,
          schemasForm.schema, SubcommandOutput.documentSchema,
        ]),
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
          try session.printText(page.joined(separator: "\n"), pageForm) { $0 }
        case nil: try session.printHelp(on: name, in: groups, among: every())
        default:
          guard let shell = arguments.value("--completions").flatMap(Completions.Shell.init) else { break }
          let script = Completions(tool: session.tool, groups: groups).script(for: shell)
          try session.printText(script, scriptForm) { (shell.rawValue, $0) }
        }
        return .done
      })
  }
}

extension Session {
  /// Prints a text for another program, or an object with the text.
  fileprivate func printText<Value>(
    _ text: String, _ form: JSONForm<Value>, _ value: (String) -> Value
  ) throws {
    if isData { try print(value(text), as: form) } else { try printData(text) }
  }

  fileprivate func printHelp(
    on name: String?, in groups: [SubcommandGroup], among every: [SubcommandGroup]
  ) throws {
    let page = HelpPage(tool: tool, on: console)
    if let topic = name.flatMap(HelpTopic.init) {
      if isData { return try print(topic, as: HelpTopic.form) }
      return try page.lines(of: topic).forEach { try print($0) }
    }
    let found = try name.map { name in
      try (groups + every).flatMap(\.subcommands).first { $0.name == name }
        ?? groups.subcommand(name, tool: tool, pages: HelpTopic.allCases.map(\.rawValue))
    }
    if isData {
      if let found { return try print((found, tool), as: subcommandForm) }
      return try print((tool, groups), as: toolForm)
    }
    for line in found.map(page.lines(of:)) ?? page.lines(of: groups) { try print(line) }
  }

  fileprivate func printSchema(of name: String?, in groups: [SubcommandGroup]) throws {
    if let name {
      let subcommand = try groups.subcommand(name, tool: tool)
      guard let output = subcommand.output else {
        throw ReplayError(.negative, "\(tool) \(subcommand.name) prints no JSON, and has no schema")
      }
      let document = output.document(title: "\(tool) \(subcommand.name) --json")
      if isData { return try printJSON(document.text) }
      for line in document.pretty() { try print(line) }
      return
    }
    // An app's tool might have fewer subcommands.
    let schemas = groups.flatMap(\.subcommands).compactMap { subcommand in
      subcommand.output.map { (name: subcommand.name, output: $0) }
    }
    if isData { return try print((tool, schemas), as: schemasForm) }
    let width = schemas.map(\.name.count).max() ?? 0
    for schema in schemas {
      let form = schema.output.form == .lines ? "a value a line" : "one value"
      let line = schema.name.padding(to: width) + "  " + form.padding(to: 14) + "  " + schema.output.summary
      try print(Text.cut(line, to: console.columns))
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
