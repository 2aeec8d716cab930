import AnnalsReplay
import AnnalsSQLite
import Foundation

extension Figure {
  /// What the tool takes for a million events, beside others on the same file.
  static var tool: [Figure] {
    [importCore, exportCore]
      + [("", 100_000), ("-1m", 1_000_000)].flatMap { [verifyLibrary($0, $1), verifyCore($0, $1)] } + [compactMemory]
  }

  private static var importCore: Figure {
    Figure(
      "import-core", rows: 100_000, "annals import, per event",
      against: "Python's json and sqlite3, with the same columns and indexes", of: .processor,
      .cost(atMost: 0.8)
    ) {
      let lines = try RecordLines(100_000)
      return Contest {
        try lines.inNewFile { log in
          try processorNanoseconds(per: lines.count) { try RecordLines.run(["import", log, lines.path]) }
        }
      } baseline: {
        try lines.inNewFile { log in
          try processorNanoseconds(ofCommand: ["python3", "-c", RecordLines.importer, log, lines.path])
            / Double(lines.count)
        }
      }
    }
  }

  private static var exportCore: Figure {
    Figure(
      "export-core", rows: 100_000, "annals log --json, per event",
      against: "SQLite's json_object, on the same columns", of: .processor, .cost(atMost: 3)
    ) {
      let lines = try RecordLines(100_000)
      let (log, plain) = (lines.file("log"), lines.file("plain"))
      try RecordLines.run(["import", log, lines.path])
      _ = try processorNanoseconds(ofCommand: ["python3", "-c", RecordLines.importer, plain, lines.path])
      let objects = try JSONObjects(plain)
      return Contest {
        try processorNanoseconds(per: lines.count) { try RecordLines.run(["log", "--json", log]) }
      } baseline: {
        try processorNanoseconds(per: lines.count) { keep(try objects.run()) }
      }
    }
  }

  /// The numbers for two lengths show that the time for an event doesn't grow with the log.
  private static func verifyLibrary(_ name: String, _ count: Int) -> Figure {
    verify("verify" + name, count, "verify(), per event") { log in
      let store = try SQLiteEventStore(readingFrom: log)
      defer { store.close() }
      guard try store.verify().isSound else { throw WideFailure(message: "the log isn't sound") }
    }
  }

  private static func verifyCore(_ name: String, _ count: Int) -> Figure {
    verify("verify-core" + name, count, "annals verify, per event") { try RecordLines.run(["verify", $0]) }
  }

  private static func verify(
    _ name: String, _ count: Int, _ text: String, _ work: @escaping @Sendable (String) throws -> Void
  ) -> Figure {
    Figure(name, rows: count, text, against: "SQLite's integrity_check", of: .processor, .cost(atMost: 8)) {
      let lines = try RecordLines(count)
      let log = lines.file("log")
      try RecordLines.run(["import", log, lines.path])
      let check = try JSONObjects(log, sql: "PRAGMA integrity_check")
      return Contest {
        try processorNanoseconds(per: lines.count) { try work(log) }
      } baseline: {
        try processorNanoseconds(per: lines.count) { keep(try check.run()) }
      }
    }
  }

  private static var compactMemory: Figure {
    Figure(
      "compact-memory", rows: 1_000_000,
      "peak memory of annals compact, with 510,000 rows at the end", of: .memory,
      .value(atMost: 300_000_000)
    ) {
      let lines = try RecordLines(1_000_000)
      let log = lines.file("log")
      try RecordLines.run(["import", log, lines.path])
      // Measured once: it takes a minute, and the same memory each time.
      let measured = try lines.inNewFile { copy in
        try FileManager.default.copyItem(atPath: log, toPath: copy)
        return try AnswerCost(of: ["compact", copy, "--yes"], caches: lines.file("caches")).peak
      }
      return Contest { measured }
    }
  }
}

/// Lines of record events: rows of a collection are inserted, updated and deleted, and half of the events insert.
final class RecordLines: Sendable {
  let count: Int
  private let folder: URL
  var path: String { file("lines.jsonl") }

  init(_ count: Int) throws {
    self.count = count
    folder = FileManager.default.temporaryDirectory.appending(path: "annals-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data().write(to: folder.appending(path: "lines.jsonl"))
    guard let output = FileHandle(forWritingAtPath: file("lines.jsonl")) else {
      throw BenchmarksTool.Usage(message: "\(folder.path): cannot be written")
    }
    var chance = Chance(seed: 5)
    var (alive, next, text): ([Int], Int, String) = ([], 0, "")
    for number in 1...count {
      let dice = chance.next(upTo: 100)
      let (type, data): (String, String)
      if alive.isEmpty || dice < 55 {
        (type, data) = (
          "RecordInserted",
          #""id":"ware-\#(next)","fields":{"title":"The title of ware number \#(next)","price":\#(chance.price()),"#
            + #""shelf":\#(chance.next(upTo: 100))}"#
        )
        alive.append(next)
        next += 1
      } else {
        let place = chance.next(upTo: alive.count)
        if dice < 96 {
          (type, data) = ("RecordUpdated", #""id":"ware-\#(alive[place])","fields":{"price":\#(chance.price())}"#)
        } else {
          (type, data) = ("RecordDeleted", #""id":"ware-\#(alive[place])""#)
          alive.swapAt(place, alive.count - 1)
          alive.removeLast()
        }
      }
      text +=
        #"{"specversion":"1.0","id":"event-\#(number)","source":"benchmark","type":"\#(type)","subject":"wares","#
        + #""time":"2026-01-01T12:00:00.\#(100_000 + number % 800_000)Z","transaction":"append-\#(number / 20)","#
        + #""actor":"benchmark","data":{"collection":"wares",\#(data)}}"# + "\n"
      if text.utf8.count > 1 << 20 || number == count {
        try output.write(contentsOf: Data(text.utf8))
        text = ""
      }
    }
    try output.close()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The path of a file beside the lines.
  func file(_ name: String) -> String { folder.appending(path: name).path }

  /// Calls a body with the path of a file that is not there, and deletes it afterwards.
  func inNewFile<T>(_ body: (String) throws -> T) throws -> T {
    let path = file(UUID().uuidString)
    defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
    return try body(path)
  }

  /// Runs a command of the tool in this process, without its output.
  ///
  /// - Parameters:
  ///   - words: The command.
  ///   - caches: The folder of the tool's indexes, or `nil` for no index.
  /// - Throws: An error with the messages of a command that fails.
  static func run(_ words: [String], caches: String? = nil) throws {
    var said = ""
    var console = Console(output: { keep($0.count) }, talk: { said += $0 }, input: { Data() })
    if let caches { console.environment["XDG_CACHE_HOME"] = caches }
    let status = ReplayTool.annals.run(words, on: console)
    // A difference and a condition that never holds are results, too.
    guard status <= 1 else {
      throw BenchmarksTool.Usage(message: "\(words.joined(separator: " ")) ended with \(status): \(said)")
    }
  }

  /// What you would write in Python: a table with the columns of a log, its indexes, commits of as many events.
  static let importer = """
    import json, sqlite3, sys
    base = sqlite3.connect(sys.argv[1], isolation_level=None)
    base.execute("PRAGMA journal_mode = WAL")
    base.execute("PRAGMA synchronous = FULL")
    base.execute('''CREATE TABLE event (position INTEGER PRIMARY KEY, "transaction" TEXT, stream TEXT, version INTEGER,
      type TEXT, schema INTEGER, source TEXT, id TEXT, time TEXT, payload TEXT, metadata TEXT)''')
    base.execute("CREATE UNIQUE INDEX identity ON event (id, source)")
    base.execute("CREATE UNIQUE INDEX version ON event (stream, version)")
    versions, position = {}, 0
    known = {"specversion", "id", "source", "type", "subject", "time", "data", "transaction"}
    base.execute("BEGIN")
    for line in open(sys.argv[2], encoding="utf-8"):
      event = json.loads(line)
      position += 1
      stream = event["subject"]
      version = versions[stream] = versions.get(stream, 0) + 1
      rest = {name: value for name, value in event.items() if name not in known}
      base.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (position, event["transaction"],
        stream, version, event["type"], 1, event["source"], event["id"], event["time"],
        json.dumps(event["data"], separators=(",", ":")), json.dumps(rest, separators=(",", ":"))))
      if position % 32768 == 0:
        base.execute("COMMIT")
        base.execute("BEGIN")
    base.execute("COMMIT")
    """
}
