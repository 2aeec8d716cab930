import Annals
import AnnalsLog

// Lists and changes as JSON, in the forms that `Docs/ToolReference.md` defines.

/// A list at a position.
struct ListOutput: JSONObject {
  let list: any ShownList
  let supposed: Supposed?

  static let form = Form([
    "position": .of(\.list.position), "count": .of(\.list.rowCount),
    "total": .some({ $0.list.total == $0.list.rowCount ? nil : $0.list.total }, totalSentence),
    "sections": .array(
      { root in (0..<root.list.sectionCount).map { (root.list, root.list.section($0), $0) } }, section),
    "without": .some(\.supposed?.without), "instead": .some(\.supposed?.instead), "dropped": .some(\.supposed?.dropped),
  ])

  private static let section = JSONForm<(list: any ShownList, head: ShownSection, index: Int)>([
    "key": .of { $0.head.key }, "title": .of { $0.head.title }, "indexTitle": .of { $0.head.indexTitle },
    "total": .some({ $0.head.total == $0.head.count ? nil : $0.head.total }, totalSentence),
    "rows": .of { root in
      (0..<root.head.count).map { root.list.record(at: RowPath(section: root.index, row: $0)) }
    },
  ])

  private static let totalSentence = "The rows with those that limit and offset leave out, if there are any."
}

/// A batch of changes.
struct BatchOutput: JSONObject {
  private var batch: ListBatch
  /// The position that the receiver has.
  private let from: Position
  /// True for the numbers of changes instead of the changes.
  private let isCounted: Bool
  var supposed: Supposed?
  /// The comparison with another log.
  var comparison: ComparisonOutput?

  /// - Parameters:
  ///   - batch: The changes.
  ///   - from: The position that the receiver has, or nil for the batch's.
  ///   - section: A section that the receiver does not have yet, to be inserted first.
  ///   - isCounted: True for the numbers of changes instead of the changes.
  init(_ batch: ListBatch, from: Position? = nil, inserting section: ShownSection? = nil, isCounted: Bool = false) {
    self.batch = batch
    self.from = from ?? batch.from
    self.isCounted = isCounted
    if let section { self.batch.sections.insert(.insert(index: 0, key: section.key, title: section.title), at: 0) }
  }

  static let form = Form(
    [
      "from": .of(\.from), "to": .of(\.batch.to),
      "counts": .some({ $0.isCounted ? BatchCounts($0.batch) : nil }, "The numbers of changes, with --stat."),
      "sections": .some { $0.isCounted ? nil : $0.batch.sections },
      "rows": .some { $0.isCounted ? nil : $0.batch.rows }.rows(of: RowStep.form),
      "time": .some {
        $0.batch.eventCount == $0.batch.events.count ? $0.batch.events.last.map { Microseconds(count: $0.time) } : nil
      },
      "eventCount": .some { $0.batch.eventCount > 0 ? $0.batch.eventCount : nil },
      "events": .some(
        { $0.batch.eventCount > 0 ? $0.batch.events : nil }, "The events that did it; the first thousand of more."),
      "without": .some(\.supposed?.without), "instead": .some(\.supposed?.instead),
      "dropped": .some(\.supposed?.dropped),
      "log2": .some(\.comparison?.log2), "equalThrough": .some(\.comparison?.equal),
      "comparedIDs": .some(\.comparison?.hasIDs),
      "differ": .some { $0.comparison.map { $0.events.isEmpty ? nil : $0 } },
    ], name: "batch", "The changes of the list between two positions.", oneOf: [["sections", "rows"], ["counts"]])
}

/// The comparison of a log with another log.
struct ComparisonOutput: JSONObject {
  /// The name of the other log.
  let log2: String
  /// The position up to which the logs are equal.
  let equal: Position
  /// True if the ids of events were compared.
  let hasIDs: Bool
  /// The first event that differs in each log, or an empty array for equal logs.
  let events: [EventCause?]

  static let form = Form(["event": .of { $0.events[0] }, "event2": .of { $0.events[1] }])
}

extension BatchCounts: JSONObject {
  static let form = Form(["sections": .object(\.sections, kind), "rows": .object(\.rows, kind)])

  private static let kind = JSONForm<Kind>([
    "inserted": .of(\.inserted), "deleted": .of(\.deleted), "moved": .of(\.moved), "updated": .of(\.updated),
  ])
}

extension Record: JSONObject {
  static let form = Form(["id": .of(\.id), "fields": .of { Fields($0.fields) }], name: "row")
}

extension EventCause: JSONObject {
  static let form = Form(
    [
      "position": .of(\.position), "time": .of { Microseconds(count: $0.time) }, "type": .of(\.type),
      "source": .of(\.id.source), "id": .of(\.id.id), "stream": .of(\.stream.text), "version": .of(\.version),
      "transaction": .of(\.transaction), "schema": .some({ $0.schema == 1 ? nil : $0.schema }, "Left out if it is 1."),
      "actor": .some(\.metadata.author), "correlationid": .some(\.metadata.correlation),
      "causationid": .some(\.metadata.causation),
      "command": .some(\.command, "The id of the command that appended it."),
    ], name: "eventCause", "An event as the cause of something.")
}

extension SectionChange: JSONOutput {
  typealias Parts = (
    type: String, index: Int?, newIndex: Int?, from: Int?, to: Int?, key: SectionKey, title: String?
  )

  private var parts: Parts {
    switch self {
    case .delete(let index, let key): ("delete", index, nil, nil, nil, key, nil)
    case .insert(let index, let key, let title): ("insert", index, nil, nil, nil, key, title)
    case .move(let from, let to, let key): ("move", nil, nil, from, to, key, nil)
    case .update(let index, let newIndex, let key, let title): ("update", index, newIndex, nil, nil, key, title)
    }
  }

  static var schema: JSONSchema { form.schema }
  func write(to writer: inout PayloadWriter) { Self.form.write(parts, to: &writer) }

  private static let form = JSONForm<Parts>(
    [
      "type": .of { $0.type }, "index": .some { $0.index }, "newIndex": .some { $0.newIndex },
      "from": .some { $0.from }, "to": .some { $0.to }, "key": .of { $0.key }, "title": .some { $0.title },
    ], name: "sectionChange",
    "What happened to a section. Deletions have the old index, insertions the new one.",
    cases: (
      "type",
      [
        "delete": ["index"], "insert": ["index", "title"], "move": ["from", "to"],
        "update": ["index", "newIndex", "title"],
      ]
    ))
}

extension RowStep: JSONOutput {
  typealias Parts = (
    step: RowStep, type: String, at: RowPath?, newAt: RowPath?, from: RowPath?, to: RowPath?, contentChanged: Bool?,
    moved: Bool
  )

  private var parts: Parts {
    switch change {
    case .delete(_, let at, let moved): (self, "delete", at, nil, nil, nil, nil, moved)
    case .insert(_, let at, let moved): (self, "insert", at, nil, nil, nil, nil, moved)
    case .move(_, let from, let to, let contentChanged): (self, "move", nil, nil, from, to, contentChanged, false)
    case .update(_, let at, let newAt): (self, "update", at, newAt, nil, nil, nil, false)
    }
  }

  static var schema: JSONSchema { form.schema }
  func write(to writer: inout PayloadWriter) { Self.form.write(parts, to: &writer) }

  private var newFields: Fields? { if case .delete = change { nil } else { Fields(change.row.fields) } }

  private var oldFields: Fields? {
    if case .delete(let row, _, false) = change { return Fields(row.fields) }
    let changed = changedFields
    return changed.isEmpty ? nil : Fields(changed.map { ($0.name, $0.old) })
  }

  static let form = JSONForm<Parts>(
    [
      "type": .of { $0.type }, "id": .of { $0.step.change.row.id }, "at": .some { $0.at }, "newAt": .some { $0.newAt },
      "from": .some { $0.from }, "to": .some { $0.to }, "contentChanged": .some { $0.contentChanged },
      "moved": .some(
        { $0.moved ? true : nil }, "True for the halves of a move that a table view is given as two changes."),
      "fields": .some { $0.step.newFields },
      "old": .some({ $0.step.oldFields }, "Of a deletion the whole row, else the fields that differ as they were."),
      "events": .some({ $0.step.events.isEmpty ? nil : $0.step.events }, "The events that set the row."),
    ], name: "rowChange", "What happened to a row.",
    cases: (
      "type",
      [
        "delete": ["at"], "insert": ["at", "fields"], "move": ["from", "to", "contentChanged", "fields"],
        "update": ["at", "newAt", "fields"],
      ]
    ))
}
