import Annals

/// What subcommands about the tool itself print.
extension OutputSchema {
  private static let options = JSONSchema.array(
    of: .object([
      "name": .text, "short": .text.orNull, "value": .text.orNull, "choices": .array(of: .text), "repeats": .bool,
      "help": .text,
    ]))

  private static let subcommand = JSONSchema.object([
    "name": .text, "operands": .array(of: .text), "summary": .text, "details": .array(of: .text),
    "options": options, "examples": .array(of: .text),
  ])

  private static let topic = JSONSchema.object([
    "name": .text(in: ["lists", "filters", "what-if", "places", "options"]), "summary": .text,
    "details": .array(of: .text), "options": options,
  ])

  private static let tables = JSONSchema.array(of: .object(["title": .text, "rows": .array(of: .text)]))

  static let about: [OutputSchema] = [
    OutputSchema(
      "help", "The definitions of all subcommands or of one, schemas, the manual page, or a shell's script.",
      .either([
        subcommand,
        .object([
          "tool": .text, "groups": .array(of: .object(["title": .text, "subcommands": .array(of: subcommand)])),
          "options": options, "topics": .array(of: topic),
        ]),
        topic, .object(["shell": .text, "script": .text]),
        .object(["page": .text]),
        .object([
          "tool": .text,
          "schemas": .array(
            of: .object(["name": .text, "form": .text(in: ["object", "lines"]), "description": .text])),
        ]).saying("With --schema."),
        .object(["$schema": .text, "title": .text, "description": .text, "$comment": .text]).open
          .saying("With --schema and a subcommand."),
      ])),
    OutputSchema(
      lines: "demo", "A step of a sample, and what its screen heard and shows; step 0 is the beginning.",
      .object([
        "sample": .text, "step": .count, "title": .text, "position": .position, "notifications": .array(of: .text),
        "sections": tables,
        "wrongTable": .object(["sections": tables]).orNull
          .saying("What a table shows that was told the wrong changes; null if it is right."),
        "lines": .array(of: .text), "remark": .text.orNull,
      ])),
  ]
}
