import Annals
import AnnalsLog

/// The definition of a subcommand, for programs that call the tool.
let subcommandForm = JSONForm<(subcommand: Subcommand, tool: String)>([
  "name": .of { $0.subcommand.name },
  "operands": .of { $0.subcommand.operands + [$0.subcommand.rest].compactMap { $0 } },
  "summary": .of { $0.subcommand.summary }, "details": .of { $0.subcommand.paragraphs.filter { !$0.isEmpty } },
  "options": .of { $0.subcommand.options }, "examples": .of { $0.subcommand.examples(tool: $0.tool) },
])

extension Subcommand.Option: JSONObject {
  static let form = Form([
    "name": .of(\.name), "short": .of(\.short), "value": .of(\.value), "choices": .of(\.choices),
    "repeats": .of(\.repeats), "help": .of(\.help),
  ])
}

extension HelpTopic: JSONObject {
  static let form = Form([
    "name": .of(\.rawValue).among(allCases.map(\.rawValue)), "summary": .of(\.summary),
    "details": .of { Subcommand.paragraphs($0.details).filter { !$0.isEmpty } }, "options": .of(\.shared),
  ])
}

/// The definitions of all subcommands, and of the options that all subcommands take.
let toolForm = JSONForm<(tool: String, groups: [SubcommandGroup])>([
  "tool": .of { $0.tool },
  "groups": .array(
    { root in root.groups.map { ($0.title, $0.subcommands.map { ($0, root.tool) }) } },
    JSONForm<(title: String, subcommands: [(Subcommand, String)])>([
      "title": .of { $0.title }, "subcommands": .array({ $0.subcommands }, subcommandForm),
    ])),
  "options": .of { _ in Subcommand.common }, "topics": .of { _ in HelpTopic.allCases },
])

/// The manual page.
let pageForm = JSONForm<String>(["page": .of { $0 }])

/// A shell's script for completion.
let scriptForm = JSONForm<(shell: String, script: String)>(["shell": .of { $0.shell }, "script": .of { $0.script }])

/// The subcommands that print JSON.
let schemasForm = JSONForm<(tool: String, schemas: [(name: String, output: SubcommandOutput)])>([
  "tool": .of { $0.tool },
  "schemas": .rows(
    { $0.schemas },
    JSONForm([
      "name": .of { $0.name }, "form": .of { $0.output.form.rawValue }.among(["object", "lines"]),
      "description": .of { $0.output.summary },
    ])),
])
