import Annals

/// What subcommands that answer questions print.
extension OutputSchema {
  static let asking: [OutputSchema] = [
    OutputSchema(
      "blame", "What changed a row, with the events that did it.",
      .object(
        [
          "id": .text, "position": .position, "exists": .bool,
          "changes": .array(
            of: .object([
              "field": .text, "old": .any, "new": .any, "kind": .text(in: ["inserted", "changed", "deleted"]),
              "event": .cause,
            ])),
        ],
        optional: [
          "place": .object(["path": .path, "since": .position, "reason": .text, "event": .cause])
            .saying("With --place, if the row is shown.")
        ])),
    OutputSchema("why", "Why a row is where it is, or is not there.", answer),
    OutputSchema(
      lines: "find", "A position at which the condition begins or ends to hold, with what happened there.",
      .object(
        ["position": .position, "holds": .bool, "count": .count.saying("The rows of the list there.")],
        optional: ["batch": .shared(.batch)])),
  ]

  private static let answer: JSONSchema = .either([
    .object(
      [
        "id": .text, "position": .position, "why": .just("shown"), "path": .path, "since": .position, "reason": .text,
      ],
      optional: [
        "event": .cause, "after": .row.saying("The row before it."), "before": .row.saying("The row after it."),
      ]),
    .object(["id": .text, "position": .position, "why": .just("deleted"), "event": .cause]),
    .object([
      "id": .text, "position": .position, "why": .just("hidden"), "by": .text, "values": .map(of: .any),
      "event": .cause,
    ]),
    .object(["id": .text, "position": .position, "why": .just("cut"), "path": .path]),
    .object(
      ["id": .text, "position": .position, "why": .just("never")],
      optional: ["event": .cause.saying("The event that inserts it later.")]),
  ])
}
