import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation

extension Subcommand {
  static let `import` = Subcommand(
    name: "import", operands: ["LOG", "SOURCE"],
    summary: "Import events into a log, which is created if it doesn't exist.",
    details: [
      "SOURCE is a file or - with a CloudEvents 1.0 object a line, another log, the URL of",
      "a remote log, which is copied to LOG, or the folder of a git repository. With",
      "--rows ID it is a CSV file with a header, or JSON rows, and the collection gets",
      "these rows. The import ends at the first bad line. You can repeat it, because it",
      "adds only the missing events. A line for a record:",
      " {\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"shop\",\"type\":\"RecordInserted\",",
      "  \"data\":{\"collection\":\"book\",\"id\":\"b1\",\"fields\":{\"title\":\"Annals\"}}}",
    ],
    options: [
      Option("--rows", "ID", "Import rows, with their ids in the field ID."),
      Option("--list", "NAME", "The rows' collection, by default the only one."),
      Option("--delete-missing", "Delete the rows that SOURCE doesn't have."),
    ],
    examples: [
      "annals import shop.annals shop.jsonl", "annals import shop.annals books.csv --rows isbn",
      "annals import files.annals .", "annals import books.annals postgresql://books@db.example.com/books",
    ],
    output: .init(
      .object, "What was imported, and the log's last position.",
      [eventsForm.schema, rowsForm.schema]),
    run: { try $0.runImport() })
}

extension Session {
  fileprivate func runImport() throws -> ReplayError.Status {
    console.willWrite()
    do {
      return try importSource(arguments.operands[1])
    } catch  where Platform.EndSignal.status != nil {
      guard let status = Platform.EndSignal.take() else { throw error }
      // A copy of a remote log can't be read if it was stopped during an update after a compaction.
      let done =
        (try? eventCount()).map { "\(Text.counted($0, "event")) \($0 == 1 ? "is" : "are")" } ?? "some events are"
      say("stopped: \(done) in the log; run it again to continue")
      return status
    }
  }

  /// The log to write to, which is created with the first events.
  private func target() throws -> LogFile {
    try serverLog(creates: true).map { LogFile($0) } ?? LogFile(arguments.operands[0])
  }

  /// The number of events in the log, or 0 if it doesn't exist.
  private func eventCount() throws -> Int {
    if let server = try serverLog() { return try server.head().rawValue }
    guard Platform.file(arguments.operands[0]) != nil else { return 0 }
    let log = try LogExtent(LogFile.openReading(arguments.operands[0]))
    return try log.typeCounts(through: log.end).reduce(0) { $0 + $1.events }
  }

  private func importSource(_ name: String) throws -> ReplayError.Status {
    let isOfRows = arguments.has("--rows")
    if let option = ["--list", "--delete-missing"].first(where: arguments.has), !isOfRows {
      throw ReplayError.usage("\(option) needs --rows ID, the name of the field or column with the ids")
    }
    func refuseRows(_ kind: String) throws {
      if isOfRows { throw ReplayError.usage("--rows: expected a file of rows, found \(kind): \(name)") }
    }
    if name == "-" { return try importLines(from: "the standard input", console.input) }
    guard let file = Platform.file(name) else {
      if RemoteLog.scheme(of: name) != nil {
        try refuseRows("a URL")
        return try importRemoteLog(name)
      }
      throw Platform.missing(name)
    }
    if file.isFolder {
      try refuseRows("a folder")
      return try importRepository(name)
    }
    guard let handle = FileHandle(forReadingAtPath: name) else {
      throw ReplayError(.inputOutput, "\(name): cannot be read; check its permissions")
    }
    return try importLines(from: name) {
      do {
        return try handle.read(upToCount: 1 << 18) ?? Data()
      } catch {
        throw ReplayError(.inputOutput, "\(name): cannot be read: \(error.localizedDescription)")
      }
    }
  }

  private func importRepository(_ name: String) throws -> ReplayError.Status {
    let repository: GitRepository
    do {
      repository = try GitRepository(name)
    } catch let error as ReplayError where error.status == .unreadable {
      throw ReplayError(.unreadable, "\(error.message)\n\(FileKind.sources)")
    }
    let log = try target()
    var importer = try GitImporter(into: log)
    let progress = Progress(console)
    defer { progress.end() }
    try importer.take(repository) { importer in
      if Platform.EndSignal.status != nil { throw Ended() }
      progress.step(importer.commits, "commits")
    }
    progress.end()
    let head = try log.create().head()
    if isData {
      try print((importer.events, head, importer.commits, nil, nil), as: eventsForm)
    } else {
      say(
        "\(Text.counted(importer.commits, "commit")) imported as \(Text.counted(importer.events, "event")); "
          + "the log's last position is \(head)")
    }
    return .done
  }

  private func importRemoteLog(_ url: String) throws -> ReplayError.Status {
    let remote = try RemoteLog(url, tool: tool, catalog)
    let progress = Progress(console)
    defer { progress.end() }
    let found = try remote.clone(into: arguments.operands[0], progress)
    progress.end()
    if isData {
      try print(found, as: copyForm)
    } else {
      say("\(Text.counted(found.events, "event")) copied; the last position is \(found.position)")
    }
    return .done
  }

  private func importLines(from place: String, _ read: @escaping () throws -> Data) throws -> ReplayError.Status {
    let start = try read()
    switch FileKind(start) {
    case .log? where place == arguments.operands[1] && !arguments.has("--rows"): return try importLog(place)
    case let kind?:
      let sentence = kind.sentence(tool: tool, arguments.operands[1])
      throw ReplayError(.unreadable, "\(place): \(sentence)\n\(FileKind.sources)")
    case nil: break
    }
    if let field = arguments.value("--rows") { return try importRows(from: place, id: field, start, read) }
    // Something else than lines of JSON is probably a kind of source that `import` doesn't read.
    let hasLines = FileKind.firstByte(of: start).map { $0 == UInt8(ascii: "{") } ?? true
    return try importEvents(from: place, unit: "line", hint: hasLines ? nil : FileKind.sources) { importer in
      // If no line is available yet, commit the lines before it.
      var lines = LineReader(start: start) { [console] in
        if arguments.operands[1] == "-", !console.inputIsReady() { try importer.pause() }
        return try read()
      }
      do {
        while let line = try lines.next() { try importer.take(line, number: lines.number) }
      } catch let error as LineReader.NotText {
        try importer.stop()
        throw Importer.BadLine(
          number: lines.number, message: "expected UTF-8, found other bytes (at byte \(error.byte))")
      }
    }
  }

  /// Imports the events of another log as if they were exported first.
  private func importLog(_ name: String) throws -> ReplayError.Status {
    let source = try LogFile.openReading(name)
    return try importEvents(from: name, unit: "event") { importer in
      var labels = TransactionLabels()
      try forEachEvent(of: source, through: source.head()) { event in
        let label = labels.label(of: event)
        try importer.take(CloudEvent.line(event, transaction: label), number: event.position.rawValue)
      }
    }
  }

  private func importRows(
    from place: String, id field: String, _ start: Data, _ read: () throws -> Data
  ) throws -> ReplayError.Status {
    if field.isEmpty { throw ReplayError.usage("--rows: expected the name of a field or column, found \"\"") }
    if arguments.value("--list")?.isEmpty ?? false {
      throw ReplayError.usage("--list: expected a name, found \"\"")
    }
    var data = start
    while case let more = try read(), !more.isEmpty { data.append(more) }
    let source = try ImportedRows(data, id: field, source: place)
    let log = try target()
    if let store = log.store { try refuseRecords(LogExtent(store), nil) }
    let name =
      place == arguments.operands[1] ? URL(fileURLWithPath: place).deletingPathExtension().lastPathComponent : nil
    let progress = Progress(console)
    defer { progress.end() }
    var (counts, collection) = ((inserted: 0, updated: 0, deleted: 0, missing: 0), "")
    comparing: while true {
      var (records, end) = try log.store.map { try RecordCollections.all(of: $0) } ?? (RecordCollections(), 0)
      let wanted = arguments.value("--list") ?? (records.names.isEmpty ? name : nil)
      collection = try records.collection(wanted, creates: true)
      let comparison = RowComparison(
        source, with: records.rows[ExactString(collection)] ?? Rows(), deletes: arguments.has("--delete-missing"))
      counts.missing = comparison.missing
      var rest = comparison.events[...]
      while !rest.isEmpty {
        if Platform.EndSignal.status != nil { throw Ended() }
        // A list receives a batch per append, and very long batches take long to show.
        let part = rest.prefix(10_000)
        let append = Append(
          part.map {
            .init(
              stream: StreamName(collection), event: NewEvent(type: $0.type, payload: $0.payload(in: collection)))
          }, conditions: [.init(noneMatching: RecordEvent.query, after: end)])
        do {
          end = try log.append(append).position
        } catch let error as EventStoreError where error.isConflict {
          // Another process changed records in the meantime.
          continue comparing
        }
        for event in part {
          switch event {
          case .inserted: counts.inserted += 1
          case .updated: counts.updated += 1
          default: counts.deleted += 1
          }
        }
        rest = rest.dropFirst(part.count)
        progress.step(comparison.events.count - rest.count, of: comparison.events.count, "events")
      }
      break
    }
    progress.end()
    let (head, unchanged) = (try log.create().head(), source.rows.count - counts.inserted - counts.updated)
    if isData {
      try print((counts, unchanged, head), as: rowsForm)
      return .done
    }
    say(
      "\(JSONValue.quoted(collection)): \(Text.counted(counts.inserted, "row")) inserted, "
        + "\(counts.updated) updated, \(counts.deleted) deleted, \(unchanged) unchanged. The log's last position is "
        + "\(head)")
    if counts.missing > 0 {
      say("\(Text.counted(counts.missing, "other row")) of the collection stayed. --delete-missing deletes such rows")
    }
    return .done
  }

  private func importEvents(
    from place: String, unit: String, hint: String? = nil, _ feed: (LineTaker) throws -> Void
  ) throws -> ReplayError.Status {
    let log = try target()
    let progress = Progress(console)
    defer { progress.end() }
    let lines = LineTaker(try Importer(into: log), progress)
    do {
      do {
        try feed(lines)
        try lines.importer.finish()
      } catch is Ended {
        try lines.importer.stop()
        throw Ended()
      }
    } catch let error as Importer.BadLine {
      let summary = lines.importer.summary
      if isData, let conflict = error.conflict {
        try print(
          (
            summary.events, log.store?.head() ?? 0, nil, summary, ConflictOutput(line: error.number, conflict: conflict)
          ), as: eventsForm)
      }
      let isFirst = summary.events + summary.skipped == 0
      throw bad(place, unit, error, summary, isFirst ? hint : nil)
    }
    let (summary, head) = (lines.importer.summary, try log.store?.head() ?? 0)
    if isData {
      try print((summary.events, head, nil, summary, nil), as: eventsForm)
    } else if log.store == nil {
      say("\(place) has no events, so \(arguments.operands[0]) was not created")
    } else {
      let cut = "\(summary.cut) of them by the identity alone, because a compaction cut the event"
      say(
        "\(Text.counted(summary.events, "event")) imported in \(Text.counted(summary.transactions, "transaction")), "
          + "\(summary.skipped) skipped that the log had\(summary.cut > 0 ? " (\(cut))" : ""); its last position is "
          + "\(head)")
    }
    return .done
  }

  private func bad(
    _ place: String, _ unit: String, _ error: Importer.BadLine, _ summary: Importer.Summary, _ hint: String?
  ) -> ReplayError {
    let done =
      "\(Text.counted(summary.events, "event")) \(summary.events == 1 ? "was" : "were") imported, but not the "
      + "transaction of \(unit) \(error.number). Correct the \(unit) and import again"
    return ReplayError(
      .unreadable,
      "\(place), \(unit) \(error.number): \(error.message)\n\(done)\(hint.map { "\n" + $0 } ?? "")")
  }
}

/// Passes lines on to an import and shows its progress, until a signal ends the import.
private final class LineTaker {
  var importer: Importer
  private let progress: Progress

  init(_ importer: Importer, _ progress: Progress) {
    self.importer = importer
    self.progress = progress
  }

  func pause() throws { try importer.pause() }

  func stop() throws { try importer.stop() }

  func take(_ line: String, number: Int) throws {
    if Platform.EndSignal.status != nil { throw Ended() }
    try importer.take(line, number: number)
    progress.step(importer.readCount, "events")
  }
}

/// The imported events: the lines of a file, or the commits of a git repository.
private let eventsForm = JSONForm<
  (events: Int, position: Position, commits: Int?, lines: Importer.Summary?, conflict: ConflictOutput?)
>([
  "commits": .some { $0.commits }, "events": .of { $0.events }, "transactions": .some { $0.lines?.transactions },
  "skipped": .some({ $0.lines?.skipped }, "The lines that repeat an event."),
  "cut": .some(
    { $0.lines.flatMap { $0.cut > 0 ? $0.cut : nil } },
    "The repeats whose event a compaction cut, so that only the identity was compared."),
  "position": .of { $0.position },
  "conflict": .some(
    { $0.conflict }, "The line that ended the import, because its identity belongs to another event."),
])

/// The copy of a remote log, whose members have another order.
private let copyForm = JSONForm<(position: Position, events: Int)>([
  "position": .of { $0.position }, "events": .of { $0.events },
])

private struct ConflictOutput: JSONObject {
  let line: Int
  let conflict: Importer.Conflict

  static let form = Form([
    "line": .of(\.line), "source": .of(\.conflict.id.source), "id": .of(\.conflict.id.id),
    "otherLine": .some(\.conflict.line, "The earlier line with the identity."),
    "otherPosition": .some(\.conflict.position, "The event of the log with the identity."),
    "differs": .of(\.conflict.differences),
  ])
}

/// The changes by imported rows.
private let rowsForm = JSONForm<
  (counts: (inserted: Int, updated: Int, deleted: Int, missing: Int), unchanged: Int, position: Position)
>([
  "inserted": .of { $0.counts.inserted }, "updated": .of { $0.counts.updated }, "deleted": .of { $0.counts.deleted },
  "unchanged": .of { $0.unchanged },
  "missing": .of({ $0.counts.missing }, "The rows of the collection that the source doesn't have and that stayed."),
  "position": .of { $0.position },
])
