import Annals

/// What subcommands that show and compare print.
extension OutputSchema {
  static let showing: [OutputSchema] = [
    OutputSchema(
      "info", "What a log is.",
      .object(
        [
          "events": .count, "position": .position, "transactions": .count, "streams": .count.orNull,
          "firstTime": .time.orNull, "lastTime": .time.orNull, "fileBytes": .count.orNull,
          "commitBytes": .count.orNull, "types": .array(of: .object(["name": .text, "events": .count])),
          "lists": .array(of: .text), "followers": .array(of: .shared(.follower)),
          "savedLists": .array(
            of: .object(["name": .text, "position": .position, "bytes": .count, "saved": .time, "usable": .bool])),
          "erasures": .count, "compactions": .count, "horizon": .position,
        ], optional: ["wrongTimes": .wrongTimes])),
    OutputSchema(
      "show", "The sectioned list at a position.",
      .object(
        ["position": .position, "count": .count, "sections": .array(of: .shared(.section))],
        optional: [
          "total": .count.saying("The rows with those that limit and offset leave out, if there are any."),
          "without": .array(of: .text), "instead": .array(of: .object(["position": .position, "payload": .any])),
          "dropped": .array(of: .object(["position": .position, "reason": .text])),
        ])),
    OutputSchema(
      "timeline", "The page that was written.",
      .object(["file": .text, "bytes": .count, "batches": .count, "events": .count])),
    OutputSchema(lines: "log", "An event, a command with --commands, or one event with its changes.", logLine),
    OutputSchema("stats", "Counts and sizes; with --fields an array over several lines.", statistics),
    OutputSchema(
      lines: "diff", "A batch of changes. No line is printed if there are none.",
      .batch(and: [
        "without": .array(of: .text), "instead": .array(of: .object(["position": .position, "payload": .any])),
        "dropped": .array(of: .object(["position": .position, "reason": .text])), "log2": .text,
        "equalThrough": .position, "comparedIDs": .bool,
        "differ": .object(["event": .cause.orNull, "event2": .cause.orNull]).orNull,
      ])),
    OutputSchema(
      "test", "The Swift test that was written.",
      .object(["from": .position, "to": .position, "folds": .bool, "code": .text], optional: ["file": .text])),
  ]

  private static let logLine: JSONSchema = .either([
    .shared(.cloudEvent),
    .object(
      [
        "event": .shared(.cloudEvent),
        "transaction": .object(["number": .count, "from": .position, "to": .position]), "version": .count,
        "previous": .position.orNull.saying("The position of the event before it in its stream."),
        "next": .position.orNull,
        "changes": .array(of: .object(["list": .text, "batch": .shared(.batch)])),
      ], optional: ["command": .text]),
    .object([
      "id": .text, "time": .time, "position": .position.saying("The last position of the command's events."),
      "count": .count, "transaction": .count.orNull, "actor": .text.orNull,
      "types": .array(of: .text).saying("The types of its events, in order; the first thousand of more."),
    ]),
    .object(
      ["event": .cause, "parent": .position.orNull.saying("The event that caused it, with --tree.")],
      optional: ["list": .text, "batch": .shared(.batch)]),
  ])

  private static let statistics: JSONSchema = {
    let part: KeyValuePairs<String, JSONSchema> = ["name": .text, "events": .count, "payloadBytes": .count]
    return .either([
      .object([
        "format": .count.orNull, "fileBytes": .count.orNull, "commitBytes": .count.orNull, "events": .count,
        "transactions": .count, "streams": .count, "types": .count, "sources": .count, "tags": .count,
        "commands": .count.orNull,
        "payloadBytes": .count, "firstTime": .time.orNull, "lastTime": .time.orNull, "personalFields": .count,
        "subjects": .count, "erasures": .count, "compactions": .count, "horizon": .position, "remnants": .bool,
        "byType": .array(of: .object(part)), "byStream": .array(of: .object(part)),
      ]),
      .array(
        of: .object(
          [:],
          optional: [
            "by": .text(in: ["type", "stream"]), "events": .count, "payloadBytes": .count, "name": .text,
          ])),
    ])
  }()
}

extension JSONSchema {
  /// A batch, or with --stat its counts, with members of a subcommand's own.
  static func batch(and optional: KeyValuePairs<String, JSONSchema>) -> JSONSchema {
    .both(.either([.shared(.batch), .shared(.batchCounts)]), .object([:], optional: optional))
  }
}
