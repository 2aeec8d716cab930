import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation

extension Subcommand {
  static let info = Subcommand(
    name: "info", operands: ["LOG"],
    summary: "Print an overview of a log: its size, times, event types, lists, and stored state.",
    details: [
      "`annals LOG` is the same. Long lists are shortened, but --json prints them in full,",
      "with the 20 streams that have the most events. --format table, csv and the other",
      "formats print the numbers of events by type and stream as one table. LOG can be the",
      "URL of a log on a server.",
    ],
    options: [times],
    examples: [
      "annals info shop.annals", "annals info shop.annals --json",
      "annals info shop.annals --format csv --fields name,events",
    ],
    output: .init(
      .object, "An overview of a log, or with --fields an array over several lines.",
      [LogInfo.form.schema, .array(of: LogInfo.rowForm.schema)]),
    run: { try $0.runInfo() })
}

extension Session {
  fileprivate func runInfo() throws -> ReplayError.Status {
    let (name, server) = (arguments.operands[0], try serverLog())
    let log = try LogExtent(server ?? openStore())
    let bytes = LogInfo.bytes(path: name)
    let head =
      server == nil
      ? LogInfo.head(name, bytes)
      : ("log", "\(RemoteLog.shown(name)), a log on a server, read up to position \(log.end)")
    if format == .text {
      // Counting the types and streams of 1,000,000 events takes 0.3 s.
      try print(head)
      try output.flush()
    }
    let info = try LogInfo(log, self, bytes)
    switch format {
    case .text: for line in info.lines(times) { try print(line) }
    case .json where chosenFields.isEmpty: try print(info, as: LogInfo.form)
    default: try print(info.counts)
    }
    return .done
  }

  /// Prints a name and a value, wrapped to the terminal's width.
  private func print(_ line: LogInfo.Line) throws {
    let (first, value) = (Text.padded(line.name, to: 12), Text.safe(line.value))
    guard let columns = console.columns, Text.width(first + value) > columns else { return try print(first + value) }
    let indent = String(repeating: " ", count: columns < 50 ? 2 : 12)
    for line in Text.wrapped(value, to: columns, indent: first, hanging: indent) { try print(line) }
  }

  private func print(_ counts: LogStatistics) throws {
    let columns = [
      TableColumn("by"), TableColumn("events", .right), TableColumn("payloadBytes", title: "payload", .right),
      TableColumn("name"),
    ]
    try table(columns) { table in
      for (kind, parts) in [("type", counts.types), ("stream", counts.largestStreams)] {
        for part in parts {
          try table.row([
            .text(kind), .number(part.events), .shown(as: Self.bytes(part.payloadBytes), .number(part.payloadBytes)),
            .json(.string(part.name)),
          ])
        }
      }
    }
  }

  /// A number of bytes in the unit that suits it.
  static func bytes(_ count: Int) -> String {
    var (value, unit) = (Double(count), 0)
    let units = ["bytes", "kB", "MB", "GB", "TB"]
    while value >= 1_000, unit < units.count - 1 { (value, unit) = (value / 1_000, unit + 1) }
    return unit == 0 ? Text.counted(count, "byte") : "\(ratio(value)) \(units[unit])"
  }

  /// A number with one decimal place.
  fileprivate static func ratio(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}

/// An overview of a log, as text and as JSON.
private struct LogInfo {
  typealias Line = (name: String, value: String)

  let counts: LogStatistics
  private let log: LogExtent
  private let bytes: (file: Int, commits: Int)?
  private let first: StoredEvent?
  private let last: StoredEvent?
  private let lists: [(name: String, isSample: Bool)]
  private let recent: RecentNames
  private let outliers: TimeOutliers
  private let tool: String
  private var followers: [LogFollower] = []
  private var saved: [SavedListSummary] = []
  private var erasures: [ErasureRecord] = []
  private var compactions: [CompactionRecord] = []
  private var drafts: [DraftSummary] = []
  private var states = 0
  /// True if the file was copied without its last commits.
  private var mayLackCommits = false
  /// The size in bytes of the tool's indexes of the log.
  private let indexBytes: Int

  /// Returns the sizes of a log's file and of its `-wal` file, or `nil` if the log isn't a file.
  static func bytes(path: String) -> (file: Int, commits: Int)? {
    Platform.file(path).map { ($0.size, Platform.file(path + "-wal")?.size ?? 0) }
  }

  /// The first line.
  static func head(_ path: String, _ bytes: (file: Int, commits: Int)?) -> Line {
    let sizes = bytes.map {
      ", \(Session.bytes($0.file))"
        + ($0.commits > 0 ? " and \(Session.bytes($0.commits)) of commits beside it" : "")
    }
    return ("log", path + (sizes ?? ""))
  }

  init(_ log: LogExtent, _ session: Session, _ bytes: (file: Int, commits: Int)?) throws {
    self.log = log
    self.bytes = bytes
    tool = session.tool
    indexBytes = session.indexBytes(of: log.store)
    first = try log.store.events(.all, after: 0, through: nil, limit: 1).first
    last = try log.store.eventsBackwards(.all, after: 0, through: nil, limit: 1).first
    let progress = Progress(session.console)
    defer { progress.end() }
    if bytes == nil { progress.show("counting events") }
    var times = TimeOutliers(now: session.console.now().microseconds)
    counts = try log.store.index.statistics { times.add($0) }
    times.end()
    outliers = times
    if let file = log.store as? SQLiteEventStore {
      (followers, saved) = (try file.followers(), try file.savedListSummaries())
      (erasures, compactions) = (try file.erasureHistory(), try file.compactionHistory())
      (drafts, states) = (try file.savedDrafts(), try file.snapshotCount())
      mayLackCommits = file.mayLackCommits
    }
    recent = try RecentNames(log.store)
    let types = counts.types.map(\.name)
    lists = session.catalog.lists.filter { $0.isMeant(forTypes: types) }.map { ($0.name, $0.isSample) }
  }

  /// The lines after the first line.
  func lines(_ times: TimeStyle) -> [Line] {
    var lines: [Line] = []
    func add(_ name: String, _ value: String) { lines.append((name, value)) }
    func add<Element>(_ name: String, last elements: [Element], _ value: (Element) -> String) {
      for element in elements.suffix(6) { add(name, value(element)) }
      if elements.count > 6 { add(name, "and \(elements.count - 6) earlier (--json prints all)") }
    }
    addEvents(times, add)
    add(
      "lists",
      lists.isEmpty
        ? (counts.events == 0 ? "none yet" : "none that this tool knows. An app's own tool shows its lists")
        : lists.map { $0.isSample ? "\($0.name) (a sample)" : $0.name }.joined(separator: ", "))
    let kinds = [
      ("authors", recent.authors.map { "\($0.name) \(Text.grouped($0.events))" }), ("collections", recent.collections),
      ("fields", recent.fields),
    ]
    for (name, names) in kinds where !names.isEmpty {
      // The names of the last events take no time, and an older name is hardly a name to choose by.
      let rest = counts.events > RecentNames.limit ? " (of the last \(Text.grouped(RecentNames.limit)) events)" : ""
      add(name, (names.prefix(20) + (names.count > 20 ? ["…"] : [])).joined(separator: ", ") + rest)
    }
    for message in outliers.messages(tool: tool, times) { add("wrong time", message) }
    for follower in followers {
      let state = follower.problem ?? "at \(follower.position ?? 0), \(Text.counted(follower.lag ?? 0, "event")) behind"
      add("follower", "\(follower.name)  \(state)")
    }
    for list in saved {
      add(
        "saved list",
        "\(list.name)  at \(list.position), \(Session.bytes(list.bytes))" + (list.isUsable ? "" : ", not used"))
    }
    if states > 0 { add("states", "\(states) of deciders") }
    if indexBytes > 0 { add("index", "\(Session.bytes(indexBytes)) in the cache folder") }
    add("draft", last: drafts) {
      "\($0.name)  \(Text.counted($0.count, "command"))" + times.clause(", changed ", $0.changed.microseconds)
    }
    if counts.personalFields > 0 || counts.erasures > 0 {
      add(
        "personal", "\(Text.counted(counts.personalFields, "value")) of \(Text.counted(counts.subjects, "subject"))")
    }
    if counts.erasures > 0 {
      let subjects = Set(erasures.map { ExactString($0.subject) }).count
      add(
        "erasures",
        "\(counts.erasures)" + (subjects > 0 ? ", of \(Text.counted(subjects, "subject"))" : "")
          + (counts.hasRemnants ? ". Bytes of erased values might remain. Repeat the erasure" : ""))
    }
    add("erasure", last: erasures) {
      "\($0.subject)  \(Text.counted($0.fields, "value")) up to position \($0.position)"
        + times.clause(", ", $0.time.microseconds) + ($0.isComplete ? "" : ", bytes might be left in the files")
    }
    if log.compacted.count > 0 {
      let cut = Text.sum(compactions.map(\.cut))
      add(
        "compacted",
        (compactions.isEmpty ? "" : "\(Text.counted(cut, "event")) cut. ")
          + "Lists can be shown at 0 and from \(log.compacted.horizon) on"
          + (counts.hasRemnants ? ". The file can be smaller. Repeat the compaction" : ""))
    }
    add("compaction", last: compactions) {
      "up to position \($0.horizon)  \(Text.counted($0.cut, "event")) cut, \($0.replaced) replaced"
        + times.clause(", ", $0.time.microseconds) + ($0.isComplete ? "" : ", the file isn't shorter yet")
    }
    return lines
  }

  /// Adds the lines about the events.
  private func addEvents(_ times: TimeStyle, _ add: (String, String) -> Void) {
    var events = Text.grouped(counts.events)
    if counts.transactions > 0 {
      events += " in \(Text.grouped(counts.transactions)) transactions"
      events += ", \(Session.ratio(Double(counts.events) / Double(counts.transactions))) per transaction"
    }
    let days = counts.times.map { $0.upperBound.timeIntervalSince($0.lowerBound) / 86_400 } ?? 0
    // The events of less than a day don't have a rate per day.
    let rate = days >= 1 ? Double(counts.events) / days : 0
    add(
      "events",
      events + ", \(Text.counted(counts.streams, "stream"))"
        + (rate >= 0.1 ? ", \(Session.ratio(rate)) events a day" : ""))
    if let first, let last {
      add("from", (times.column(first.time.microseconds) + [first.type]).joined(separator: "  "))
      add("to", (times.column(last.time.microseconds) + [last.type]).joined(separator: "  "))
    }
    func named(_ parts: [LogStatistics.Part], of count: Int) -> String {
      parts.prefix(6).map { "\($0.name) \(Text.grouped($0.events))" }.joined(separator: ", ")
        + (count > 6 ? " and \(Text.grouped(count - 6)) more" : "")
    }
    if counts.events > 0 {
      add("types", named(counts.types, of: counts.types.count))
      add("streams", named(counts.largestStreams, of: counts.streams))
      add(
        "payloads",
        "\(Session.bytes(counts.payloadBytes)), \(Session.bytes(counts.payloadBytes / counts.events)) an event")
      add(
        "names",
        [
          Text.counted(counts.sources.count, "source"), Text.counted(counts.tags, "tag"),
          counts.commands.map { Text.counted($0, "command") + " with an id" },
        ].compactMap { $0 }.joined(separator: ", "))
    }
    if let format = counts.format { add("format", "\(format)") }
    if mayLackCommits {
      add("lacks", "the last commits may be missing: the file was copied or moved without its -wal (see verify)")
    }
  }
}

extension LogInfo {
  static let form = JSONForm<LogInfo>([
    "events": .of(\.counts.events), "position": .of(\.log.end), "transactions": .of(\.counts.transactions),
    "streams": .of(\.counts.streams), "firstTime": .of(\.first?.time), "lastTime": .of(\.last?.time),
    "fileBytes": .of(\.bytes?.file), "commitBytes": .of(\.bytes?.commits), "types": .array(\.counts.types, part),
    "lists": .of { $0.lists.map(\.name) }, "followers": .array(\.followers, followerForm),
    "savedLists": .array(\.saved, list),
    "erasures": .of(\.counts.erasures), "compactions": .of(\.log.compacted.count),
    "horizon": .of(\.log.compacted.horizon), "format": .of(\.counts.format), "sources": .of(\.counts.sources.count),
    "tags": .of(\.counts.tags), "commands": .of(\.counts.commands), "payloadBytes": .of(\.counts.payloadBytes),
    "earliestTime": .of(\.counts.times?.lowerBound), "latestTime": .of(\.counts.times?.upperBound),
    "personalFields": .of(\.counts.personalFields), "subjects": .of(\.counts.subjects),
    "remnants": .of(\.counts.hasRemnants), "byStream": .array(\.counts.largestStreams, part), "states": .of(\.states),
    "drafts": .array(\.drafts, draft), "erasureHistory": .array(\.erasures, erasure),
    "compactionHistory": .array(\.compactions, compaction),
    "wrongTimes": .some { $0.outliers.count > 0 ? $0.outliers : nil },
    "indexBytes": .some { $0.indexBytes > 0 ? $0.indexBytes : nil },
    "authors": .of({ $0.recent.authors.map(\.name) }, "The actors of the last 1,000 events, the most frequent first."),
    "collections": .of(\.recent.collections, "The collections of records in the last 1,000 events."),
    "fields": .of(\.recent.fields, "The fields of records or payloads in the last 1,000 events."),
    "byAuthor": .array(
      { $0.recent.authors },
      JSONForm<(name: String, events: Int)>(["name": .of { $0.name }, "events": .of { $0.events }])),
  ])

  private static let list = JSONForm<SavedListSummary>([
    "name": .of(\.name), "position": .of(\.position), "bytes": .of(\.bytes), "saved": .of(\.saved),
    "usable": .of(\.isUsable), "fingerprint": .of(\.fingerprint), "pages": .of(\.pages),
  ])

  private static let draft = JSONForm<DraftSummary>([
    "name": .of(\.name), "commands": .of(\.count), "changed": .of(\.changed),
  ])

  private static let erasure = JSONForm<ErasureRecord>([
    "number": .of(\.number), "subject": .of(\.subject), "position": .of(\.position), "time": .of(\.time),
    "fields": .of(\.fields), "complete": .of(\.isComplete),
  ])

  private static let compaction = JSONForm<CompactionRecord>([
    "number": .of(\.number), "horizon": .of(\.horizon), "time": .of(\.time), "cut": .of(\.cut),
    "replaced": .of(\.replaced), "complete": .of(\.isComplete),
  ])

  private static let part = JSONForm<LogStatistics.Part>([
    "name": .of(\.name), "events": .of(\.events), "payloadBytes": .of(\.payloadBytes),
  ])

  /// The form of a row that `--fields` prints, which has only the chosen members.
  static let rowForm = JSONForm<(by: String?, part: LogStatistics.Part?)>([
    "by": .some { $0.by }.among(["type", "stream"]), "events": .some { $0.part?.events },
    "payloadBytes": .some { $0.part?.payloadBytes }, "name": .some { $0.part?.name },
  ])
}

/// The names in the last events of a log, the most frequent first.
private struct RecentNames {
  static let limit = 1_000

  let authors: [(name: String, events: Int)]
  let collections, fields: [String]

  init(_ store: any EventStore) throws {
    var (authors, collections, fields): (Counts, Counts, Counts) = ([:], [:], [:])
    for event in try store.eventsBackwards(.all, after: 0, through: nil, limit: Self.limit) {
      if let author = event.metadata.author { authors[ExactString(author), default: 0] += 1 }
      guard let payload = event.payload, let value = try? JSONValue(parsing: payload) else { continue }
      let isRecord = RecordEvent.types.contains(event.type)
      if isRecord, case .string(let name)? = value["collection"] { collections[ExactString(name), default: 0] += 1 }
      guard case .object(let members)? = isRecord ? value["fields"] : value else { continue }
      for member in members { fields[ExactString(member.name), default: 0] += 1 }
    }
    func sorted(_ counts: Counts) -> [(name: String, events: Int)] {
      counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key.text, $0.value) }
    }
    self.authors = sorted(authors)
    (self.collections, self.fields) = (sorted(collections).map(\.name), sorted(fields).map(\.name))
  }

  private typealias Counts = [ExactString: Int]
}
