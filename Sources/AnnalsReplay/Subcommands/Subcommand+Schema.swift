import Annals

extension Subcommand {
  /// Prints JSON Schemas; `groups` is the table that has this subcommand too.
  static func schema(of groups: @escaping @Sendable () -> [SubcommandGroup]) -> Subcommand {
    Subcommand(
      name: "schema", operands: ["[SUBCOMMAND]"],
      summary: "Print the JSON Schema of what a subcommand prints with --json.",
      details: [
        "Without a name, the subcommands that print JSON, and whether it is one value or one",
        "a line. Schemas are of draft 2020-12. Members may be added later, and never change",
        "or go away. Exit status: 1 if the subcommand prints no JSON.",
      ],
      examples: ["annals schema", "annals schema show", "annals schema replay > replay.schema.json"],
      run: { session in
        // An app's tool may have fewer subcommands.
        let groups = groups()
        let names = Set(groups.flatMap(\.subcommands).map(\.name))
        let schemas = OutputSchema.all.filter { names.contains($0.name) }
        guard let name = session.arguments.operands.first else {
          try session.printSchemas(schemas)
          return .done
        }
        let subcommand = try groups.subcommand(name, tool: session.tool)
        guard let schema = schemas.first(where: { $0.name == subcommand.name }) else {
          throw ReplayError(.negative, "\(session.tool) \(subcommand.name) prints no JSON, and has no schema")
        }
        let document = schema.document(tool: session.tool)
        if session.isJSON {
          try session.printJSON(document.text)
        } else {
          for line in document.pretty() { try session.print(line) }
        }
        return .done
      })
  }
}

extension Session {
  fileprivate func printSchemas(_ schemas: [OutputSchema]) throws {
    if isJSON {
      let list = schemas.map {
        "{\"name\":\(JSONValue.quoted($0.name)),\"form\":\"\($0.form)\","
          + "\"description\":\(JSONValue.quoted($0.summary))}"
      }
      return try printJSON("{\"tool\":\(JSONValue.quoted(tool)),\"schemas\":[\(list.joined(separator: ","))]}")
    }
    let width = schemas.map(\.name.count).max() ?? 0
    for schema in schemas {
      let form = schema.form == .lines ? "a value a line" : "one value"
      let line = schema.name.padding(to: width) + "  " + form.padding(to: 14) + "  " + schema.summary
      try print(Text.cut(line, to: console.columns))
    }
  }
}
