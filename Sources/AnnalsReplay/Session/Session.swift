import Annals
import AnnalsLog
import AnnalsSQLite
import Foundation

/// One run of a subcommand: its arguments, and where its output goes.
struct Session {
  /// What the tool is called in messages: an app's own tool has a name of its own.
  let tool: String
  /// The version of Annals.
  static let annalsVersion = "0.1.0"
  /// The version that pages and files say they were made by.
  var version = Session.annalsVersion
  /// What the tool knows of the app.
  let catalog: ReplayCatalog
  let console: Console
  let arguments: Arguments
  let output: LineWriter

  /// The table of the values that the run prints as data.
  let openTable = OpenTable()

  /// True if the output is for programs, as JSON or as a table.
  var isData: Bool { format != .text }

  /// How times are shown to people.
  var times: TimeStyle {
    switch arguments.value("--time") {
    case "utc": TimeStyle(.utc)
    case "relative": TimeStyle(.relative(console.now))
    case "none": TimeStyle(.none)
    default: TimeStyle(.local(console.zone))
    }
  }

  /// The log, for reading only, in whatever store the app has it.
  func openStore() throws -> any EventStore { try openStore(arguments.operands[0]) }

  /// A log of a name, for reading only, in whatever store the app has it.
  func openStore(_ name: String) throws -> any EventStore {
    if let open = catalog.open { return try open(name, true) }
    console.willRead()
    return try LogFile.openReading(name)
  }

  /// The log's file, for reading only.
  func openLog() throws -> SQLiteEventStore {
    console.willRead()
    return try LogFile.openReading(arguments.operands[0])
  }

  /// The log on a server that a URL names.
  ///
  /// - Parameter creates: True if a log that is not there is made.
  /// - Returns: The log; nil if a file is named.
  /// - Throws: What opening it throws.
  func serverLog(creates: Bool = false) throws -> ServerLog? {
    let name = arguments.operands[0]
    guard RemoteLog.scheme(of: name) != nil, Platform.file(name) == nil else { return nil }
    return try RemoteLog(name, tool: tool, catalog).connect(creates: creates)
  }

  /// An existing log, for appending, in whatever store the app has it.
  func writableStore() throws -> any EventStore {
    if let open = catalog.open { return try open(arguments.operands[0], false) }
    return try existingLog()
  }

  /// An existing log, for writing.
  ///
  /// A command that does not begin a log must not create one.
  func existingLog() throws -> SQLiteEventStore { try LogFile.openExisting(arguments.operands[0]) }

  /// Throws if another writer rewrote the log while it was read, so that a part of the output shows the former log.
  func forEachEvent(
    of store: some EventStore, _ query: EventQuery = .all, after: Position = 0, through: Position,
    _ body: (StoredEvent) throws -> Void
  ) throws {
    try forEachBatch(of: store, query, after: after, through: through) { batch in
      for index in 0..<batch.count { try body(batch.event(at: index)) }
    }
  }

  /// The same with batches, for those who look at most events' bytes alone.
  func forEachBatch(
    of store: some EventStore, _ query: EventQuery = .all, after: Position = 0, through: Position,
    _ body: (EventBatch) throws -> Void
  ) throws {
    do {
      try store.forEachBatch(query, after: after, through: through, body)
    } catch let error as EventStoreError where error.code == .rewritten {
      throw rewritten
    }
  }

  /// The log became another one while it was read.
  var rewritten: ReplayError {
    ReplayError(
      .inputOutput,
      "the log was compacted, or something was erased from it, while it was read, and what was printed is a part of "
        + "each; run it again")
  }

  /// Prints a line of text for people, without characters that would control a terminal.
  ///
  /// The callers make the texts of the log safe before they cut them to a width. This is for texts that they missed.
  func print(_ line: String) throws { try output.write(Text.safeStyled(line)) }

  /// Prints a line of JSON.
  ///
  /// On a terminal, characters that would control it become JSON escapes of the same value.
  func printJSON(_ line: String) throws {
    try output.write(console.outputIsTerminal ? Text.safeJSON(line) : line)
  }

  /// Lines of lists, changes and events, in the form for the terminal.
  var textLines: TextLines { TextLines(console, times, catalog) }

  /// Prints text that is data for a program, and was made safe for it.
  func printData(_ text: String) throws { try output.write(text) }

  /// Prints a message on standard error, without characters that would control a terminal.
  func say(_ message: String) {
    let lines = message.split(separator: "\n", omittingEmptySubsequences: false).map { Text.safe(String($0)) }
    console.talk(lines.joined(separator: "\n") + "\n")
  }
}
