import Annals
import Foundation

/// The replay tool: imports, exports, shows and replays logs.
///
/// `Docs/Tool.md` explains its subcommands. An executable around it is one line: `ReplayTool.main()`.
public struct ReplayTool {
  private let name: String
  private let console: Console

  package init(_ console: Console, name: String = "annals") {
    (self.console, self.name) = (console, name)
  }

  /// Runs with the process's arguments, and ends the process with the resulting status.
  public static func main() -> Never {
    exit(ReplayTool(.standard).run(Array(CommandLine.arguments.dropFirst())))
  }

  /// Runs with the words that follow the tool's name.
  ///
  /// - Parameter words: The subcommand, its operands and options.
  /// - Returns: The status: 0 yes, 1 a negative answer, 2 usage, 3 unreadable or corrupt, 4 input or output, 5 a format
  ///   newer than the tool.
  package func run(_ words: [String]) -> Int32 {
    do {
      return try status(of: words).rawValue
    } catch let error as ReplayError {
      return fail(error)
    } catch let error as EventStoreError {
      return fail(ReplayError(error))
    } catch {
      if Self.isBrokenPipe(error) { return ReplayError.Status.brokenPipe.rawValue }
      return fail(ReplayError(.inputOutput, "\(error.localizedDescription)"))
    }
  }

  static let version = "0.1.0"

  /// The subcommands as help lists them.
  static let groups: [SubcommandGroup] = [
    SubcommandGroup("Showing", isPaged: true, [.show, .events, .replay, .follow.live, .export, .stats]),
    SubcommandGroup("Comparing", isPaged: true, [.diff]),
    SubcommandGroup("Changing", [.insert, .update, .delete, .renameSection, .import, .git]),
    SubcommandGroup("Keeping safe", [.verify, .compact, .erase]),
    SubcommandGroup("About", isPaged: true, [.help { groups }, .completions { groups }, man, .demo.live]),
  ]

  private static let man = Subcommand.man(version: version) { groups }

  static var subcommands: [Subcommand] { groups.flatMap(\.subcommands) }

  private func status(of words: [String]) throws -> ReplayError.Status {
    // The options of every subcommand may stand before its name.
    let first = Arguments.leadingOptions(words)
    var rest = words.dropFirst(first.count)
    guard var word = rest.popFirst() else {
      if !first.isEmpty { throw ReplayError.usage("\(name) needs a subcommand\n\(name) --help lists them") }
      console.talk(HelpPage(tool: name, on: console).lines(of: Self.groups).joined(separator: "\n") + "\n")
      return .usage
    }
    if word == "--version" {
      try console.output(Data("\(name) \(Self.version)\n".utf8))
      return .done
    }
    if word == "--help" || word == "-h" { word = "help" }
    let subcommand = try Self.groups.subcommand(word, tool: name)
    let arguments = try Arguments(first + rest, of: subcommand, tool: name)
    if !arguments.has("--help") { return try run(subcommand, arguments) }
    let help = try Self.groups.subcommand("help", tool: name)
    return try run(help, Arguments(first + [subcommand.name], of: help, tool: name))
  }

  private func run(_ subcommand: Subcommand, _ arguments: Arguments) throws -> ReplayError.Status {
    var console = console.adopting(arguments)
    let paged = subcommand.isPaged && !arguments.has("--no-pager") ? PagedOutput(console) : nil
    if let paged { (console.output, console.talk) = (paged.write, paged.talk) }
    let output = LineWriter(console)
    if console.outputIsTerminal {
      // A message stands after the lines that were printed before it.
      let talk = console.talk
      console.talk = {
        try? output.flush()
        talk($0)
      }
    }
    let result = Result {
      try subcommand.run(Session(tool: name, console: console, arguments: arguments, output: output))
    }
    // The output before an error was correct, and shows how far the tool came.
    let flushed = Result {
      defer { console.statusLine.clear() }
      try output.flush()
    }
    let ended = Result { try paged?.end() }
    do {
      let status = try result.get()
      try flushed.get()
      try ended.get()
      return status
    } catch is Pager.Quit {
      // You have seen what you wanted.
      return .done
    }
  }

  private func fail(_ error: ReplayError) -> Int32 {
    console.talk(
      "\(name): " + error.message.split(separator: "\n").map { Text.safe(String($0)) }.joined(separator: "\n") + "\n")
    return error.status.rawValue
  }

  private static func isBrokenPipe(_ error: any Error) -> Bool {
    var error: NSError? = error as NSError
    while let current = error {
      if current.domain == NSPOSIXErrorDomain, current.code == Int(Platform.brokenPipe) { return true }
      error = current.userInfo[NSUnderlyingErrorKey] as? NSError
    }
    return false
  }
}
