package import Foundation

/// What the tool takes from its surroundings and gives to them; tests put their own in its place.
package struct Console {
  /// Takes data.
  package var output: (Data) throws -> Void
  /// Takes talk.
  package var talk: (String) -> Void
  /// Answers the next bytes of the input, none at its end.
  package var input: () throws -> Data
  /// Tells whether whoever took the data is gone, before anything is written.
  package var outputIsGone: () -> Bool = { false }
  /// True if data goes to a terminal.
  package var outputIsTerminal = false
  /// True if talk goes to a terminal.
  package var talkIsTerminal = false
  /// The environment's variables.
  package var environment: [String: String] = [:]
  /// Where files lie that are removed at the end.
  package var temporaryFolder = FileManager.default.temporaryDirectory
  /// Answers a time in seconds, to know how long something takes.
  package var clock: () -> Double = { ProcessInfo.processInfo.systemUptime }

  package init(
    output: @escaping (Data) throws -> Void, talk: @escaping (String) -> Void, input: @escaping () throws -> Data
  ) {
    self.output = output
    self.talk = talk
    self.input = input
  }

  /// The process's own.
  static var standard: Console {
    // Before anything is opened, which would take the number of a closed channel.
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
    console.outputIsGone = { Platform.isGone(1) }
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

/// Collects lines for the output, so that each is not a write of its own.
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

/// Says on a terminal how far something is that takes over a second.
final class Progress {
  private let console: Console
  private let start: Double
  private var last = 0.0
  private var isShown = false

  init(_ console: Console) {
    self.console = console
    start = console.clock()
  }

  /// Says how far it is, ten times a second at most.
  func say(_ text: @autoclosure () -> String) {
    guard console.talkIsTerminal else { return }
    let now = console.clock()
    guard now - start > 1, now - last > 0.1 else { return }
    last = now
    isShown = true
    console.talk("\r\u{1B}[K" + text())
  }

  /// Takes the line away.
  func end() {
    if isShown { console.talk("\r\u{1B}[K") }
    isShown = false
  }
}
