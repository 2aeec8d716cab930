import Annals

/// What subcommands that change a log, or keep it safe, print.
extension OutputSchema {
  static let changing: [OutputSchema] = [
    OutputSchema(
      "do", "The events of a command, or the commands that exist.",
      .either([
        .object(["position": .position, "repeated": .bool, "events": .array(of: .cause)]),
        .object([
          "dryRun": .just(true),
          "events": .array(
            of: .object(["type": .text, "stream": .text, "payload": .any], optional: ["schema": .count])),
        ]),
        .object([
          "commands": .array(
            of: .object(["name": .text, "words": .array(of: .text), "examples": .array(of: .text)]))
        ]),
      ])),
    OutputSchema(
      "import", "What was imported, and the log's last position.",
      .either([
        .object(
          ["events": .count, "position": .position],
          optional: [
            "transactions": .count, "skipped": .count.saying("The lines that repeat an event."),
            "cut": .count.saying("The repeats whose event a compaction cut, so that only the identity was compared."),
            "commits": .count.saying("The commits of a git repository."),
            "conflict": .object(
              ["line": .count, "source": .text, "id": .text, "differs": .array(of: .text)],
              optional: [
                "otherLine": .count.saying("The earlier line with the identity."),
                "otherPosition": .position.saying("The event of the log with the identity."),
              ]
            ).saying("The line that ended the import, because its identity belongs to another event."),
          ]),
        .object([
          "inserted": .count, "updated": .count, "deleted": .count, "unchanged": .count,
          "missing": .count.saying("The rows of the collection that the source doesn't have and that stayed."),
          "position": .position,
        ]),
      ])),
  ]

  static let keeping: [OutputSchema] = [
    OutputSchema(
      "verify", "What was found.",
      .object(
        [
          "events": .count, "sound": .bool,
          "problems": .array(of: .object(["position": .position.orNull, "message": .text])),
        ], optional: ["wrongTimes": .wrongTimes])),
    OutputSchema(
      "backup", "What was copied, and what the check of the copy found.",
      .object([
        "position": .position, "bytes": .count, "verified": .bool, "sound": JSONSchema.bool.orNull,
        "lacksCommits": .bool, "problems": .array(of: .text),
      ])),
    OutputSchema(
      "salvage", "What was saved of a damaged log, and what was lost.",
      .object([
        "events": .count, "transactions": .count, "commands": .count, "followers": .count, "end": .position.orNull,
        "lost": .count, "renumbered": .bool,
        "losses": .array(of: .object(["from": .position.orNull, "to": .position.orNull, "reason": .text])),
        "drafts": .count,
      ])),
    OutputSchema(
      "compact", "What was cut, or would be cut.",
      .either([
        .object([
          "horizon": .position, "cut": .count, "replaced": .count, "events": .count.saying("What is left."),
          "bytesBefore": .count.orNull.saying("Null of a log in a server."), "bytesAfter": .count.orNull,
          "complete": .bool,
        ]),
        .object([
          "horizon": .position, "cut": .count, "replaced": .count, "events": .count, "dryRun": .just(true),
        ]),
      ])),
    OutputSchema(
      lines: "erase",
      "A subject of personal fields, or the number of values that were or would be erased.",
      .either([
        .object([
          "subject": .text, "values": .count, "erased": .count, "empty": .count, "first": .position.orNull,
          "last": .position.orNull,
        ]),
        .object(["fields": .count, "complete": .bool.saying("False if bytes may be left in the files.")]),
        .object(["fields": .count, "dryRun": .just(true)]),
      ])),
    OutputSchema(
      lines: "followers", "A follower; with --skip and --forget, what was done.",
      .either([
        .shared(.follower), .object(["name": .text, "from": .position, "to": .position]),
        .object(["name": .text, "forgotten": .just(true), "position": .position.orNull]),
      ])),
  ]
}
