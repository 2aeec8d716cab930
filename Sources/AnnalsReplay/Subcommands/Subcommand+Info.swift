import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation

extension Subcommand {
  static let info = Subcommand(
    name: "info", operands: ["LOG"],
    summary: "Print what a log is, on one screen: size, times, lists, followers, what it keeps.",
    details: ["`annals LOG` is the same. It looks things up, and reads no payload."],
    options: [times],
    examples: ["annals info shop.annals", "annals info shop.annals --json"],
    run: { try $0.runInfo() })
}

extension Session {
  fileprivate func runInfo() throws -> ReplayError.Status {
    let log = try LogExtent(openStore())
    let bytes = LogInfo.bytes(log, path: arguments.operands[0])
    if !isJSON {
      // Types and streams of 1,000,000 events are counted for 0.3 s.
      try print(LogInfo.head(arguments.operands[0], bytes))
      try output.flush()
    }
    let info = try LogInfo(log, self, bytes)
    if isJSON { try printJSON(info.json) } else { for line in info.lines(times) { try print(line) } }
    return .done
  }
}

/// What a log is, for people and as JSON.
private struct LogInfo {
  private let log: LogExtent
  private let first: StoredEvent?
  private let last: StoredEvent?
  private let counts: [(type: String, count: Int)]
  private let lists: [(name: String, isSample: Bool)]
  private let bytes: (file: Int, commits: Int)?
  private let followers: [LogFollower]
  private let saved: [SavedListSummary]
  private let erasures: [ErasureRecord]
  private let compactions: [CompactionRecord]
  private let streams: Int?
  private let revision: LogRevision
  private let outliers: TimeOutliers
  private let tool: String

  /// The sizes of a log's file and of the commits beside it; nil if it is in none.
  static func bytes(_ log: LogExtent, path: String) -> (file: Int, commits: Int)? {
    guard log.store is SQLiteEventStore else { return nil }
    return Platform.file(path).map { ($0.size, Platform.file(path + "-wal")?.size ?? 0) }
  }

  /// The first line.
  static func head(_ path: String, _ bytes: (file: Int, commits: Int)?) -> String {
    let sizes = bytes.map {
      ", \(Session.bytes($0.file))"
        + ($0.commits > 0 ? " and \(Session.bytes($0.commits)) of commits beside it" : "")
    }
    return line("log", path + (sizes ?? ""))
  }

  private static func line(_ name: String, _ value: String) -> String {
    Text.safe(Text.padded(name, to: 12) + value)
  }

  init(_ log: LogExtent, _ session: Session, _ bytes: (file: Int, commits: Int)?) throws {
    self.log = log
    self.bytes = bytes
    first = try log.store.events(.all, after: 0, through: nil, limit: 1).first
    last = try log.store.eventsBackwards(.all, after: 0, through: nil, limit: 1).first
    counts = try log.typeCounts(through: log.end)
    let types = counts.map(\.type)
    lists = session.catalog.lists.filter { $0.isMeant(forTypes: types) }.map { ($0.name, $0.isSample) }
    revision = try log.store.revision()
    outliers = try log.timeOutliers(now: session.console.now())
    tool = session.tool
    streams = try log.streams()?.count
    if let file = log.store as? SQLiteEventStore {
      (followers, saved) = (try file.followers(), try file.savedListSummaries())
      (erasures, compactions) = (try file.erasureHistory(), try file.compactionHistory())
    } else {
      (followers, saved, erasures, compactions) = ([], [], [], [])
    }
  }

  private var events: Int { counts.reduce(0) { $0 + $1.count } }

  /// The lines after the first.
  func lines(_ times: TimeStyle) -> [String] {
    var lines: [String] = []
    func add(_ name: String, _ value: String) { lines.append(Self.line(name, value)) }
    add(
      "events",
      Text.grouped(events) + (last.map { " in \(Text.grouped($0.transaction)) transactions" } ?? "")
        + (streams.map { ", \(Text.counted($0, "stream"))" } ?? ""))
    if let first, let last {
      add("from", (times.column(first.time.microseconds) + [first.type]).joined(separator: "  "))
      add("to", (times.column(last.time.microseconds) + [last.type]).joined(separator: "  "))
    }
    if !counts.isEmpty {
      let named = counts.prefix(6).map { "\($0.type) \(Text.grouped($0.count))" }.joined(separator: ", ")
      add("types", named + (counts.count > 6 ? " and \(counts.count - 6) more" : ""))
    }
    if let file = log.store as? SQLiteEventStore, file.mayLackCommits {
      add("lacks", "the last commits may be missing: the file was copied or moved without its -wal (see verify)")
    }
    add(
      "lists",
      lists.isEmpty
        ? (events == 0 ? "none yet" : "none that this tool knows; an app's own tool shows its lists")
        : lists.map { $0.isSample ? "\($0.name) (a sample)" : $0.name }.joined(separator: ", "))
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
    if !erasures.isEmpty {
      let subjects = Set(erasures.map { ExactString($0.subject) }).count
      add("erasures", "\(erasures.count), of \(Text.counted(subjects, "subject"))")
    }
    if log.compacted.count > 0 {
      let cut = Text.sum(compactions.map(\.cut))
      add(
        "compacted", "\(Text.counted(cut, "event")) cut; lists can be shown at 0 and from \(log.compacted.horizon) on")
    }
    return lines
  }

  var json: String {
    func text(_ value: String?) -> String { value.map { JSONValue.quoted($0) } ?? "null" }
    func time(_ date: Date?) -> String { date.map { JSONLines.time($0.microseconds) } ?? "null" }
    let types = counts.map { "{\"name\":\(text($0.type)),\"events\":\($0.count)}" }
    let followers = followers.map {
      "{\"name\":\(text($0.name)),\"position\":\($0.position.map { "\($0)" } ?? "null"),"
        + "\"lag\":\($0.lag.map { "\($0)" } ?? "null"),\"moved\":\(time($0.moved)),\"problem\":\(text($0.problem))}"
    }
    let saved = saved.map {
      "{\"name\":\(text($0.name)),\"position\":\($0.position),\"bytes\":\($0.bytes),\"saved\":\(time($0.saved)),"
        + "\"usable\":\($0.isUsable)}"
    }
    return "{\"events\":\(events),\"position\":\(log.end),\"transactions\":\(last?.transaction ?? 0),"
      + "\"streams\":\(streams.map { "\($0)" } ?? "null"),\"firstTime\":\(time(first?.time)),"
      + "\"lastTime\":\(time(last?.time)),\"fileBytes\":\(bytes.map { "\($0.file)" } ?? "null"),"
      + "\"commitBytes\":\(bytes.map { "\($0.commits)" } ?? "null"),\"types\":[\(types.joined(separator: ","))],"
      + "\"lists\":[\(lists.map { text($0.name) }.joined(separator: ","))],"
      + "\"followers\":[\(followers.joined(separator: ","))],\"savedLists\":[\(saved.joined(separator: ","))],"
      + "\"erasures\":\(erasures.count),\"compactions\":\(log.compacted.count),\"horizon\":\(log.compacted.horizon)"
      + "\(outliers.json.map { ",\"wrongTimes\":\($0)" } ?? "")}"
  }
}
