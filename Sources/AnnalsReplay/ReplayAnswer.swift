import Foundation

/// The output of a ``ReplayTool``, which you can use in tests of your tool or show in your app.
public struct ReplayAnswer: Hashable, Sendable {
  /// The exit status.
  ///
  /// The values are 0 for success, 1 for a negative result (for example, a search without a match), 2 for a usage
  /// error, 3 for unreadable or corrupt data, 4 for an input or output error, and 5 for a log whose format is newer
  /// than the tool.
  public let status: Int32
  /// The data that the tool would write to standard output.
  public let output: String
  /// The messages that the tool would write to standard error.
  public let messages: String
}

extension ReplayTool {
  /// Runs the tool with command-line arguments, and collects its output.
  ///
  ///     let answer = tool.answer(to: ["show", log, "--where", "price > 50", "--json"])
  ///
  /// This method never returns for a subcommand that runs until the user ends it, such as `log --follow`.
  ///
  /// - Parameters:
  ///   - words: The arguments after the tool's name: the subcommand, its operands and options.
  ///   - input: The contents of standard input.
  /// - Returns: The exit status, and the contents of standard output and standard error as strings.
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
