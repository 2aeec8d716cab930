import Foundation

/// Collects lines for the output, so that several lines need one write.
final class LineWriter {
  private let output: (Data) throws -> Void
  private let patterns: TextPatterns
  private let clock: () -> Double
  /// On a terminal, a line is shown within this many seconds, if another follows.
  private let patience: Double?
  private var last: Double
  private var buffer = Data()

  init(_ console: Console) {
    (output, clock, patterns) = (console.output, console.clock, console.patterns)
    patience = console.outputIsTerminal ? 0.1 : nil
    last = clock()
  }

  /// Writes a line, unless a pattern of the run did not do all of its work: then the line may be a wrong one.
  func write(_ line: String) throws {
    try patterns.check()
    buffer.append(contentsOf: line.utf8)
    buffer.append(0x0A)
    if buffer.count >= 1 << 16 { return try flush() }
    guard let patience else { return }
    let now = clock()
    if now - last >= patience {
      last = now
      try flush()
    }
  }

  /// Writes lines that have their ends.
  func write(lines: Data) throws {
    if buffer.isEmpty {
      if !lines.isEmpty { try output(lines) }
      return
    }
    buffer.append(lines)
    try flush()
  }

  func flush() throws {
    guard !buffer.isEmpty else { return }
    let data = buffer
    buffer = Data()
    try output(data)
  }
}
