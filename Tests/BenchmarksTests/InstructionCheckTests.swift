import benchmarks
import Foundation
import Testing

@Suite struct InstructionCheckTests {
  private let path = FileManager.default.temporaryDirectory.appending(path: "annals-instructions-\(UUID()).jsonl").path

  private func figure(_ name: String) -> Figure {
    Figure(name, rows: 12, "made-up work", .value(atMost: 1)) { Contest { 0 } }
  }

  /// Checks the benchmarks `a` and `b`, each with this number of instructions.
  private func check(_ words: String..., instructions: Double?) throws -> (status: Int32, lines: [String]) {
    var lines: [String] = []
    let check = try InstructionCheck(
      words, figures: [figure("a"), figure("b")], path: path, count: instructions.map { number in { _ in number } })
    let status = try check.run { lines.append($0) }
    return (status, lines)
  }

  @Test func `more than 5 % more instructions than in the file fail`() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(try check("--write", instructions: 1_000).status == 0)
    #expect(try FigureFile(path).lines.map(\.value) == [1_000, 1_000])
    #expect(try check(instructions: 1_050).status == 0)
    let grown = try check("b", instructions: 1_051)
    #expect(grown.status == 1 && grown.lines.count == 3)
    #expect(
      grown.lines.last
        == "b: expected at most 1.05 times the 1000 instructions in \(path), found 1051; find the cause, or run "
        + "benchmarks --check b --write")
    // The file is written only with the option.
    #expect(try FigureFile(path).lines.map(\.value) == [1_000, 1_000])
    #expect(try check("b", "--write", instructions: 2_000).status == 0)
    #expect(try FigureFile(path).lines.map(\.value) == [1_000, 2_000])
  }

  @Test func `fewer instructions are reported, so that they can be kept`() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    _ = try check("--write", instructions: 1_000)
    #expect(try check("a", instructions: 950).lines.count == 2)
    let fewer = try check("a", instructions: 900)
    #expect(fewer.status == 0)
    #expect(fewer.lines.last == "a: fewer instructions; keep them with benchmarks --check a --write")
  }

  @Test func `a benchmark that isn't in the file fails`() throws {
    let missing = try check("a", instructions: 1)
    #expect(missing.status == 1)
    #expect(missing.lines.last == "a: not in \(path); run benchmarks --check a --write")
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `numbers of another toolchain, or without valgrind, are not checked`() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    _ = try check("--write", instructions: 1_000)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try Data(text.replacing("Swift 6", with: "Swift 5").utf8).write(to: URL(fileURLWithPath: path))
    let other = try check(instructions: 9_000)
    #expect(other.status == 0)
    #expect(other.lines.suffix(2).allSatisfy { $0.hasPrefix("NOT CHECKED: ") && $0.contains("Swift 5") })
    let without = try check(instructions: nil)
    #expect(without.status == 0)
    #expect(without.lines == ["NOT CHECKED: valgrind isn't installed (apt-get install valgrind)"])
  }

  @Test func `an unknown name is an error with the known names`() {
    #expect {
      try check("c", instructions: 1)
    } throws: { error in
      "\(error)".contains("--check: expected a, b or --write, found c")
    }
  }

  /// A measurement inside another one belongs to it.
  @Test func `the operations of measured work are counted once`() {
    let operations = InstructionCount.operations {
      _ = nanoseconds(per: 3) {
        for _ in 0..<3 { _ = nanoseconds { keep(1) } }
      }
      _ = nanoseconds(per: 4) { keep(2) }
    }
    #expect(operations == 7)
    #expect(InstructionCount.operations { keep(1) } == 0)
  }
}
