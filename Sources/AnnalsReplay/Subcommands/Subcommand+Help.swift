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
      name: "help", operands: ["[PAGE]", "[NAME]"],
      summary: "Print a help page, the schema of JSON output, the manual page or shell completions.",
      details: [
        "PAGE is a subcommand, a topic such as lists, or one of these. `schema SUBCOMMAND` is",
        "the JSON Schema (2020-12) of a subcommand's JSON output. Later versions only add",
        "members. `schema` lists all schemas. `man` is the manual page, and `completions",
        "SHELL` is a script for \(Text.either(Completions.Shell.names)). --json prints the",
        "definitions of subcommands and options. Exit status: 1 if a subcommand prints no JSON.",
      ],
      choices: ["[NAME]": Completions.Shell.names],
      examples: [
        "annals help show", "annals help schema show", "annals help man | man -l -",
        "annals help completions fish > ~/.config/fish/completions/annals.fish",
      ],
      output: .init(
        .object, "The definitions of all subcommands or of one, schemas, the manual page, or a shell's script.",
        [
          subcommandForm.schema, toolForm.schema, HelpTopic.schema, pageForm.schema, scriptForm.schema,
          schemasForm.schema, SubcommandOutput.documentSchema,
        ]),
      run: { session in
        let (operands, groups) = (session.arguments.operands, groups())
        let (page, name) = (operands.first, operands.dropFirst().first)
        switch page {
        case "schema": try session.printSchema(of: name, in: groups)
        case "completions":
          let shell = try Completions.Shell(named: name ?? "")
          let script = Completions(tool: session.tool, groups: groups).script(for: shell)
          try session.printText(script, scriptForm) { (shell.rawValue, $0) }
        case let page?:
          if let name { throw ReplayError.usage("help \(page): expected no other word, found \"\(name)\"") }
          if page != "man" { return try session.printHelp(on: page, in: groups, among: every()) }
          let lines = ManPage(tool: session.tool, version: session.version, groups: groups).lines
          try session.printText(lines.joined(separator: "\n"), pageForm) { $0 }
        case nil: return try session.printHelp(on: nil, in: groups, among: every())
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
  ) throws -> ReplayError.Status {
    let page = HelpPage(tool: tool, on: console)
    func printPage<Value>(_ lines: [String], _ value: Value, _ form: JSONForm<Value>) throws -> ReplayError.Status {
      if isData { try print(value, as: form) } else { for line in lines { try print(line) } }
      return .done
    }
    guard let name else { return try printPage(page.lines(of: groups), (tool, groups), toolForm) }
    if let topic = HelpTopic(rawValue: name) { return try printPage(page.lines(of: topic), topic, HelpTopic.form) }
    let found =
      try (groups + every).flatMap(\.subcommands).first { $0.name == name }
      ?? groups.subcommand(name, tool: tool, pages: HelpTopic.allCases.map(\.rawValue) + Completions.pages)
    return try printPage(page.lines(of: found), (found, tool), subcommandForm)
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
    let meant =
      OtherNames.meant(by: name, among: known) ?? OtherNames.form(ofOption: name)
      ?? Nearest.name(to: name, among: names)
    let nearest = meant.map { "; did you mean \($0)?" } ?? ""
    throw ReplayError.usage(
      "unknown \(name.hasPrefix("-") ? "option" : "subcommand") \(name)\(nearest)\n\(tool) --help lists them")
  }
}
