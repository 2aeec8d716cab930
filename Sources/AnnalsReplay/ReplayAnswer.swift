import Foundation

/// What a tool answered: for tests of your tool, and for a screen of your app that shows it.
public struct ReplayAnswer: Hashable, Sendable {
  /// The exit status: 0 yes, 1 a negative answer, 2 usage, 3 unreadable or corrupt, 4 input or output, 5 a format newer
  /// than the tool.
  public let status: Int32
  /// The data, as the standard output would have it.
  public let output: String
  /// What was said beside the data, as the standard error would have it.
  public let messages: String
}

extension ReplayTool {
  /// Runs with the words that follow the tool's name, and collects what it prints.
  ///
  ///     let answer = tool.answer(to: ["show", log, "--where", "price > 50", "--json"])
  ///
  /// A subcommand that runs until it is ended, such as `follow`, does not return.
  ///
  /// - Parameters:
  ///   - words: The subcommand, its operands and options.
  ///   - input: What the standard input would have.
  /// - Returns: The status and the texts.
  public func answer(to words: [String], input: String = "") -> ReplayAnswer {
    var (output, messages, rest) = (Data(), "", Data(input.utf8))
    let console = Console(
      output: { output.append($0) }, talk: { messages += $0 },
      input: {
        defer { rest = Data() }
        return rest
      })
    let status = run(words, on: console)
    return ReplayAnswer(status: status, output: String(decoding: output, as: UTF8.self), messages: messages)
  }
}
