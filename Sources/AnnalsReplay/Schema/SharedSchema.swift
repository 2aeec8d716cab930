import Annals

/// A schema that several subcommands' outputs use, under a name in `$defs`.
enum SharedSchema: String, CaseIterable, Sendable {
  case position, time, path, fields, row, section, sectionChange, rowChange, batch, batchCounts, eventCause, cloudEvent
  case follower

  /// What the name stands for.
  var schema: JSONSchema {
    switch self {
    case .position: .count.saying("A place in the log: 0 is before the first event.")
    case .time:
      .text(matching: #"^([0-9]{4}|[+-][0-9]{6})-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z$"#)
        .saying("A moment in UTC, as in RFC 3339; a year beyond 0000 to 9999 has a sign and six digits.")
    case .path: .array(of: .count, count: 2).saying("The index of a section, and the index of a row in it.")
    case .fields: .map(of: .any).saying("A row's fields by name; a field that a row does not have is left out.")
    case .row: .object(["id": .text, "fields": .shared(.fields)])
    case .section:
      .object(
        ["key": .any, "title": .text, "indexTitle": .text, "rows": .array(of: .row)],
        optional: ["total": .count.saying("The rows with those that limit and offset leave out, if there are any.")])
    case .sectionChange: Self.sectionChanges
    case .rowChange: Self.rowChanges
    case .batch: Self.batches
    case .batchCounts: Self.countedBatches
    case .eventCause: Self.eventCauses
    case .cloudEvent: Self.cloudEvents
    case .follower:
      .object([
        "name": .text, "position": .position.orNull, "lag": .count.orNull, "moved": .time.orNull,
        "problem": .text.orNull,
      ]).saying("What follows the log; problem says why its checkpoint cannot be read.")
    }
  }

  private static let sectionChanges = JSONSchema.either([
    .object(["type": .just("delete"), "index": .count, "key": .any]),
    .object(["type": .just("insert"), "index": .count, "key": .any, "title": .text]),
    .object(["type": .just("move"), "from": .count, "to": .count, "key": .any]),
    .object(["type": .just("update"), "index": .count, "newIndex": .count, "key": .any, "title": .text]),
  ]).saying("What happened to a section. Deletions have the old index, insertions the new one.")

  private static let rowChanges: JSONSchema = {
    let old = JSONSchema.shared(.fields).saying(
      "Of a deletion the whole row, else the fields that differ as they were.")
    let events = JSONSchema.array(of: .position).saying("The events that set the row.")
    return .either([
      .object(
        ["type": .just("delete"), "id": .text, "at": .path],
        optional: ["moved": .just(true), "old": old, "events": events]),
      .object(
        ["type": .just("insert"), "id": .text, "at": .path, "fields": .shared(.fields)],
        optional: ["moved": .just(true), "old": old, "events": events]),
      .object(
        [
          "type": .just("move"), "id": .text, "from": .path, "to": .path, "contentChanged": .bool,
          "fields": .shared(.fields),
        ], optional: ["old": old, "events": events]),
      .object(
        ["type": .just("update"), "id": .text, "at": .path, "newAt": .path, "fields": .shared(.fields)],
        optional: ["old": old, "events": events]),
    ]).saying("What happened to a row. moved marks the halves of a move that a table view is given as two changes.")
  }()

  private static let batches = JSONSchema.object(
    [
      "from": .position, "to": .position, "sections": .array(of: .shared(.sectionChange)),
      "rows": .array(of: .shared(.rowChange)),
    ],
    optional: [
      "time": .time, "eventCount": .count,
      "events": .array(of: .cause).saying("The events that did it; the first thousand of more."),
    ]
  ).saying("What changes in the list between two positions, all at once.")

  private static let countedBatches: JSONSchema = {
    let kind = JSONSchema.object(["inserted": .count, "deleted": .count, "moved": .count, "updated": .count])
    return .object(
      ["from": .position, "to": .position, "counts": .object(["sections": kind, "rows": kind])],
      optional: ["time": .time, "eventCount": .count, "events": .array(of: .cause)]
    ).saying("How much changes in the list between two positions: what --stat prints.")
  }()

  private static let eventCauses = JSONSchema.object(
    [
      "position": .position, "time": .time, "type": .text, "source": .text, "id": .text, "stream": .text,
      "version": .count, "transaction": .count,
    ],
    optional: [
      "schema": .count.saying("Left out if it is 1."), "actor": .text, "correlationid": .text, "causationid": .text,
      "command": .text.saying("The id of the command that appended it."),
    ]
  ).saying("An event as the cause of something.")

  private static let cloudEvents = JSONSchema.object(
    [
      "specversion": .just("1.0"), "id": .text, "source": .text, "type": .text, "subject": .text,
      "time": .text.saying("As in RFC 3339; as it was written, where it was imported."), "transaction": .any,
      "position": .position,
    ],
    optional: ["schemaversion": .count.saying("Left out if it is 1."), "tags": .text, "data": .any]
  ).open.saying("A stored event as a CloudEvent; other members are its metadata.")
}

extension JSONSchema {
  static let position = JSONSchema.shared(.position)
  static let time = JSONSchema.shared(.time)
  static let path = JSONSchema.shared(.path)
  static let row = JSONSchema.shared(.row)
  static let cause = JSONSchema.shared(.eventCause)
  /// Events whose times do not fit the clock, or the events after them.
  static let wrongTimes = JSONSchema.object([
    "count": .count,
    "events": .array(
      of: .object(["position": .position, "time": .time, "later": .text(in: ["clock", "events"])])
    ).saying("The first of them, with a time that is later than the clock, or than the events after it."),
  ])
}
