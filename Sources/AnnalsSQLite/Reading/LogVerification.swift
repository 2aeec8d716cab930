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
      try step { try $0.checkEvents(progress) }
      try step { try $0.checkTags() }
      try step { try $0.checkPersonal() }
      try step { try $0.checkCommands() }
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

  private mutating func checkEvents(_ progress: (Int) throws -> Void) throws {
    let (reader, names) = (EventReader(connection), NameCache(connection))
    let find = try connection.ownStatement("SELECT \(EventReader.columns) FROM event ORDER BY position")
    var next = 1
    var transaction = 0
    var versions: [Int64: Int] = [:]
    try find.run { row in
      let place = Int(row.int(0))
      let position = place >= 0 ? Position(place) : nil
      if place != next {
        try found("expected event \(next), found event \(place): positions have no holes", at: position)
      }
      next = place + 1
      let stream = row.int(2)
      let (version, expected) = (Int(row.int(3)), (versions[stream] ?? 0) + 1)
      if version != expected { try found("expected version \(expected) of its stream, found \(version)", at: position) }
      versions[stream] = expected
      let number = Int(row.int(1))
      if number != transaction, number != transaction + 1 {
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
    let last = try connection.int("SELECT seq FROM sqlite_sequence WHERE name = 'event'") ?? 0
    if last != next - 1 { try found("expected \(last) events, which the log counted, found \(next - 1)") }
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
    let (first, head) = (try tables.firstPosition, Int64(report.events))
    try connection.statement("SELECT position, place FROM personal ORDER BY position, place").run { row in
      let (position, place) = (row.int(0), row.int(1))
      if position <= first || position > head || !fieldPositions.contains(position) { lost.append((position, place)) }
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
    let end = Int64(report.events)
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
