import Foundation

/// The output on a terminal: as it is if it fits on the screen, and else by a pager.
///
/// Up to a screen is held back, so that nothing is started for a short answer. Messages wait in their order, because
/// the pager has the terminal.
final class PagedOutput {
  private let console: Console
  private let command: String
  /// How many rows of the screen are left before a pager is needed.
  private var room: Int
  private let columns: Int
  private var held: [(isTalk: Bool, data: Data)] = []
  private var pager: Pager?
  private var isHolding = true

  /// nil if the output goes to no terminal, or if no pager can be had.
  init?(_ console: Console) {
    guard console.outputIsTerminal, !console.isDumb, let command = Pager.command(console.environment) else {
      return nil
    }
    self.console = console
    self.command = command
    // The prompt after the output takes a row too.
    (room, columns) = (console.terminalRows - 1, console.terminalColumns)
  }

  func write(_ data: Data) throws { try take(data, isTalk: false) }

  /// If the pager is gone, the next data say so.
  func talk(_ text: String) {
    if !console.talkIsTerminal { return console.talk(text) }
    try? take(Data(text.utf8), isTalk: true)
  }

  /// Prints what is held back, or waits until you have ended the pager.
  func end() throws {
    if let pager { pager.end() } else { try release() }
    console.statusLine.isMuted = false
  }

  private func take(_ data: Data, isTalk: Bool) throws {
    if let pager { return try pager.write(data) }
    if !isHolding { return try print(data, isTalk) }
    held.append((isTalk, data))
    room -= rows(data)
    guard room < 0 else { return }
    console.statusLine.clear()
    pager = console.pager(command, Pager.environment(console.environment))
    guard let pager else { return try release() }
    console.statusLine.isMuted = true
    let all = held.reduce(into: Data()) { $0.append($1.data) }
    held = []
    try pager.write(all)
  }

  private func release() throws {
    isHolding = false
    let pieces = held
    held = []
    for piece in pieces { try print(piece.data, piece.isTalk) }
  }

  private func print(_ data: Data, _ isTalk: Bool) throws {
    if isTalk { console.talk(String(decoding: data, as: UTF8.self)) } else { try console.output(data) }
  }

  /// The number of rows that lines take; more than there is room for is not counted.
  private func rows(_ data: Data) -> Int {
    var count = 0
    for line in data.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
      if count > room { break }
      // Colours take no columns.
      let text = String(decoding: line, as: UTF8.self).replacing(#/\u{1B}\[[0-9;]*m/#, with: "")
      count += max(1, (Text.width(text) + columns - 1) / max(1, columns))
    }
    return count
  }
}
