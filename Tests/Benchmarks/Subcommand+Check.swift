import Foundation

extension Figure {
  /// The benchmarks that `--check` compares, which do their work on one thread.
  ///
  /// Saved lists aren't among them, because they are saved by time.
  static var counted: [Figure] {
    let names = [
      "append-batch", "batch-vs-singles", "change-vs-refetch", "command-by-hand", "event-decode",
      "event-encode", "execute-id", "execute-instructions", "harness-steps", "search-more", "stream-load",
    ]
    // Callgrind slows a program down 50 times, so the lists are short.
    return (list(rows: 10_000) + search(rows: 10_000) + replay + append + streams + harness)
      .filter { names.contains($0.name) } + [listsShare(1_000)]
  }

  /// The same work, whose instructions must not be more than 1.05 times those in a file.
  fileprivate var ofInstructions: Figure {
    Figure(name, rows: rows, work, against: "the committed number", of: .instructions, .cost(atMost: 1.05)) {
      Contest { 0 }
    }
  }
}

extension BenchmarksTool.Subcommand {
  /// Compares instructions with the committed numbers.
  static var check: Self {
    Self(
      "--check",
      "compares the instructions of \(Figure.counted.count) benchmarks with the committed ones: [NAME…] [--write]"
    ) { words in
      try InstructionCheck(words).run { print($0) }
    }
  }

  /// The child process of the check, whose instructions callgrind counts.
  static var count: Self {
    Self("count", "the work of a benchmark in a process of callgrind, for --check: NAME") { words in
      guard let figure = Figure.counted.first(where: { [$0.name] == words }) else {
        throw BenchmarksTool.Usage(message: "count: expected the name of a benchmark, found \(words)")
      }
      let contest = try figure.prepare()
      // The first round also fills caches, and finds conformances.
      _ = try contest.value()
      print(try InstructionCount.operations { _ = try contest.value() })
      return 0
    }
  }
}

/// A comparison of instructions with those in a file.
package struct InstructionCheck {
  /// The committed file, as a path from the package's folder.
  static let file = "Docs/Evidence/Instructions.jsonl"

  private let figures: [Figure]
  private let isWritten: Bool
  private let path: String
  /// The instructions of an operation; nil if they can't be counted here.
  private let count: ((Figure) throws -> Double)?

  init(_ words: [String]) throws {
    #if DEBUG
      throw BenchmarksTool.Usage(message: "--check: built without optimization; run it with swift run -c release")
    #else
      try self.init(words, figures: Figure.counted, path: Self.file, count: Callgrind()?.count)
    #endif
  }

  /// Creates a check.
  ///
  /// - Parameters:
  ///   - words: The words of the command line: names of benchmarks, and `--write`.
  ///   - figures: All benchmarks that can be checked.
  ///   - path: The file with the committed numbers.
  ///   - count: Returns the instructions of an operation; nil if they can't be counted here.
  /// - Throws: ``BenchmarksTool/Usage`` for an unknown word.
  package init(
    _ words: [String], figures: [Figure], path: String, count: ((Figure) throws -> Double)?
  ) throws {
    let names = words.filter { $0 != "--write" }
    if let unknown = names.first(where: { name in !figures.contains { $0.name == name } }) {
      throw BenchmarksTool.Usage(
        message: "--check: expected \(figures.map(\.name).joined(separator: ", ")) or --write, found \(unknown)")
    }
    self.figures = figures.filter { names.isEmpty || names.contains($0.name) }.map(\.ofInstructions)
    isWritten = names.count < words.count
    (self.path, self.count) = (path, count)
  }

  /// Counts, and compares or writes.
  ///
  /// - Parameter write: Receives the lines of the output.
  /// - Returns: The exit status: 0, or 1 if the work of a benchmark needs more instructions, or isn't in the file.
  /// - Throws: An error if the file can't be read, or a benchmark can't be run.
  package func run(_ write: (String) -> Void) throws -> Int32 {
    guard let count else {
      write("NOT CHECKED: valgrind isn't installed (apt-get install valgrind)")
      return 0
    }
    var file = try FigureFile(path)
    let date = String(Date.now.ISO8601Format().prefix(10))
    var status = 0 as Int32
    var notes: [String] = []
    write(FigureTable.header)
    for figure in figures {
      let old = file[figure.name, figure.rows]
      let new = try count(figure)
      let measurement = Measurement(figure, value: new, baseline: old?.value)
      let line = FigureFile.Line(Measurement(figure, value: new, baseline: nil), on: date)
      write(FigureTable.line(measurement))
      if isWritten {
        try file.put(line)
      } else if let old, old.toolchain != line.toolchain {
        notes.append(
          "NOT CHECKED: \(figure.name): \(path) was written with \(old.toolchain), this is \(line.toolchain)")
      } else if let ratio = measurement.ratio {
        if !figure.bound.isKept(by: ratio) {
          status = 1
          notes.append(
            "\(figure.name): expected at most 1.05 times the \(Int(old?.value ?? 0)) instructions in \(path), "
              + "found \(Int(new)); find the cause, or run benchmarks --check \(figure.name) --write")
        } else if ratio < 0.95 {
          notes.append("\(figure.name): fewer instructions; keep them with benchmarks --check \(figure.name) --write")
        }
      } else {
        status = 1
        notes.append("\(figure.name): not in \(path); run benchmarks --check \(figure.name) --write")
      }
    }
    notes.forEach(write)
    return status
  }
}

/// Counts with `valgrind --tool=callgrind`.
private final class Callgrind {
  private let folder: URL
  /// This program without debug information, because valgrind 3.19 can't read Swift's.
  private var program: URL { folder.appending(path: "benchmarks") }

  /// Returns nil if valgrind isn't installed.
  init?() throws {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    guard folders.contains(where: { FileManager.default.isExecutableFile(atPath: "\($0)/valgrind") }) else {
      return nil
    }
    folder = FileManager.default.temporaryDirectory.appending(path: "annals-callgrind-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    _ = try Figure.output(of: [Bundle.main.executablePath ?? "", "-o", program.path], by: ["strip", "-g"])
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func count(_ figure: Figure) throws -> Double {
    let file = folder.appending(path: "counts")
    let printed = try Figure.output(
      of: ["count", figure.name],
      by: [
        // The order of dictionaries decides on the number of instructions.
        "SWIFT_DETERMINISTIC_HASHING=1", "valgrind", "--tool=callgrind", "--quiet",
        "--callgrind-out-file=\(file.path)", "--toggle-collect=\(InstructionCount.function)", program.path,
      ])
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let totals = lines.first { $0.hasPrefix("totals: ") }?.dropFirst("totals: ".count) ?? ""
    guard let operations = Double(printed.trimmingCharacters(in: .whitespacesAndNewlines)), operations > 0,
      let instructions = Double(totals), instructions > 0
    else {
      throw BenchmarksTool.Usage(
        message: "\(figure.name): expected operations and instructions, found \"\(printed)\" and \"\(totals)\"")
    }
    try FileManager.default.removeItem(at: file)
    return instructions / operations
  }
}
