import Annals

extension Subcommand {
  /// Returns the subcommand as JSON, for programs that call the tool.
  func json(tool: String) -> JSONValue {
    .members([
      "name": .string(name), "operands": .texts(operands + [rest].compactMap { $0 }), "summary": .string(summary),
      "details": .texts(paragraphs.filter { !$0.isEmpty }), "options": .array(options.map(\.json)),
      "examples": .texts(examples(tool: tool)),
    ])
  }
}

extension Subcommand.Option {
  /// The option as JSON, in which `short` and `value` can be null.
  fileprivate var json: JSONValue {
    .members([
      "name": .string(name), "short": .text(short), "value": .text(value), "choices": .texts(choices),
      "repeats": .bool(repeats), "help": .string(help),
    ])
  }
}

extension HelpTopic {
  /// The topic as JSON.
  var json: JSONValue {
    .members([
      "name": .string(rawValue), "summary": .string(summary),
      "details": .texts(Subcommand.paragraphs(details).filter { !$0.isEmpty }), "options": .array(shared.map(\.json)),
    ])
  }
}

extension [SubcommandGroup] {
  /// Returns the whole table as JSON, in which `options` are the options that all subcommands take.
  func json(tool: String) -> JSONValue {
    let groups = map { group in
      JSONValue.members([
        "title": .string(group.title), "subcommands": .array(group.subcommands.map { $0.json(tool: tool) }),
      ])
    }
    return .members([
      "tool": .string(tool), "groups": .array(groups), "options": .array(Subcommand.common.map(\.json)),
      "topics": .array(HelpTopic.allCases.map(\.json)),
    ])
  }
}
