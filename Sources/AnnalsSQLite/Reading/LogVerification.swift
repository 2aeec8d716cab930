import Annals

/// A verification of a whole log, in one state of it.
///
/// The log can be damaged in any way, or have a hostile author. So every number is compared with the valid range
/// before it is used in a computation.
struct LogVerification {
  private struct Enough: Error {}

  let connection: SQLiteConnection
  var report = LogReport()
  /// The maximum number of reported problems.
  private static let limit = 100

  /// The number of compactions with their end, and the number of the last compacted transaction.
  var compacted = CompactedHistory.none
  var compactedTransaction = 0
  /// The positions of removed events, in order.
  var gaps: [(first: Int, last: Int)] = []
  /// The versions of streams whose last events were removed.
  var cutVersions: [Int64: Int] = [:]
  /// The log's last position.
  var head = 0
  /// The numbers of missing events up to the horizon, according to positions and to versions.
  var (missingPositions, missingVersions) = (0, 0)
  /// The number of tags that the events have.
  var tagCount = 0
  /// True once all events were read.
  var hasReadEvents = false
  /// The reported problems of the file itself, which are reported once because a damaged page makes many checks fail.
  private var told: Set<String> = []
  /// The positions of events that might have personal fields, which is checked when they are read.
  var fieldPositions: Set<Int64> = []

  init(_ connection: SQLiteConnection) {
    self.connection = connection
  }

  mutating func run(mayLackCommits: Bool, _ progress: (Int) throws -> Void) throws -> LogReport {
    // One state of the log, because other processes can append during the verification.
    try connection.execute("BEGIN")
    defer { connection.rollback() }
    do {
      if mayLackCommits {
        try found(
          "the log was copied, or moved, while a program had it open, and without the file of commits beside it "
            + "(-wal): what was committed last may be missing; copy an open log with its -wal, or with a backup")
      }
      try step { try $0.checkFile() }
      try step { try $0.checkSchema() }
      // The log is not read through tables that are not Annals' own.
      if hasForeignTables { return report }
      try step { try $0.readCompactions() }
      try step { try $0.checkEvents(progress) }
      try step { try $0.checkCommands() }
      try step { try $0.checkCheckpoints() }
      try step { try $0.checkSaved() }
      // Comparisons with all events need all of them.
      guard hasReadEvents else { return report }
      try step { try $0.checkTags() }
      try step { try $0.checkTypes() }
      try step { try $0.checkIDs() }
      try step { try $0.checkPersonal() }
      try step { try $0.checkCuts() }
    } catch is Enough {}
    return report
  }

  /// Runs a part of the verification.
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

  /// Returns a number that counts from 0, or reports an invalid number and returns 0.
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
  /// Adds a number, and clamps the sum to the range of integers.
  mutating func addUpToEnd(_ other: Int) {
    let (sum, isOver) = addingReportingOverflow(other)
    self = isOver ? (other > 0 ? .max : .min) : sum
  }
}
