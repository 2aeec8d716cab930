import Annals

/// What subcommands that answer questions print.
extension OutputSchema {
  static let asking: [OutputSchema] = [
    OutputSchema("why", "Why a row is at its place or isn't listed, and the events that set its fields.", answer),
    OutputSchema(
      lines: "find", "A position at which the condition begins or ends to hold, with what happened there.",
      .object(
        ["position": .position, "holds": .bool, "count": .count.saying("The rows of the list there.")],
        optional: ["batch": .shared(.batch)])),
  ]

  private static let answer: JSONSchema = .either([
    .object(["id": .text, "position": .position, "exists": .bool, "changes": changes]).saying(
      "The events of a field."),
    .object(
      [
        "id": .text, "position": .position, "why": .just("shown"), "path": .path, "since": .position, "reason": .text,
        "changes": changes,
      ],
      optional: [
        "event": .cause, "after": .row.saying("The row before it."), "before": .row.saying("The row after it."),
      ]),
    .object(["id": .text, "position": .position, "why": .just("deleted"), "event": .cause, "changes": changes]),
    .object([
      "id": .text, "position": .position, "why": .just("hidden"), "by": .text, "values": .map(of: .any),
      "event": .cause, "changes": changes,
    ]),
    .object(["id": .text, "position": .position, "why": .just("cut"), "path": .path, "changes": changes]),
    .object(
      ["id": .text, "position": .position, "why": .just("never")],
      optional: ["event": .cause.saying("The event that inserts it later.")]),
  ])

  private static let changes: JSONSchema = .array(
    of: .object([
      "field": .text, "old": .any, "new": .any, "kind": .text(in: ["inserted", "changed", "deleted"]),
      "event": .cause,
    ])
  ).saying("The last change of every field, or with --each every change.")
}
