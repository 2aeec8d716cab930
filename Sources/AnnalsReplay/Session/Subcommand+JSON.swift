import Annals

extension Subcommand {
  /// The subcommand as JSON, for programs that call the tool.
  func json(tool: String) -> String {
    "{\"name\":\(JSONValue.quoted(name)),\"operands\":\(Self.list(operands + [rest].compactMap { $0 })),"
      + "\"summary\":\(JSONValue.quoted(summary)),\"details\":\(Self.list(paragraphs.filter { !$0.isEmpty })),"
      + "\"options\":[\(options.map(\.json).joined(separator: ","))],\"examples\":\(Self.list(examples(tool: tool)))}"
  }

  fileprivate static func list(_ texts: [String]) -> String {
    "[" + texts.map { JSONValue.quoted($0) }.joined(separator: ",") + "]"
  }
}

extension Subcommand.Option {
  /// The option as JSON; `short` and `value` are null if there is none.
  fileprivate var json: String {
    func text(_ text: String?) -> String { text.map { JSONValue.quoted($0) } ?? "null" }
    return "{\"name\":\(text(name)),\"short\":\(text(short)),\"value\":\(text(value)),"
      + "\"choices\":\(Subcommand.list(choices)),\"repeats\":\(repeats),\"help\":\(text(help))}"
  }
}

extension [SubcommandGroup] {
  /// The whole table as JSON; `options` are those of every subcommand.
  func json(tool: String) -> String {
    let groups = map { group in
      "{\"title\":\(JSONValue.quoted(group.title)),"
        + "\"subcommands\":[\(group.subcommands.map { $0.json(tool: tool) }.joined(separator: ","))]}"
    }
    return "{\"tool\":\(JSONValue.quoted(tool)),\"groups\":[\(groups.joined(separator: ","))],"
      + "\"options\":[\(Subcommand.common.map(\.json).joined(separator: ","))]}"
  }
}
