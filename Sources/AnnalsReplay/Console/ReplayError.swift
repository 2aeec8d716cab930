package import Annals

/// Why the tool could not do what you asked, and the status that it ends with.
package struct ReplayError: Error {
  /// The exit status of the process.
  ///
  /// `Docs/ToolReference.md` explains each number.
  package enum Status: Int32 {
    case done = 0
    case negative = 1
    case usage = 2
    case unreadable = 3
    case inputOutput = 4
    case newerFormat = 5
    /// The status that a shell shows for a process that SIGHUP, SIGINT, SIGPIPE or SIGTERM ended.
    case hungUp = 129
    case interrupted = 130
    case brokenPipe = 141
    case terminated = 143

    /// The meanings of the statuses in the help pages, the manual page and the reference.
    static let meanings: KeyValuePairs<Status, String> = [
      .done: "success", .negative: "a negative result, for example different lists or damage",
      .usage: "a usage error", .unreadable: "unreadable or damaged data", .inputOutput: "an input or output error",
      .newerFormat: "the log's format is newer than the tool",
    ]
  }

  package let status: Status
  package let message: String

  init(_ status: Status, _ message: String) {
    self.status = status
    self.message = message
  }

  static func usage(_ message: String) -> ReplayError { ReplayError(.usage, message) }

  /// The status of a store's error.
  ///
  /// The message keeps what you can do in a shell, without the library's advice to programmers.
  package init(_ error: EventStoreError) {
    let status: Status =
      switch error.code {
      case .notALog, .corrupt: .unreadable
      case .newerFormat: .newerFormat
      case .versionConflict, .conditionConflict, .tooManyConflicts, .duplicateEvent, .invalidAppend, .unsupported,
        .olderFormat:
        .negative
      default: .inputOutput
      }
    let advice = #/(?:; |, or )[^;,]*(?:SQLiteEventStore|PostgresOptions)\([^)]*\)[^;,\n]*/#
    self.init(status, error.message.replacing(advice, with: ""))
  }
}

extension ReplayError {
  /// The same error; of a damaged log it says too what takes the sound part out of it.
  func advising(of salvage: String, if isFile: Bool) -> ReplayError {
    guard isFile, status == .unreadable, message.contains("damaged") else { return self }
    return ReplayError(status, message + "\n`\(salvage) LOG FILE` copies what is sound into a new log")
  }
}

/// The reader of the output is gone.
package struct BrokenPipe: Error {}
