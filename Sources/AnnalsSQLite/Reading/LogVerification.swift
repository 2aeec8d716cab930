import Annals

/// A check of everything in a log, in one state of it.
///
/// The log may be damaged in any way, or be made by a hostile author. So each number is compared with what a log can
/// have before it is used in a computation.
struct LogVerification {
  private struct Enough: Error {}

  let connection: SQLiteConnection
  var report = LogReport()
  /// How many problems are reported at most.
  private static let limit = 100

  /// How often the log was compacted, and up to where; the number of the last transaction up to there.
  var compacted = CompactedHistory.none
  var compactedTransaction = 0
  /// The positions that were cut, in order.
  var gaps: [(first: Int, last: Int)] = []
  /// The versions of streams whose last events were cut.
  var cutVersions: [Int64: Int] = [:]
  /// The log's last position.
  var head = 0
  /// How many events are missing up to the horizon: by their positions, and by their versions.
  var (missingPositions, missingVersions) = (0, 0)
  /// How many tags the events have.
  var tagCount = 0
  /// True once all events were read.
  var hasReadEvents = false
  /// What was reported of the file itself, so that it is reported once: one damaged page makes many checks fail.
  private var told: Set<String> = []
  /// The positions of events that may have personal fields; whether they do is checked when they are read.
  var fieldPositions: Set<Int64> = []

  init(_ connection: SQLiteConnection) {
    self.connection = connection
  }

  mutating func run(mayLackCommits: Bool, _ progress: (Int) throws -> Void) throws -> LogReport {
    // One state of the log: others may append meanwhile.
    try connection.execute("BEGIN")
    defer { connection.rollback() }
    do {
      if mayLackCommits {
        try found(
          "the log was copied or moved while a program had it open, and without its write-ahead log (-wal): the last "
            + "commits may be missing; copy an open log with its -wal, or with a backup")
      }
      try step { try $0.checkFile() }
      try step { try $0.checkSchema() }
      // Nothing is read through tables that are not Annals' own.
      if hasForeignTables { return report }
      try step { try $0.readCompactions() }
      try step { try $0.checkEvents(progress) }
      try step { try $0.checkCommands() }
      try step { try $0.checkCheckpoints() }
      try step { try $0.checkSaved() }
      // What is compared with all events needs all of them.
      guard hasReadEvents else { return report }
      try step { try $0.checkTags() }
      try step { try $0.checkTypes() }
      try step { try $0.checkIDs() }
      try step { try $0.checkPersonal() }
      try step { try $0.checkCuts() }
    } catch is Enough {}
    return report
  }

  /// Runs a part of the check.
  ///
  /// If SQLite itself cannot continue, that is one of the problems.
  private mutating func step(_ body: (inout LogVerification) throws -> Void) throws {
    do {
      try body(&self)
    } catch let error as EventStoreError where error.code == .corrupt || error.code == .notALog || error.code == .io {
      if told.insert(error.message).inserted { try found(error.message) }
    }
  }

  mutating func found(_ message: String, at position: Int64? = nil) throws {
    let place = position.flatMap { $0 >= 0 && $0 <= LogNumber.most ? Position(Int($0)) : nil }
    report.problems.append(.init(position: place, message: message))
    if report.problems.count >= Self.limit { throw Enough() }
  }

  /// A number of the file that counts from 0; one that no log can have is a problem, and counts as 0.
  mutating func number(_ number: Int64, _ what: @autoclosure () -> String) throws -> Int {
    if number >= 0, number <= LogNumber.most { return Int(number) }
    try found("expected \(what()) to be a number from 0 to \(LogNumber.most), found \(number)")
    return 0
  }

  private var hasForeignTables = false

  private mutating func checkFile() throws {
    var messages: [String] = []
    try connection.statement("PRAGMA integrity_check(20)").run { row in
      if let text = row.text(0), text != "ok" { messages.append(text) }
    }
    for message in messages { try found("SQLite's integrity check found: \(message)") }
  }

  private mutating func checkSchema() throws {
    let check = try SchemaCheck(connection, format: connection.format)
    hasForeignTables = !check.faults.isEmpty
    for sentence in check.faults + check.oddities { try found(sentence) }
  }
}

extension Int {
  /// Adds, and stays at the end of the integers where the sum is beyond it.
  mutating func addUpToEnd(_ other: Int) {
    let (sum, isOver) = addingReportingOverflow(other)
    self = isOver ? (other > 0 ? .max : .min) : sum
  }
}
