import Annals
import Foundation

/// A command-line tool that imports, exports, shows and replays logs.
///
/// `Docs/ToolReference.md` describes its subcommands. A tool that shows your app's own lists is an executable with one
/// line of code:
///
///     ReplayTool(ReplayList(Shelves(), request: ListRequest(sort: [.ascending(\.price)]))).main()
public struct ReplayTool: Sendable {
  private let name: String
  private let version: String
  private var catalog: ReplayCatalog

  /// Creates a tool.
  ///
  /// - Parameters:
  ///   - parts: The tool's components for your app, such as lists, commands, compactions and redactions.
  ///   - name: The tool's name in messages, by default the executable's name.
  ///   - version: The string that `--version` prints, by default the version of Annals.
  public init(_ parts: any ReplayPart..., name: String? = nil, version: String? = nil) {
    let executable = CommandLine.arguments.first.map { URL(fileURLWithPath: $0).lastPathComponent } ?? ""
    self.name = name ?? (executable.isEmpty ? "annals" : executable)
    self.version = version ?? Self.version
    var catalog = ReplayCatalog()
    for part in parts { part.register(in: &catalog) }
    self.catalog = catalog
  }

  /// The tool that comes with Annals, which shows logs of JSON records and the logs of Annals' sample apps.
  public static var annals: ReplayTool { annals() }

  /// Returns the tool that comes with Annals, with additional components such as ``ReplayRemote``.
  ///
  /// - Parameter parts: The additional components.
  /// - Returns: The tool.
  public static func annals(with parts: any ReplayPart...) -> ReplayTool {
    var tool = ReplayTool(ReplayRecords(), ReplaySamples(), name: "annals")
    for part in parts { part.register(in: &tool.catalog) }
    return tool
  }

  /// Runs the tool with the process's arguments, and ends the process with the resulting exit status.
  public func main() -> Never {
    // A reader that goes away is an error of writing then, so that the log is closed before the process ends.
    Platform.ignoreBrokenPipes()
    exit(run(Array(CommandLine.arguments.dropFirst()), on: .standard))
  }

  /// Runs with the words that follow the tool's name.
  ///
  /// - Parameters:
  ///   - words: The subcommand, its operands and options.
  ///   - console: Where input comes from and output goes.
  /// - Returns: The status: 0 yes, 1 a negative answer, 2 usage, 3 unreadable or corrupt, 4 input or output, 5 a format
  ///   newer than the tool.
  package func run(_ words: [String], on console: Console) -> Int32 {
    do {
      return try status(of: words, console).rawValue
    } catch  where Platform.EndSignal.status != nil {
      // Whatever it was, it is over because the process is to end.
      return (Platform.EndSignal.status ?? .interrupted).rawValue
    } catch let error as ReplayError {
      return fail(error, console)
    } catch let error as EventStoreError {
      return fail(ReplayError(error).advising(of: "\(name) salvage", if: catalog.open == nil), console)
    } catch is BrokenPipe {
      return ReplayError.Status.brokenPipe.rawValue
    } catch {
      return fail(ReplayError(.inputOutput, "\(error.localizedDescription)"), console)
    }
  }

  static let version = Session.annalsVersion

  /// The subcommands as help of `annals` lists them.
  static let groups = table(of: annals.catalog)

  static var subcommands: [Subcommand] { groups.flatMap(\.subcommands) }

  /// Returns the table of all subcommands, of which help lists the subcommands that `catalog` supports.
  private static func table(of catalog: ReplayCatalog) -> [SubcommandGroup] {
    let all: @Sendable () -> [SubcommandGroup] = { table(of: catalog).listed(in: catalog) }
    return [
      SubcommandGroup(
        "Showing", isPaged: true,
        [.info, .show, .log, .scrub.live, .timeline.live]),
      SubcommandGroup("Asking", isPaged: true, [.why, .find]),
      SubcommandGroup("Comparing", isPaged: true, [.diff, .test]),
      SubcommandGroup(
        "Changing", [.do(of: catalog.commands), .import]),
      SubcommandGroup(
        "Keeping safe",
        [.verify, .backup, .salvage, .compact, .erase, .followers, .migrate, .doctor]),
      SubcommandGroup(
        "About", isPaged: true,
        [.help(of: all, among: { groups }), .demo.live]),
    ]
  }

  private func status(of words: [String], _ console: Console) throws -> ReplayError.Status {
    let table = Self.table(of: catalog)
    // The options of every subcommand may stand before its name.
    let first = Arguments.leadingOptions(words)
    var rest = words.dropFirst(first.count)
    guard var word = rest.popFirst() else {
      if !first.isEmpty { throw ReplayError.usage("\(name) needs a subcommand\n\(name) --help lists them") }
      let page = HelpPage(tool: name, on: console).lines(of: table.listed(in: catalog))
      console.talk(page.joined(separator: "\n") + "\n")
      return .usage
    }
    if word == "--version" {
      try console.output(Data("\(name) \(version)\n".utf8))
      return .done
    }
    if word == "--help" || word == "-h" { word = "help" }
    // A log alone is what it is.
    if !Self.subcommands.contains(where: { $0.name == word }), isLog(word) { (word, rest) = ("info", [word] + rest) }
    let subcommand = try table.subcommand(word, tool: name, listed: table.listed(in: catalog))
    let arguments = try Arguments(first + rest, of: subcommand, tool: name)
    if !arguments.has("--help") { return try run(subcommand, arguments, console) }
    let help = try table.subcommand("help", tool: name)
    return try run(help, Arguments(first + [subcommand.name], of: help, tool: name), console)
  }

  /// True if a word names a log and not a subcommand.
  private func isLog(_ word: String) -> Bool {
    guard catalog.open == nil, let file = Platform.file(word), file.isRegular else { return false }
    return (try? FileHandle(forReadingFrom: URL(fileURLWithPath: word)).read(upToCount: 15))
      == Data("SQLite format 3".utf8)
  }

  private func run(
    _ subcommand: Subcommand, _ arguments: Arguments, _ console: Console
  ) throws -> ReplayError.Status {
    var console = console.adopting(arguments)
    // What follows a log is read as it comes.
    let isPaged = subcommand.isPaged && !arguments.has("--follow")
    let paged = isPaged ? PagedOutput(console) : nil
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
    let session = Session(
      tool: name, version: version, catalog: catalog, console: console, arguments: arguments, output: output)
    let result = Result {
      let status = try subcommand.run(session)
      try console.patterns.check()
      return status
    }
    // The output before an error was correct, and shows how far the tool came.
    let flushed = Result {
      defer { console.statusLine.clear() }
      try session.openTable.end()
      try output.flush()
    }
    let ended = Result { try paged?.end() }
    do {
      let status = try result.get()
      try flushed.get()
      try ended.get()
      // A signal that came while you read the pager ends the process after it.
      if paged != nil, Platform.EndSignal.status != nil { throw Ended() }
      return status
    } catch is Pager.Quit {
      // You have seen what you wanted.
      return .done
    }
  }

  private func fail(_ error: ReplayError, _ console: Console) -> Int32 {
    console.talk(
      "\(name): " + error.message.split(separator: "\n").map { Text.safe(String($0)) }.joined(separator: "\n") + "\n")
    return error.status.rawValue
  }
}
