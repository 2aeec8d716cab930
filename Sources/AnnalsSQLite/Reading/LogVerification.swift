import Annals

/// A look at everything in a log, in one state of it.
struct LogVerification {
  private struct Enough: Error {}

  private let connection: SQLiteConnection
  private var report = LogReport()
  /// How many problems are told at most.
  private static let limit = 100

  init(_ connection: SQLiteConnection) {
    self.connection = connection
  }

  mutating func run(_ progress: (Int) throws -> Void) throws -> LogReport {
    // One state of the log: others may append meanwhile.
    try connection.execute("BEGIN")
    defer { connection.rollback() }
    do {
      try step { try $0.checkFile() }
      try step { try $0.readCompactions() }
      try step { try $0.checkEvents(progress) }
      try step { try $0.checkTags() }
      try step { try $0.checkPersonal() }
      try step { try $0.checkCommands() }
      try step { try $0.checkCuts() }
    } catch is Enough {}
    return report
  }

  /// Runs a part; where SQLite itself cannot go on, that is one of the problems.
  private mutating func step(_ body: (inout LogVerification) throws -> Void) throws {
    do {
      try body(&self)
    } catch let error as EventStoreError where error.code == .corrupt || error.code == .notALog || error.code == .io {
      try found(error.message)
    }
  }

  private mutating func found(_ message: String, at position: Position? = nil) throws {
    report.problems.append(.init(position: position, message: message))
    if report.problems.count >= Self.limit { throw Enough() }
  }

  private mutating func checkFile() throws {
    var messages: [String] = []
    try connection.statement("PRAGMA integrity_check(20)").run { row in
      if let text = row.text(0), text != "ok" { messages.append(text) }
    }
    for message in messages { try found("SQLite's integrity check found: \(message)") }
  }

  /// How often the log was compacted, and up to where; the number of the last transaction up to there.
  private var compacted = CompactedHistory.none
  private var compactedTransaction = 0
  /// The positions that were cut, in order.
  private var gaps: [(first: Int, last: Int)] = []
  /// The versions of streams whose last events were cut.
  private var cutVersions: [Int64: Int] = [:]
  /// The log's last position.
  private var head = 0
  /// How many events are missing up to the horizon: by their positions, and by their versions.
  private var (missingPositions, missingVersions) = (0, 0)

  private mutating func readCompactions() throws {
    head = Int(try connection.int("SELECT seq FROM sqlite_sequence WHERE name = 'event'") ?? 0)
    let tables = CompactionTables(connection)
    guard try tables.exist else { return }
    compacted = try tables.history
    compactedTransaction = Int(
      try connection.int("SELECT \"transaction\" FROM compaction ORDER BY number DESC LIMIT 1") ?? 0)
    try connection.statement("SELECT first, last FROM gap ORDER BY first").run { row in
      gaps.append((Int(row.int(0)), Int(row.int(1))))
    }
    try connection.statement("SELECT stream, version FROM cut_stream").run { row in
      cutVersions[row.int(0)] = Int(row.int(1))
    }
  }

  private mutating func checkEvents(_ progress: (Int) throws -> Void) throws {
    let (reader, names) = (EventReader(connection), NameCache(connection))
    let find = try connection.ownStatement("SELECT \(EventReader.columns) FROM event ORDER BY position")
    let horizon = compacted.horizon.rawValue
    var next = 1
    var transaction = 0
    var versions: [Int64: Int] = [:]
    // What the streams that lost their last events had reached counts from the horizon on.
    var isBeyond = false
    func passHorizon() {
      if isBeyond { return }
      isBeyond = true
      transaction = max(transaction, compactedTransaction)
      for (stream, version) in cutVersions {
        missingVersions += max(0, version - (versions[stream] ?? 0))
        versions[stream] = max(versions[stream] ?? 0, version)
      }
    }
    var rest = gaps[...]
    /// Passes what was cut before a position; answers the first that is missing there and was not cut.
    func passGaps(to place: Int) -> Int? {
      var missing: Int?
      while let gap = rest.first, gap.first >= next, gap.last < place, gap.last <= horizon {
        if missing == nil, gap.first > next { missing = next }
        missingPositions += gap.last - gap.first + 1
        next = gap.last + 1
        rest = rest.dropFirst()
      }
      return missing ?? (place > next ? next : nil)
    }
    try find.run { row in
      let place = Int(row.int(0))
      if place > horizon { passHorizon() }
      let position = place >= 0 ? Position(place) : nil
      if let missing = passGaps(to: place) {
        try found("expected event \(missing), found event \(place): positions have no holes", at: position)
      }
      next = place + 1
      let stream = row.int(2)
      let (version, expected) = (Int(row.int(3)), (versions[stream] ?? 0) + 1)
      if place <= horizon, version > expected {
        missingVersions += version - expected
      } else if version != expected {
        try found("expected version \(expected) of its stream, found \(version)", at: position)
      }
      versions[stream] = place <= horizon ? version : expected
      let number = Int(row.int(1))
      if place <= horizon
        ? number < transaction || number > compactedTransaction : number != transaction && number != transaction + 1
      {
        try found("expected transaction \(transaction) or \(transaction + 1), found \(number)", at: position)
      }
      transaction = number
      if PersonalPayload.mayHaveFields(row.text(10) ?? "") { fieldPositions.insert(Int64(place)) }
      do {
        try check(try reader.event(row, names), tagText: row.text(9) ?? "")
      } catch let error as EventStoreError {
        try found(error.message, at: position)
      }
      report.events += 1
      if report.events % 1_000 == 0 { try progress(report.events) }
    }
    passHorizon()
    _ = passGaps(to: head + 1)
    if head != next - 1 { try found("expected \(head) events, which the log counted, found \(next - 1)") }
    for gap in rest {
      try found(
        "the events from \(gap.first) to \(gap.last) were cut, and some of them are there, or others are missing too")
    }
  }

  /// What is known of events that were cut.
  private mutating func checkCuts() throws {
    guard compacted.count > 0 else { return }
    if missingVersions != missingPositions {
      try found("expected \(missingPositions) versions of streams to be cut, found that \(missingVersions) are")
    }
    let noted = Int(try connection.int("SELECT sum(cut) FROM compaction") ?? 0)
    if noted != missingPositions { try found("expected \(noted) events to be cut, found that \(missingPositions) are") }
    let expected = try connection.int("SELECT sum(identities) FROM compaction") ?? 0
    let kept = try connection.int("SELECT count(*) FROM cut_event") ?? 0
    if expected != kept { try found("expected \(expected) identities of cut events, found \(kept)") }
    if compacted.horizon.rawValue > head {
      try found("the log was compacted up to \(compacted.horizon), and ends at \(head)")
    }
    let lost =
      try connection.int(
        "SELECT count(*) FROM cut_event WHERE position < 1 OR position > \(compacted.horizon)") ?? 0
    if lost > 0 { try found("\(lost) identities are of events that cannot have been cut") }
  }

  private mutating func check(_ event: StoredEvent, tagText: String) throws {
    if let payload = event.payload {
      do {
        _ = try JSONValue(parsing: payload)
      } catch {
        try found("its payload is not JSON: \(error)", at: event.position)
      }
    }
    let find = try connection.statement("SELECT count(*) FROM event_tag WHERE tag = ?1 AND position = ?2")
    for tag in event.tags.sorted() {
      try find.bind(1, tag.text)
      try find.bind(2, event.position.rawValue)
      if try find.firstInt() != 1 {
        try found("its tag \(JSONValue.quoted(tag.text)) is not in the table of tags", at: event.position)
      }
    }
    tagCount += event.tags.count
  }

  /// How many tags the events have.
  private var tagCount = 0

  /// The positions of events that may have personal fields; which they have is looked at when they are read.
  private var fieldPositions: Set<Int64> = []

  private mutating func checkTags() throws {
    let kept = Int(try connection.int("SELECT count(*) FROM event_tag") ?? 0)
    if kept != tagCount { try found("expected \(tagCount) tags in the table of tags, found \(kept)") }
  }

  /// Those of events are looked at with them; here are those that no event has.
  private mutating func checkPersonal() throws {
    let tables = PersonalTables(connection)
    guard try tables.exist else { return }
    var lost: [(position: Int64, place: Int64)] = []
    let head = Int64(head)
    try connection.statement("SELECT position, place FROM personal ORDER BY position, place").run { row in
      let (position, place) = (row.int(0), row.int(1))
      if position > head || !fieldPositions.contains(position) { lost.append((position, place)) }
    }
    for (position, place) in lost {
      try found(
        "the personal field \(place) of event \(position) is there, and the event has none",
        at: position > 0 ? Position(Int(position)) : nil)
    }
    let erasures = try connection.int("SELECT count(*) FROM erasure WHERE position < 0 OR position > \(head)") ?? 0
    if erasures > 0 { try found("\(erasures) erasures are beyond the log's end, \(head)") }
  }

  private mutating func checkCommands() throws {
    if try connection.int("PRAGMA user_version") ?? 0 < 2 { return }
    let end = Int64(head)
    var ids: [(id: String, position: Int64, count: Int64)] = []
    try connection.statement("SELECT id, position, count FROM command").run { row in
      ids.append((row.text(0) ?? "", row.int(1), row.int(2)))
    }
    for (id, position, count) in ids {
      if position < 0 || position > end || count < 0 || count > position {
        try found("the command \(JSONValue.quoted(id)) was answered the position \(position), the log ends at \(end)")
      }
      do {
        _ = try CommandReceipts(connection).receipt(ofCommand: id)
      } catch let error as EventStoreError {
        try found(error.message)
      }
    }
    let checkpoints = try connection.int("SELECT count(*) FROM checkpoint WHERE position < 0 OR position > \(end)") ?? 0
    if checkpoints > 0 { try found("\(checkpoints) checkpoints are beyond the log's end, \(end)") }
  }
}
