import Annals

/// What subcommands that show and compare print.
extension OutputSchema {
  static let showing: [OutputSchema] = [
    OutputSchema("info", "An overview of a log, or with --fields an array over several lines.", overview),
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

  private static let overview: JSONSchema = {
    let part = JSONSchema.object(["name": .text, "events": .count, "payloadBytes": .count])
    let list = JSONSchema.object([
      "name": .text, "position": .position, "bytes": .count, "saved": .time, "usable": .bool, "fingerprint": .text,
      "pages": .count,
    ])
    let erasure = JSONSchema.object([
      "number": .count, "subject": .text, "position": .position, "time": .time, "fields": .count, "complete": .bool,
    ])
    let compaction = JSONSchema.object([
      "number": .count, "horizon": .position, "time": .time, "cut": .count, "replaced": .count, "complete": .bool,
    ])
    return .either([
      .object(
        [
          "events": .count, "position": .position, "transactions": .count, "streams": .count,
          "firstTime": .time.orNull, "lastTime": .time.orNull, "fileBytes": .count.orNull,
          "commitBytes": .count.orNull, "types": .array(of: part), "lists": .array(of: .text),
          "followers": .array(of: .shared(.follower)), "savedLists": .array(of: list), "erasures": .count,
          "compactions": .count, "horizon": .position, "format": .count.orNull, "sources": .count, "tags": .count,
          "commands": .count.orNull, "payloadBytes": .count, "earliestTime": .time.orNull,
          "latestTime": .time.orNull, "personalFields": .count, "subjects": .count, "remnants": .bool,
          "byStream": .array(of: part), "states": .count,
          "drafts": .array(of: .object(["name": .text, "commands": .count, "changed": .time])),
          "erasureHistory": .array(of: erasure), "compactionHistory": .array(of: compaction),
        ], optional: ["wrongTimes": .wrongTimes, "indexBytes": .count]),
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
