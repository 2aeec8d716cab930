import AnnalsLog
import AnnalsReplay
import Foundation

/// The executable `benchmarks`: measures figures, or runs a subcommand.
@main
package struct BenchmarksTool {
  /// A command of the executable beside measuring.
  package struct Subcommand: Sendable {
    /// The word that selects it.
    let name: String
    /// What it does, in a few words.
    let summary: String
    /// Runs it with the words after its name, and returns the exit status.
    let run: @Sendable (_ words: [String]) throws -> Int32

    /// Creates a subcommand.
    package init(_ name: String, _ summary: String, run: @escaping @Sendable ([String]) throws -> Int32) {
      self.name = name
      self.summary = summary
      self.run = run
    }

    /// All subcommands.
    package static var all: [Subcommand] {
      [stress, memory, start, commits, rest, imports, holds, questions, growth, ask, check, count]
    }
  }

  /// A mistake on the command line.
  struct Usage: Error { let message: String }

  let figures: [Figure]
  /// The figures of a list of another length.
  let resized: (Int) -> [Figure]
  let subcommands: [Subcommand]
  let write: (String) -> Void
  let complain: (String) -> Void

  /// Creates the tool; it prints through the two functions, one line per call.
  package init(
    figures: [Figure] = Figure.all, resized: @escaping (Int) -> [Figure] = Figure.list(rows:),
    subcommands: [Subcommand] = Subcommand.all, write: @escaping (String) -> Void, complain: @escaping (String) -> Void
  ) {
    self.figures = figures
    self.resized = resized
    self.subcommands = subcommands
    self.write = write
    self.complain = complain
  }

  package static func main() {
    let tool = BenchmarksTool {
      FileHandle.standardOutput.write(Data("\($0)\n".utf8))
    } complain: {
      FileHandle.standardError.write(Data("\($0)\n".utf8))
    }
    exit(tool.run(Array(CommandLine.arguments.dropFirst())))
  }

  /// Performs the command in some words.
  ///
  /// - Returns: The exit status: 0, 1 if a measurement failed, 2 for wrong words.
  package func run(_ words: [String]) -> Int32 {
    do {
      if let name = words.first, let subcommand = subcommands.first(where: { $0.name == name }) {
        return try subcommand.run(Array(words.dropFirst()))
      }
      return try measure(Words(words, self))
    } catch let usage as Usage {
      complain("benchmarks: \(usage.message)\nbenchmarks --help lists options and figures")
      return 2
    } catch {
      complain("benchmarks: \(error)")
      return 1
    }
  }

  private func measure(_ words: Words) throws -> Int32 {
    if words.wantsHelp {
      write(help)
      return 0
    }
    if words.wantsList {
      for figure in words.figures {
        let against = figure.baseline.map { "; against \($0)" } ?? ""
        write("\(figure.name)  \(FigureTable.target(figure))  \(figure.work)\(against)")
      }
      return 0
    }
    #if DEBUG
      if words.figures.contains(where: { !$0.name.hasPrefix("debug-") }) {
        complain("benchmarks: built without optimization; run it with swift run -c release benchmarks")
      }
    #endif
    var status = 0 as Int32
    var file = try words.file.map(FigureFile.init)
    let date = String(Date.now.ISO8601Format().prefix(10))
    write(FigureTable.header)
    for figure in words.figures {
      do {
        let measurement = try Measurement(figure, rounds: words.rounds)
        write(FigureTable.line(measurement))
        try file?.put(FigureFile.Line(measurement, on: date))
      } catch {
        complain("benchmarks: \(figure.name) cannot be measured: \(error)")
        status = 1
      }
    }
    return status
  }

  private var help: String {
    var lines = [
      "usage: benchmarks [NAME…] [--json FILE] [--rounds N] [--rows N]", "",
      "Measures figures, all or those that are named, each beside its baseline in the same run.", "",
      "  --json FILE  writes results to a file, such as Docs/Evidence/Figures.jsonl, over earlier results",
      "  --rounds N   rounds of a benchmark, 5 or more; by default 5",
      "  --rows N     the figures for lists with N rows: \(resized(1).map(\.name).joined(separator: ", "))",
      "  --list       the figures, what they measure and what to reach", "  --help       this text",
    ]
    if !subcommands.isEmpty {
      lines += ["", "subcommands:"] + subcommands.map { "  benchmarks \($0.name)  \($0.summary)" }
    }
    lines += ["", "figures:"] + figures.map { "  \($0.name)  \($0.work)" }
    return lines.joined(separator: "\n")
  }
}

/// The parsed words of the command line.
private struct Words {
  var figures: [Figure]
  /// The file for the results.
  var file: String?
  var wantsList = false
  var wantsHelp = false
  var rounds = 5

  init(_ words: [String], _ tool: BenchmarksTool) throws {
    var rest = words[...]
    var named: [Figure] = []
    var known = tool.figures
    // The length decides which figures there are, so it is read first.
    if let place = words.firstIndex(of: "--rows") {
      let number = place + 1 < words.count ? words[place + 1] : ""
      guard let rows = Int(number), (100...10_000_000).contains(rows) else {
        throw BenchmarksTool.Usage(message: "--rows: expected a number from 100 to 10000000, found \"\(number)\"")
      }
      known = tool.resized(rows)
    }
    while let word = rest.popFirst() {
      switch word {
      case "--json":
        guard let file = rest.popFirst(), !file.hasPrefix("-") else {
          throw BenchmarksTool.Usage(message: "--json: expected a file, for example Docs/Evidence/Figures.jsonl")
        }
        self.file = file
      case "--list": wantsList = true
      case "--help", "-h": wantsHelp = true
      case "--rounds":
        let number = rest.popFirst() ?? ""
        guard let rounds = Int(number), rounds >= 5 else {
          throw BenchmarksTool.Usage(message: "--rounds: expected a number of 5 or more, found \"\(number)\"")
        }
        self.rounds = rounds
      case "--rows": _ = rest.popFirst()
      default:
        if let figure = known.first(where: { $0.name == word }) {
          named.append(figure)
          continue
        }
        let isOption = word.hasPrefix("-")
        let names =
          isOption
          ? ["--json", "--list", "--help", "--rounds", "--rows"] : known.map(\.name) + tool.subcommands.map(\.name)
        let nearest = Nearest.name(to: word, among: names).map { "; did you mean \($0)?" } ?? ""
        throw BenchmarksTool.Usage(
          message: "\(isOption ? "unknown option" : "there is no figure") \(word)\(nearest)")
      }
    }
    figures = named.isEmpty ? known : named
  }
}
