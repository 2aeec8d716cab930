import Annals
import AnnalsSQLite
import Foundation

extension Subcommand {
  static let `import` = Subcommand(
    name: "import", operands: ["LOG", "FILE"],
    summary: "Take events from a file into a log, which is created if it is not there.",
    details: [
      "FILE has CloudEvents 1.0, one JSON object a line; - is the standard input.",
      "Neighbouring lines with the same attribute transaction are appended together.",
      "A line that repeats an event of the log or of an earlier line is skipped, so an",
      "import that was cut short is run again. A repeat has the same id, source, type,",
      "subject, data, tags, metadata and, if it has one, time. A personal value that was",
      "erased stays erased. A line with the identity of another event is a bad line.",
      "At the first bad line the import stops: the transactions before it are in the",
      "log, nothing of its own is. Many transactions are written to the disk together;",
      "if the process is killed, the log has whole transactions. LOG may be the URL of a",
      "log in a server.",
    ],
    examples: [
      "annals import shop.annals shop.jsonl", "gunzip -c shop.jsonl.gz | annals import shop.annals -",
      "annals import 'postgresql://db/books?annals_schema=shop' shop.jsonl",
    ],
    run: { try $0.runImport() })
}

extension Session {
  fileprivate func runImport() throws -> ReplayError.Status {
    let name = arguments.operands[1]
    let place = name == "-" ? "the standard input" : name
    let read = try reader(name)
    let start = try read()
    if let kind = FileKind(start) { throw ReplayError(.unreadable, "\(place): \(kind.sentence(tool: tool, name))") }
    let log = try farLog(creates: true).map { LogFile($0) } ?? LogFile(arguments.operands[0])
    var importer = try Importer(into: log)
    // If it has to wait for more lines, what has come so far is in the log.
    var lines = LineReader(start: start) {
      if name == "-", !console.inputIsReady() { try importer.pause() }
      return try read()
    }
    let progress = Progress(console)
    defer { progress.end() }
    do {
      do {
        while let line = try lines.next() {
          try importer.take(line, number: lines.number)
          progress.step(importer.readCount, "events")
        }
        try importer.finish()
      } catch let error as LineReader.NotText {
        // A line before it may be bad, too.
        try importer.stop()
        throw bad(place, lines.number, "expected UTF-8, found other bytes (at byte \(error.byte))", importer)
      }
    } catch let error as Importer.BadLine {
      if isJSON, let conflict = error.conflict {
        try printJSON(json(importer.summary, try log.store?.head() ?? 0, conflict.json(line: error.number)))
      }
      throw bad(place, error.number, error.message, importer)
    }
    let (summary, store) = (importer.summary, try log.create())
    if isJSON {
      try printJSON(json(summary, try store.head(), nil))
    } else {
      let cut = "\(summary.cut) of them by the identity alone, because a compaction cut the event"
      say(
        "\(Text.counted(summary.events, "event")) imported in \(Text.counted(summary.transactions, "transaction")), "
          + "\(summary.skipped) skipped that the log had\(summary.cut > 0 ? " (\(cut))" : ""); its last position is "
          + "\(try store.head())")
    }
    return .done
  }

  private func json(_ summary: Importer.Summary, _ head: Position, _ conflict: String?) -> String {
    let counts = "\"events\":\(summary.events),\"transactions\":\(summary.transactions),\"skipped\":\(summary.skipped)"
    let cut = summary.cut > 0 ? ",\"cut\":\(summary.cut)" : ""
    return "{\(counts)\(cut),\"position\":\(head)\(conflict.map { ",\"conflict\":\($0)" } ?? "")}"
  }

  private func reader(_ name: String) throws -> () throws -> Data {
    if name == "-" { return console.input }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: name, isDirectory: &isFolder) else {
      throw ReplayError(.inputOutput, "\(name): the file doesn't exist. Check the path")
    }
    if isFolder.boolValue { throw ReplayError(.inputOutput, "\(name): expected a file, found a folder") }
    guard let file = FileHandle(forReadingAtPath: name) else {
      throw ReplayError(.inputOutput, "\(name): cannot be read; check its permissions")
    }
    return {
      do {
        return try file.read(upToCount: 1 << 18) ?? Data()
      } catch {
        throw ReplayError(.inputOutput, "\(name): cannot be read: \(error.localizedDescription)")
      }
    }
  }

  private func bad(_ place: String, _ line: Int, _ message: String, _ importer: Importer) -> ReplayError {
    let done = Text.counted(importer.summary.events, "event")
    return ReplayError(
      .unreadable,
      "\(place), line \(line): \(message)\n\(done) before its transaction "
        + "\(importer.summary.events == 1 ? "is" : "are") in the log, nothing of it is; mend the line and import again")
  }
}

extension Importer.Conflict {
  /// The conflict as `annals import --json` prints it.
  fileprivate func json(line: Int) -> String {
    let other =
      switch place {
      case .line(let number): "\"otherLine\":\(number)"
      case .position(let position): "\"otherPosition\":\(position)"
      }
    let names = differences.map { JSONValue.quoted($0) }.joined(separator: ",")
    return "{\"line\":\(line),\"source\":\(JSONValue.quoted(id.source)),\"id\":\(JSONValue.quoted(id.id)),\(other),"
      + "\"differs\":[\(names)]}"
  }
}
