import Annals
import AnnalsTesting
import Foundation

extension BenchmarksTool.Subcommand {
  /// Random batches through the strict table.
  static var stress: Self {
    Self(
      "stress", "random batches through the strict table view: --batches N [--seed S] [--lists-only], or --exhaustive"
    ) { words in
      let options = try StressOptions(words)
      if options.isExhaustive {
        var run = ExhaustiveRun(rows: 4, sections: 3)
        try run.run()
        print(
          "\(run.pairs) pairs of lists of up to 4 rows in up to 3 sections: every change accepted, "
            + "no row moved that need not")
        return 0
      }
      let run = StressRun(screens: !options.isListsOnly)
      let clock = ContinuousClock()
      let start = clock.now
      let isTerminal = isatty(STDERR_FILENO) == 1
      func say(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
      do {
        try run.run(batches: options.batches, seed: options.seed) { done in
          if isTerminal { say("\r\(min(done, options.batches)) of \(options.batches) batches") }
        }
        if isTerminal { say("\r") }
      } catch let failure as PropertyFailure {
        say("\(isTerminal ? "\n" : "")\(failure)\nbenchmarks: batch \(run.batches) of seed \(options.seed) is wrong\n")
        return 1
      }
      let seconds = (clock.now - start).components.seconds
      print(
        "\(run.batches) batches of \(run.events) events with \(run.changes) row changes: "
          + "none rejected, no update lost or needless, no row moved that need not; "
          + (options.isListsOnly
            ? ""
            : "\(run.screenBatches) batches of the same histories applied by the delegates of the five tutorials: "
              + "no table raised, each shows the truth; ")
          + "seed \(options.seed), \(seconds) s")
      return 0
    }
  }
}

/// The parsed words after `stress`.
package struct StressOptions: Sendable {
  package private(set) var batches = 100_000
  package private(set) var seed: UInt64 = 1
  /// True for all pairs of small lists instead of random batches.
  package private(set) var isExhaustive = false
  /// True if the tutorials' screens get no batches: ten times as fast.
  package private(set) var isListsOnly = false

  package init(_ words: [String]) throws {
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--exhaustive" {
        isExhaustive = true
        continue
      }
      if word == "--lists-only" {
        isListsOnly = true
        continue
      }
      let text = rest.popFirst()
      switch word {
      case "--batches":
        guard let number = text.flatMap({ Int($0) }), number > 0 else {
          throw Self.usage(word, "a number from 1", text)
        }
        batches = number
      case "--seed":
        guard let number = text.flatMap({ UInt64($0) }) else { throw Self.usage(word, "a number from 0", text) }
        seed = number
      default:
        throw BenchmarksTool.Usage(
          message: "stress: expected --batches N, --seed S, --lists-only or --exhaustive, found \"\(word)\"")
      }
    }
  }

  private static func usage(_ option: String, _ wanted: String, _ found: String?) -> BenchmarksTool.Usage {
    BenchmarksTool.Usage(
      message: "stress: \(option): expected \(wanted), found \(found.map { "\"\($0)\"" } ?? "nothing")")
  }
}
