import Annals
import AnnalsSQLite
import Foundation

/// One run of a subcommand: its arguments, and where its output goes.
struct Session {
  /// What the tool is called in messages: an app's own tool has a name of its own.
  let tool: String
  let console: Console
  let arguments: Arguments
  let output: LineWriter

  var isJSON: Bool { arguments.has("--json") }

  /// The log, for reading only.
  func openLog() throws -> SQLiteEventStore {
    try LogFile.check(arguments.operands[0])
    return try SQLiteEventStore(readingFrom: arguments.operands[0])
  }

  /// An existing log, for writing.
  ///
  /// A command that does not begin a log must not create one.
  func existingLog() throws -> SQLiteEventStore { try LogFile.openExisting(arguments.operands[0]) }

  /// The position that an option names.
  ///
  /// A position past the log's end is an error, and so is one whose state is compacted.
  func position(_ name: String, end: Position, in compacted: CompactedHistory = .none) throws -> Position? {
    guard let number = try arguments.number(name) else { return nil }
    guard number <= end.rawValue else {
      throw ReplayError.usage("\(name) \(number) is past the end: the log's last position is \(end)")
    }
    guard compacted.shows(Position(number)) else {
      throw ReplayError.usage(
        "\(name) \(number) cannot be shown: the history before position \(compacted.horizon) was compacted; 0 can, and "
          + "positions from \(compacted.horizon) on")
    }
    return Position(number)
  }

  /// Throws if another writer rewrote the log while it was read, so that a part of the output shows the former log.
  func forEachEvent(
    of store: some EventStore, after: Position = 0, through: Position, _ body: (StoredEvent) throws -> Void
  ) throws {
    do {
      try store.forEachEvent(after: after, through: through, body)
    } catch let error as EventStoreError where error.code == .rewritten {
      throw ReplayError(
        .inputOutput,
        "the log was compacted, or something was erased from it, while it was read, and what was printed is a part of "
          + "each; run it again")
    }
  }

  /// Prints which events were skipped, if any.
  func tell(of strangers: Strangers) {
    if let sentence = strangers.sentence { say(Text.safe(sentence)) }
  }

  func print(_ line: String) throws {
    try output.write(line)
  }

  /// Prints a line of JSON.
  ///
  /// On a terminal, characters that would control it become JSON escapes of the same value.
  func printJSON(_ line: String) throws {
    try output.write(console.outputIsTerminal ? Text.safeJSON(line) : line)
  }

  /// Prints a message beside the data.
  func say(_ line: String) {
    console.talk(line + "\n")
  }
}
