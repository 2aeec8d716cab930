import Annals
import AnnalsSQLite
import Foundation

extension Subcommand.Option {
  /// The options of subcommands whose changes cannot be undone.
  static let beforeRewriting = [
    Subcommand.Option("--dry-run", "Say what would be done, and change nothing."),
    Subcommand.Option("--yes", "Do not ask. Without a terminal to ask on, it is needed."),
  ]
}

extension Session {
  /// Asks whether to do what cannot be taken back.
  ///
  /// - Parameters:
  ///   - what: What is about to be done, a sentence; it is made only if someone is asked.
  ///   - patience: For how many seconds to wait for the answer; nil for ever.
  /// - Throws: ``ReplayError`` with status 1 if the answer is no, and with status 2 if there is no one to ask.
  func ask(_ what: @autoclosure () throws -> String, within patience: Double? = nil) throws {
    if arguments.has("--yes") { return }
    guard console.inputIsTerminal else {
      throw ReplayError.usage(
        "\(RemoteLog.shown(arguments.operands[0])): this cannot be taken back, and the input is no terminal to ask on; "
          + "give --yes, or --dry-run to see what would be done")
    }
    console.ask("\(try what())\nGo on? (yes or no) ")
    var answer = Data()
    let end = patience.map { console.clock() + $0 }
    while !answer.contains(0x0A) {
      while let end, !console.inputIsReady() {
        if console.clock() >= end { throw ReplayError(.negative, "there was no answer, and nothing was changed") }
        Thread.sleep(forTimeInterval: 0.05)
      }
      let more = try console.input()
      if more.isEmpty { break }
      answer += more
    }
    let words = String(decoding: answer, as: UTF8.self).split(whereSeparator: \.isWhitespace).map { $0.lowercased() }
    guard words == ["yes"] || words == ["y"] else { throw ReplayError(.negative, "nothing was changed") }
  }

}
