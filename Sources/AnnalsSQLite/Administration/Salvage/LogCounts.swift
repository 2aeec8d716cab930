import AnnalsLog

/// The numbers of a log's events, receipts and other rows, which are compared after the log was copied.
struct LogCounts: Hashable, CustomStringConvertible {
  let head: Int64
  let events: Int64
  let commands: Int64
  let checkpoints: Int64
  let personal: Int64
  let draftCommands: Int64

  init(_ connection: SQLiteConnection) throws {
    func count(_ table: String) throws -> Int64 {
      try connection.hasTable(table) ? connection.int("SELECT count(*) FROM \(table)") ?? 0 : 0
    }
    head = Int64(try EventReader(connection).head().rawValue)
    (events, commands, checkpoints) = (try count("event"), try count("command"), try count("checkpoint"))
    (personal, draftCommands) = (try count("personal"), try count("draft_command"))
  }

  var description: String {
    "\(events) events up to position \(head), \(commands) command receipts, \(checkpoints) checkpoints, \(personal) "
      + "personal values and \(draftCommands) draft commands"
  }

  /// Throws unless a log file is undamaged and has the same counts.
  ///
  /// No connection may have the file open.
  func check(_ file: String) throws {
    let connection = try SQLiteConnection(path: file, access: .immutable)
    defer { connection.close() }
    let opened = try Schema.opened(connection, path: file)
    try connection.readAllPages()
    let found = try connection.read { try LogCounts(connection) }
    guard found == self else {
      throw EventStoreError(
        .io, "\(file): the new log must contain \(self), but contains \(found). Check the disk and retry")
    }
    var verification = LogVerification(connection)
    let report = try verification.run(mayLackCommits: opened.isOpen) { _ in }
    if let problem = report.problems.first {
      throw EventStoreError(
        .io, "\(file): the new log differs from the written data: \(problem); check the disk and retry")
    }
  }
}
