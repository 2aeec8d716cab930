package import Foundation

/// What the tool takes from its environment and gives to it.
///
/// Tests replace each part with their own.
package struct Console {
  /// Writes data.
  package var output: (Data) throws -> Void
  /// Writes messages for people.
  package var talk: (String) -> Void
  /// Reads the next bytes of the input; no bytes at its end.
  package var input: () throws -> Data
  /// True if the input has bytes, or is at its end, so that you do not wait for them.
  package var inputIsReady: () -> Bool = { true }
  /// True if the reader of the data is gone.
  ///
  /// You can ask before you write anything.
  package var outputIsGone: () -> Bool = { false }
  /// True if a person types the input.
  package var inputIsTerminal = false
  /// True if data goes to a terminal.
  package var outputIsTerminal = false
  /// True if messages go to a terminal.
  package var talkIsTerminal = false
  /// The environment's variables.
  package var environment: [String: String] = [:]
  /// The folder for files that are removed at the end.
  package var temporaryFolder = FileManager.default.temporaryDirectory
  /// The time in seconds, to measure how long something takes.
  package var clock: () -> Double = { ProcessInfo.processInfo.systemUptime }

  /// The moment, which relative times count from.
  package var now: () -> Date = { Date() }
  /// The zone of times that say none.
  package var zone: TimeZone = .current

  package init(
    output: @escaping (Data) throws -> Void, talk: @escaping (String) -> Void, input: @escaping () throws -> Data
  ) {
    self.output = output
    self.talk = talk
    self.input = input
  }

  /// The console of the process itself.
  static var standard: Console {
    // Before anything is opened: a file that is opened later would take the number of a closed channel.
    let isOpen = (0..<3).map { Platform.isOpen($0) }
    Platform.holdChannels()
    var console = Console(
      output: {
        guard isOpen[1] else { throw ReplayError(.inputOutput, "the standard output is closed") }
        try FileHandle.standardOutput.write(contentsOf: $0)
      },
      talk: { try? FileHandle.standardError.write(contentsOf: Data($0.utf8)) },
      input: {
        guard isOpen[0] else { throw ReplayError(.inputOutput, "the standard input is closed") }
        return try FileHandle.standardInput.read(upToCount: 1 << 16) ?? Data()
      })
    console.inputIsReady = { Platform.isReady(0) }
    console.outputIsGone = { Platform.isGone(1) }
    console.inputIsTerminal = Platform.isTerminal(0)
    console.outputIsTerminal = Platform.isTerminal(1)
    console.talkIsTerminal = Platform.isTerminal(2)
    console.environment = ProcessInfo.processInfo.environment
    return console
  }

  /// True if what is printed for people may have colours (no-color.org).
  var hasColour: Bool {
    outputIsTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
  }

  /// The number of columns of the terminal; nil if lines may be of any length.
  var columns: Int? {
    outputIsTerminal ? environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 20 ? $0 : nil } ?? 80 : nil
  }
}

/// Collects lines for the output, so that several lines need one write.
final class LineWriter {
  private let output: (Data) throws -> Void
  private var buffer = Data()

  init(_ console: Console) {
    output = console.output
  }

  func write(_ line: String) throws {
    buffer.append(contentsOf: line.utf8)
    buffer.append(0x0A)
    if buffer.count >= 1 << 16 { try flush() }
  }

  func flush() throws {
    guard !buffer.isEmpty else { return }
    let data = buffer
    buffer = Data()
    try output(data)
  }
}

/// Shows on a terminal how far a task is, if it takes more than a second.
final class Progress {
  private let console: Console
  private let start: Double
  private var last = 0.0
  private var isShown = false

  init(_ console: Console) {
    self.console = console
    start = console.clock()
  }

  /// Shows how far the task is, at most ten times a second.
  func say(_ text: @autoclosure () -> String) {
    guard console.talkIsTerminal else { return }
    let now = console.clock()
    guard now - start > 1, now - last > 0.1 else { return }
    last = now
    isShown = true
    console.talk("\r\u{1B}[K" + text())
  }

  /// Shows at once what is about to be done, which does not say how far it is.
  func show(_ text: @autoclosure () -> String) {
    guard console.talkIsTerminal else { return }
    isShown = true
    console.talk("\r\u{1B}[K" + text())
  }

  /// Removes the line.
  func end() {
    if isShown { console.talk("\r\u{1B}[K") }
    isShown = false
  }
}
