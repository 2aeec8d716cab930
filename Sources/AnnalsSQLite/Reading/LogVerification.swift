import AnnalsLog

/// A verification of a whole log, which reads one snapshot of the log.
///
/// The log can be damaged in any way, or have a hostile author. So every number is compared with its valid range before
/// it is used in a computation.
struct LogVerification {
  private struct Enough: Error {}

  let connection: SQLiteConnection
  var report = LogReport()
  /// The maximum number of reported problems.
  private static let limit = 100

  /// The number of compactions and the compacted position, and the number of the last compacted transaction.
  var compacted = CompactedHistory.none
  var compactedTransaction = 0
  /// The ranges of removed events' positions, in order.
  var gaps: [(first: Int, last: Int)] = []
  /// The versions of streams whose last events were removed, by the streams' keys.
  var cutVersions: [Int64: Int] = [:]
  /// The log's last position.
  var head = 0
  /// The numbers of missing events up to the compacted position, counted by positions and counted by streams' versions.
  var (missingPositions, missingVersions) = (0, 0)
  /// The total number of the events' tags.
  var tagCount = 0
  /// True once all events were read.
  var hasReadEvents = false
  /// Descriptions of the file's own problems that were already reported.
  ///
  /// Each is reported once, because a damaged page makes many checks fail.
  private var told: Set<String> = []
  /// The positions of events that might have personal fields, as determined when the events are read.
  var fieldPositions: Set<Int64> = []
  /// The checks of indexes that are made while the events are read.
  var typeIndex: TypeIndexCheck
  var idIndex: IDIndexCheck

  init(_ connection: SQLiteConnection) {
    self.connection = connection
    typeIndex = TypeIndexCheck(connection)
    idIndex = IDIndexCheck(connection)
  }

  mutating func run(
    mayLackCommits: Bool, _ progress: (Int) throws -> Void, _ visit: ((EventBatch) throws -> Void)? = nil
  ) throws -> LogReport {
    // SQLite's check looks up every event in all indexes. With SQLite's own 2 MB of memory for pages, most look-ups in
    // an index of a long log read a page from the file, and verify the page's checksum. A verification took 5.1 µs per
    // event of 100,000 events, but 9.8 µs per event of 1,000,000 events.
    try connection.execute("PRAGMA cache_size = -65536")
    // The transaction keeps one snapshot of the log, because other processes can append during the verification.
    try connection.execute("BEGIN")
    defer { connection.rollback() }
    do {
      if mayLackCommits {
        try found(
          "the log was copied or moved while a program had the log open. The write-ahead log (-wal) was not copied or "
            + "moved, so the last commits may be missing. Copy an open log together with its -wal file, or make a "
            + "backup")
      }
      try step { try $0.checkFile() }
      try step { try $0.checkSchema() }
      // The log is not read through tables that Annals didn't create.
      if hasForeignTables { return report }
      try step { try $0.readCompactions() }
      try step { try $0.checkEvents(progress, visit) }
      try step { try $0.checkCommands() }
      try step { try $0.checkCheckpoints() }
      try step { try $0.checkSaved() }
      // The next checks compare other data with all events, so all events must have been read.
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
  /// If SQLite itself can't continue, the failure is reported as a problem.
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

  /// Returns a number that is counted from 0, or reports a problem and returns 0 if the number is invalid.
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
  /// Adds a number, and limits the sum to the range of integers.
  mutating func addUpToEnd(_ other: Int) {
    let (sum, isOver) = addingReportingOverflow(other)
    self = isOver ? (other > 0 ? .max : .min) : sum
  }
}
