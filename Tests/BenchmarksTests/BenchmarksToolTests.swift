import benchmarks
import Foundation
import Synchronization
import Testing

@Suite struct BenchmarksToolTests {
  private final class Lines {
    var written: [String] = []
    var complaints: [String] = []
    var status = 0 as Int32
  }

  private func figure(
    _ name: String, values: [Double], baselines: [Double]? = nil, _ bound: Figure.Bound, tries: Int = 1
  ) -> Figure {
    let number = Atomic<Int>(0)
    let box = Counter(number)
    return Figure(name, rows: 12, "made-up work", bound, tries: tries) {
      var (value, baseline) = (0, 0)
      let start = box.next() * values.count
      return Contest {
        value += 1
        // The first round warms up.
        return value == 1 ? 1e9 : values[(start + value - 2) % values.count]
      } baseline: {
        baseline += 1
        return baseline == 1 ? 1e-9 : (baselines ?? [1])[(baseline - 2) % (baselines ?? [1]).count]
      }
    }
  }

  private final class Counter: Sendable {
    private let number: Atomic<Int>

    init(_ number: consuming Atomic<Int>) {
      self.number = number
    }

    func next() -> Int { number.wrappingAdd(1, ordering: .relaxed).oldValue }
  }

  private func run(_ words: String..., figures: [Figure] = Figure.all, subcommands: [BenchmarksTool.Subcommand] = [])
    -> Lines
  {
    let lines = Lines()
    let tool = BenchmarksTool(figures: figures, subcommands: subcommands) {
      lines.written.append($0)
    } complain: {
      lines.complaints.append($0)
    }
    lines.status = tool.run(words)
    return lines
  }

  @Test func `a figure is the medians of its rounds and the ratio that its bound asks for`() throws {
    let values = [5.0, 1, 4, 100, 2]
    let slow = try Measurement(figure("a", values: values, baselines: [2, 2, 8, 2, 2], .cost(atMost: 3)), rounds: 5)
    #expect((slow.value, slow.baseline, slow.ratio) == (4, 2, 2))
    let fast = try Measurement(figure("a", values: values, baselines: [8, 8, 2], .speed(atLeast: 3)), rounds: 5)
    #expect((fast.value, fast.baseline, fast.ratio) == (4, 8, 2))
    let alone = try Measurement(figure("a", values: values, .value(atMost: 3)), rounds: 5)
    #expect(alone.ratio == 4)
  }

  @Test func `with a number of rows the figures of a list are measured at that length`() {
    let lines = Lines()
    let tool = BenchmarksTool(
      figures: [figure("other", values: [1], .value(atMost: 2))],
      resized: { rows in [Figure("list", rows: rows, "made-up work", .value(atMost: 3)) { Contest { Double(rows) } }] }
    ) {
      lines.written.append($0)
    } complain: {
      lines.complaints.append($0)
    }
    #expect(tool.run(["--rows", "5000"]) == 0 && tool.run(["list", "--rows", "100"]) == 0)
    #expect(lines.written.filter { !$0.hasPrefix("figure") }.map { $0.contains("5,000") } == [true, false])
    #expect(tool.run(["other", "--rows", "100"]) == 2 && tool.run(["--rows", "99"]) == 2 && tool.run(["--rows"]) == 2)
    #expect(lines.complaints.last?.contains(#"expected a number from 100 to 10000000, found """#) == true)
    #expect(Figure.list(rows: 300).allSatisfy { $0.rows == 300 })
  }

  @Test func `of an even number of rounds the middle lies between two`() {
    #expect(median([4, 1, 3, 2]) == 2.5)
  }

  @Test func `results are lines of a file, in place of earlier results of the same figures`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "figures-\(UUID().uuidString).jsonl").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    func measure(_ name: String, _ value: Double, rows: Int = 12) -> Lines {
      let figure = Figure(name, rows: rows, "made-up work", against: "none", of: .memory, .cost(atMost: 3)) {
        Contest {
          value
        } baseline: {
          3
        }
      }
      return run("--json", path, figures: [figure])
    }
    #expect(measure("b", 5).status == 0 && measure("a", 1).status == 0)
    #expect(measure("b", 1_234_567.8).written.count == 2)
    #expect(measure("b", 7, rows: 5).status == 0)
    let file = try FigureFile(path)
    #expect(file.lines.map(\.name) == ["a", "b", "b"] && file.lines.map(\.rows) == [12, 5, 12])
    #expect(file.lines.map(\.value) == [1, 7, 1_234_568])
    let line = try #require(file.lines.last)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(
      text.split(separator: "\n").last?.hasPrefix(
        #"{"name": "b", "rows": 12, "value": 1234568, "baseline": 3, "unit": "bytes", "ratio": 411523, "#
          + #""resource": "memory", "date": "2"#) == true)
    #expect(line.date.contains(/^20[0-9]{2}-[0-9]{2}-[0-9]{2}$/) && line.toolchain.hasPrefix("Swift 6"))
    // A reader of the file learns nothing about the machine.
    #expect(!text.contains("/") && !text.contains(ProcessInfo.processInfo.hostName))

    try Data((text + "nonsense\n").utf8).write(to: URL(fileURLWithPath: path))
    let broken = measure("c", 1)
    #expect(broken.status == 2)
    #expect(
      broken.complaints.last?.contains("line 4: expected the figure of an earlier run, found nonsense; remove the line")
        == true)
    #expect(run("--json").complaints.last?.contains("--json: expected a file, for example") == true)
  }

  @Test func `a figure without a baseline has a null in the file`() throws {
    let figure = Figure("alone", rows: 1, "made-up work", of: .disk, .value(atMost: 3)) { Contest { 2 } }
    let line = FigureFile.Line(try Measurement(figure, rounds: 5), on: "2026-11-29")
    #expect(line.json.hasPrefix(#"{"name": "alone", "rows": 1, "value": 2, "baseline": null, "unit": "bytes", "#))
  }

  @Test func `a table says what is reached and what is missed`() {
    let figures = [
      figure("good", values: [1_500_000], baselines: [1_000_000], .cost(atMost: 2)),
      figure("bad", values: [10], baselines: [20], .speed(atLeast: 3)),
    ]
    let lines = run(figures: figures)
    #expect(lines.status == 0)
    #expect(lines.written.count == 3)
    let words = lines.written.map { $0.split(separator: " ").joined(separator: " ") }
    #expect(words[1] == "good 12 1.5 ms 1 ms 1.5 ≤ 2 reached")
    #expect(words[2] == "bad 12 10 ns 20 ns 2 ≥ 3 missed")
  }

  @Test func `of several tries the middle one counts`() throws {
    let values = [9, 9, 9, 9, 9, 3, 3, 3, 3, 3, 6, 6, 6, 6, 6] as [Double]
    let figure = Figure("a", rows: 1, "made-up work", .cost(atMost: 4), tries: 3) { [counter = Counter(Atomic(0))] in
      let start = counter.next() * 5
      var round = 0
      return Contest {
        round += 1
        return values[start + max(0, round - 2)]
      } baseline: {
        1
      }
    }
    #expect(try Measurement(figure, rounds: 5).ratio == 6)
  }

  @Test func `only what is named is measured, and unknown names are answered with the nearest`() {
    let figures = ["one-thing", "another"].map { figure($0, values: [1], .value(atMost: 3)) }
    #expect(run("another", figures: figures).written.count == 2)
    let lines = run("one-thnig", figures: figures)
    #expect(lines.status == 2)
    #expect(lines.complaints.first?.contains("there is no figure one-thnig; did you mean one-thing?") == true)
    #expect(run("--jsno").complaints.first?.contains("unknown option --jsno; did you mean --json?") == true)
    #expect(run("--rounds", "4").complaints.first?.contains("expected a number of 5 or more, found \"4\"") == true)
  }

  @Test func `a figure that cannot be measured does not keep the others from it`() {
    struct NoDisk: Error {}
    let broken = Figure("broken", rows: 1, "made-up work", .value(atMost: 1)) { throw NoDisk() }
    let lines = run(figures: [broken, figure("good", values: [1], .value(atMost: 1))])
    #expect(lines.status == 1)
    #expect(lines.written.count == 2)
    #expect(lines.complaints.contains { $0.contains("broken cannot be measured: NoDisk()") })
  }

  @Test func `a subcommand gets the words after its name and its status is the tool's`() {
    let given = Mutex<[String]>([])
    let subcommand = BenchmarksTool.Subcommand("stir", "stirs") { words in
      given.withLock { $0 = words }
      return 3
    }
    #expect(run("stir", "--often", "7", subcommands: [subcommand]).status == 3)
    #expect(given.withLock { $0 } == ["--often", "7"])
    #expect(run("--help", subcommands: [subcommand]).written.first?.contains("benchmarks stir  stirs") == true)
    #expect(run("stirr", subcommands: [subcommand]).complaints.first?.contains("did you mean stir?") == true)
  }

  @Test func `all figures have names of their own, and the list and the help name each`() {
    let names = Figure.all.map(\.name)
    #expect(Set(names).count == names.count)
    let (list, help) = (run("--list").written.joined(), run("--help").written.joined())
    for name in names {
      #expect(name.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })
      #expect(list.contains("\(name)  "))
      #expect(help.contains("  \(name)  "))
    }
  }
}
