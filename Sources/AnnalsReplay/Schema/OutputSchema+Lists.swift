import Annals

/// What subcommands that show and compare print.
extension OutputSchema {
  /// What `--without` and `--instead` add.
  private static let supposed: KeyValuePairs<String, JSONSchema> = [
    "without": .array(of: .text), "instead": .array(of: .object(["position": .position, "payload": .any])),
    "dropped": .array(of: .object(["position": .position, "reason": .text])),
  ]

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
    OutputSchema(lines: "replay", "A batch of changes.", .batch(and: supposed)),
    OutputSchema(lines: "follow", "A batch of changes, printed as it is appended.", .batch(and: supposed)),
    OutputSchema(
      "timeline", "The page that was written.",
      .object(["file": .text, "bytes": .count, "batches": .count, "events": .count])),
    OutputSchema(lines: "events", "An event.", .shared(.cloudEvent)),
    OutputSchema(
      "event", "All that the log says of one event, and what it changed in the lists.",
      .object(
        [
          "event": .shared(.cloudEvent),
          "transaction": .object(["number": .count, "from": .position, "to": .position]), "version": .count,
          "previous": .position.orNull.saying("The position of the event before it in its stream."),
          "next": .position.orNull,
          "changes": .array(of: .object(["list": .text, "batch": .shared(.batch)])),
        ], optional: ["command": .text])),
    OutputSchema(
      lines: "commands", "A command that was executed under an id.",
      .object([
        "id": .text, "time": .time, "position": .position.saying("The last position of what it appended."),
        "count": .count, "transaction": .count.orNull, "actor": .text.orNull,
        "types": .array(of: .text).saying("The types of its events, in order; the first thousand of more."),
      ])),
    OutputSchema(lines: "export", "An event.", .shared(.cloudEvent)),
    OutputSchema("stats", "Counts and sizes; with --fields an array over several lines.", statistics),
    OutputSchema(
      "diff", "The changes from one list to another; nothing is printed if there are none.",
      .batch(and: [
        "without": .array(of: .text), "instead": .array(of: .object(["position": .position, "payload": .any])),
        "dropped": .array(of: .object(["position": .position, "reason": .text])), "log2": .text,
        "equalThrough": .position, "comparedIDs": .bool,
        "differ": .object(["event": .cause.orNull, "event2": .cause.orNull]).orNull, "position": .position,
        "code": .text,
      ])),
    OutputSchema(
      "test", "The Swift test that was written.",
      .object(["from": .position, "to": .position, "folds": .bool, "code": .text], optional: ["file": .text])),
  ]

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
