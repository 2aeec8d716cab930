import Annals
import AnnalsSQLite
import Foundation

/// One run of a subcommand: what it was given, and where its output goes.
struct Session {
  let console: Console
  let arguments: Arguments
  let output: LineWriter

  var isJSON: Bool { arguments.has("--json") }

  /// The log, for reading only.
  func openLog() throws -> SQLiteEventStore {
    try SQLiteEventStore(readingFrom: arguments.operands[0])
  }

  /// A position that an option names; one past the log's end is a mistake.
  func position(_ name: String, end: Position) throws -> Position? {
    guard let number = try arguments.number(name) else { return nil }
    guard number <= end.rawValue else {
      throw ReplayError.usage("\(name) \(number) is past the end: the log's last position is \(end)")
    }
    return Position(number)
  }

  func print(_ line: String) throws {
    try output.write(line)
  }

  /// Says something beside the data.
  func say(_ line: String) {
    console.talk(line + "\n")
  }
}
