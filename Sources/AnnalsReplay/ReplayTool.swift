import Annals
import Foundation

/// The replay tool: imports, exports, shows and replays logs.
///
/// `Docs/Tool.md` explains its subcommands. An app's own tool is an executable of a line, which shows the app's lists:
///
///     ReplayTool(ReplayList(Shelves(), request: FetchRequest(sort: [.ascending(\.price)]))).main()
public struct ReplayTool: Sendable {
  private let name: String
  private let version: String
  private let catalog: ReplayCatalog

  /// Creates a tool.
  ///
  /// - Parameters:
  ///   - parts: What the tool knows of the app: lists, commands, compactions, redactions.
  ///   - name: What the tool is called in messages; by default the executable's name.
  ///   - version: What `--version` prints; by default the version of Annals.
  public init(_ parts: any ReplayPart..., name: String? = nil, version: String? = nil) {
    let executable = CommandLine.arguments.first.map { URL(fileURLWithPath: $0).lastPathComponent } ?? ""
    self.name = name ?? (executable.isEmpty ? "annals" : executable)
    self.version = version ?? Self.version
    var catalog = ReplayCatalog()
    for part in parts { part.register(in: &catalog) }
    self.catalog = catalog
  }

  /// The tool that comes with Annals: it shows logs of records, and those of the samples.
  public static var annals: ReplayTool { ReplayTool(ReplayRecords(), ReplaySamples(), name: "annals") }

  /// Runs with the process's arguments, and ends the process with the resulting status.
  public func main() -> Never {
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
    } catch let error as ReplayError {
      return fail(error, console)
    } catch let error as EventStoreError {
      return fail(ReplayError(error), console)
    } catch {
      if Self.isBrokenPipe(error) { return ReplayError.Status.brokenPipe.rawValue }
      return fail(ReplayError(.inputOutput, "\(error.localizedDescription)"), console)
    }
  }

  static let version = "0.1.0"

  static let subcommands: [Subcommand] = [
    .scrub,
    .event, .commands, .trace, .blame, .why, .find, .demo, .import, .export, .git, .events, .show, .replay, .diff,
    .follow, .insert, .update, .delete, .renameSection,
    .erase, .compact, .verify, .stats,
  ]

  private func status(of words: [String], _ console: Console) throws -> ReplayError.Status {
    let output = LineWriter(console)
    guard let word = words.first else {
      console.talk(help + "\n")
      return .usage
    }
    switch word {
    case "--help", "-h", "help":
      if let topic = words.dropFirst().first, word == "help" {
        try output.write(find(topic).help(tool: name))
      } else {
        try output.write(help)
      }
      try output.flush()
      return .done
    case "--version":
      try output.write("\(name) \(version)")
      try output.flush()
      return .done
    default:
      let subcommand = try find(word)
      let arguments = try Arguments(Array(words.dropFirst()), of: subcommand, tool: name)
      if arguments.has("--help") {
        try output.write(subcommand.help(tool: name))
        try output.flush()
        return .done
      }
      let result = Result {
        try subcommand.run(
          Session(tool: name, catalog: catalog, console: console, arguments: arguments, output: output))
      }
      // The output before the error was correct, and shows how far the tool came.
      if case .failure = result { try? output.flush() } else { try output.flush() }
      return try result.get()
    }
  }

  private func find(_ word: String) throws -> Subcommand {
    if let found = Self.subcommands.first(where: { $0.name == word }) { return found }
    let what = word.hasPrefix("-") ? "option" : "subcommand"
    let names = Self.subcommands.map(\.name) + ["help", "--help", "--version"]
    let nearest = Nearest.name(to: word, among: names).map { "; did you mean \($0)?" } ?? ""
    throw ReplayError.usage("unknown \(what) \(word)\(nearest)\n\(name) --help lists them")
  }

  private func fail(_ error: ReplayError, _ console: Console) -> Int32 {
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

  private var help: String {
    let list = Self.subcommands.flatMap {
      Subcommand.wrapped("  \($0.name) \($0.operands.joined(separator: " "))", $0.summary)
    }
    return """
      \(name) shows the history of an event log: what is listed at any position,
      and what changed on the way.

      usage: \(name) SUBCOMMAND LOG [options]

      \(list.joined(separator: "\n"))
        help [SUBCOMMAND]     Print this, or a subcommand's page.
        --version             Print the version.

      LOG is a file. Reading never changes it; demo takes none.
      exit status: 0 yes; 1 a negative answer; 2 usage; 3 unreadable or corrupt;
      4 input or output; 5 a format newer than the tool

      examples:
        \(name) demo
        \(name) import shop.annals shop.jsonl
        \(name) show shop.annals --section-by shelf --sort price,title
      """
  }
}
