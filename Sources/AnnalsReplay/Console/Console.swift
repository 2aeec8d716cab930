package import Foundation

/// What the tool takes from its environment and gives to it.
///
/// Tests replace each part with their own.
package struct Console {
  /// Writes data.
  package var output: (Data) throws -> Void
  /// Writes messages for people.
  package var talk: (String) -> Void
  /// Writes a question for people, which `--quiet` does not leave out.
  var ask: (String) -> Void
  /// Reads the next bytes of the input; no bytes at its end.
  package var input: () throws -> Data
  /// True if the input has bytes, or is at its end, so that you do not wait for them.
  package var inputIsReady: () -> Bool = { true }
  /// True if the reader of the data is gone.
  ///
  /// You can ask before you write anything.
  package var outputIsGone: () -> Bool = { false }
  /// Prepares for the end of the process while a log is open for reading.
  package var willRead: () -> Void = {}
  /// Prepares for the end of the process during an import, which ends with a message.
  package var willWrite: () -> Void = {}
  /// True if a person types the input.
  package var inputIsTerminal = false
  /// True if data goes to a terminal.
  package var outputIsTerminal = false
  /// True if messages go to a terminal.
  package var talkIsTerminal = false
  /// The size of the terminal now, in columns and rows; nil if there is none, or if it does not know.
  package var size: () -> (columns: Int, rows: Int)? = { nil }
  /// Starts a program that shows what it reads page by page, by a shell's command; nil if it cannot be started.
  package var pager: (_ command: String, _ environment: [String: String]) -> Pager? = { _, _ in nil }
  /// The number of events from which a log gets indexes.
  package var indexFrom = 20_000
  /// The size in bytes of the largest page that is written.
  package var largestPage = 20_000_000
  /// The environment's variables.
  package var environment: [String: String] = [:]
  /// The folder for files that are removed at the end.
  package var temporaryFolder = FileManager.default.temporaryDirectory
  /// The time in seconds, to measure how long something takes.
  package var clock: () -> Double = { Console.seconds() }

  /// The moment, which relative times count from.
  package var now: @Sendable () -> Date = { Date() }
  /// The zone of times that say none.
  package var zone: TimeZone = .current
  /// Whether what is printed for people has colours.
  var colour = ColourChoice.auto
  /// How a long task says how far it is.
  var progress = ProgressChoice.auto
  /// The line that says how far a task is.
  let statusLine: StatusLine
  /// Whether the run has reported wrong times.
  let times = Once()
  /// The regular expressions of the run.
  let patterns = TextPatterns()

  package init(
    output: @escaping (Data) throws -> Void, talk: @escaping (String) -> Void, input: @escaping () throws -> Data
  ) {
    // The line is gone before anything else is written.
    let line = StatusLine(talk)
    statusLine = line
    self.output = {
      line.clear()
      try output($0)
    }
    ask = {
      line.clear()
      talk($0)
    }
    self.talk = ask
    self.input = input
  }

  private static let beginning = ContinuousClock.now

  /// Returns the number of seconds since the first call.
  static func seconds() -> Double { beginning.duration(to: .now) / .seconds(1) }

  /// The console of the process itself.
  static var standard: Console {
    // Before anything is opened: a file that is opened later would take the number of a closed channel.
    let isOpen = (0..<3).map { Platform.isOpen($0) }
    Platform.holdChannels()
    var console = Console(
      output: {
        if Platform.EndSignal.status != nil { throw Ended() }
        guard isOpen[1] else { throw ReplayError(.inputOutput, "the standard output is closed") }
        let error = try Platform.writeUnlessEnded($0, to: 1)
        if error == Platform.brokenPipe { throw BrokenPipe() }
        if error != 0 {
          throw ReplayError(
            .inputOutput,
            "the standard output cannot be written: \(Platform.words(for: error)); what was printed is not all")
        }
      },
      talk: {
        // What was read before the end would be said as if it were all.
        if Platform.EndSignal.status == nil { _ = Platform.writeAll(Data($0.utf8), to: 2) }
      },
      input: {
        guard isOpen[0] else { throw ReplayError(.inputOutput, "the standard input is closed") }
        try Platform.waitUnlessEnded(for: 0)
        // FileHandle waits until it has all bytes that it asks for: a line that you type would not come.
        let (bytes, error) = Platform.Terminal.readInput(1 << 16)
        if error != 0 {
          throw ReplayError(.inputOutput, "the standard input cannot be read: \(Platform.words(for: error))")
        }
        return Data(bytes)
      })
    console.willRead = { Platform.EndSignal.endReading() }
    console.willWrite = { _ = Platform.EndSignal() }
    console.inputIsReady = { Platform.isReady(0) }
    console.outputIsGone = { Platform.isGone(1) }
    console.inputIsTerminal = Platform.isTerminal(0)
    console.outputIsTerminal = Platform.isTerminal(1)
    console.talkIsTerminal = Platform.isTerminal(2)
    // If the data goes elsewhere, the messages may still go to the terminal.
    console.size = { Platform.size(of: 1) ?? Platform.size(of: 2) }
    console.pager = { Platform.pager($0, $1) }
    console.environment = ProcessInfo.processInfo.environment
    return console
  }
}

/// A thing that is done once in a run.
final class Once {
  private var isDone = false

  /// Returns true at the first call.
  func isNew() -> Bool {
    defer { isDone = true }
    return !isDone
  }
}
