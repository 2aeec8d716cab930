import Annals
import AnnalsTesting
import Foundation
import Testing

/// A door with a lock of several digits: a wrong one locks it from the beginning.
private final class DigitLock {
  private let digits: [Int]
  private(set) var open = 0

  init(_ digits: [Int]) { self.digits = digits }

  func press(_ digit: Int) throws {
    if digit == digits[open] { open += 1 } else { open = digit == digits[0] ? 1 : 0 }
    if open == digits.count { throw Opened() }
  }

  struct Opened: Error {}
}

private struct LockMachine: Machine {
  var digits = [3, 1, 4, 1, 5]

  func start() -> (model: Int, system: DigitLock) { (0, DigitLock(digits)) }

  var commands: [Command<Int, DigitLock>] {
    Command("press(_:)") { _ in
      .int(in: 0...9)
    } model: { (open: inout Int, digit: Int) in
      if digit == digits[open] { open += 1 } else { open = digit == digits[0] ? 1 : 0 }
    } run: { lock, digit in
      try lock.press(digit)
    }
  }

  var maxSteps: Int { 20 }
}

@Suite struct CorpusTests {
  /// A folder that is deleted with its last reference.
  private final class Folder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "annals-corpus-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: url) }

    var files: [String] {
      get throws {
        guard FileManager.default.fileExists(atPath: url.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()
      }
    }

    func lines(_ file: String) throws -> [String] {
      try String(contentsOf: url.appending(path: file), encoding: .utf8).split(separator: "\n").map(String.init)
    }
  }

  private let folder = Folder()

  private func settings(_ examples: Int = 50, seed: UInt64? = nil) -> CheckSettings {
    CheckSettings(examples: examples, seed: seed, corpus: folder.url.path, environment: .patient)
  }

  /// One hundred thousand combinations, in which each digit that is right is a new state.
  @Test(arguments: 0..<10 as Range<UInt64>)
  func `a lock of five digits opens, because each state that was reached is a place to go on from`(seed: UInt64) throws
  {
    let failure = #expect(throws: PropertyFailure.self) {
      try check(LockMachine(), settings: CheckSettings(examples: 20_000, seed: seed, environment: .patient))
    }
    #expect(
      failure?.input.dropFirst() == [3, 1, 4, 1, 5].map { "try system.press(\($0))" }[...],
      "\(failure?.input ?? [])")
  }

  @Test func `what was reached is in the corpus, and the next run begins there`() throws {
    // What one run rarely reaches, several reach together.
    var cases: [Int] = []
    for round in 1...12 {
      let settings = CheckSettings(examples: 400, seed: UInt64(round), corpus: folder.url.path, environment: .patient)
      do { cases.append(try #require(try check(LockMachine(), settings: settings).corpus).cases) } catch {
        guard error is PropertyFailure else { throw error }
        break
      }
    }
    let file = try #require(try folder.files.first)
    #expect(try folder.files == [file] && file.hasSuffix(".corpus"))
    #expect(cases == cases.sorted() && cases.count < 12, "\(cases)")
    let again = #expect(throws: PropertyFailure.self) {
      try check(
        LockMachine(),
        settings: CheckSettings(examples: 4_000, seed: 99, corpus: folder.url.path, environment: .patient))
    }
    #expect(again?.report.examples ?? 0 >= (try folder.lines(file).count) / 2)
  }

  @Test func `a case that reaches nothing more is left out of the corpus`() throws {
    var digits = LockMachine()
    digits.digits = [1, 2, 3, 4, 5, 6, 7, 8]
    let first = try #require(try check(digits, settings: settings(200, seed: 1)).corpus)
    #expect(first.cases > 3 && first.new == first.cases)
    let file = try #require(try folder.files.first)
    let lines = try folder.lines(file)
    #expect(lines.count == first.cases)
    // Twice the same.
    try (lines + lines).joined(separator: "\n").write(
      to: folder.url.appending(path: file), atomically: true, encoding: .utf8)
    let second = try check(digits, settings: settings(10, seed: 1))
    #expect(second.corpus?.cases ?? 0 > 3 && second.examples == 2 * lines.count + 10)
    #expect(try folder.lines(file).count == second.corpus?.cases)
    #expect(
      "\(second)".contains("the corpus has \(second.corpus?.cases ?? 0) cases, \(second.corpus?.new ?? 0) of them new"))
  }

  @Test func `a line that is no case is named, and the file stays`() throws {
    _ = try check(LockMachine(digits: [1, 2, 3, 4, 5, 6, 7]), settings: settings(100, seed: 1))
    let url = folder.url.appending(path: try #require(try folder.files.first))
    let text = try String(contentsOf: url, encoding: .utf8) + "nonsense\n"
    try text.write(to: url, atomically: true, encoding: .utf8)
    let error = #expect(throws: CheckError.self) { try check(LockMachine(), settings: settings()) }
    #expect(error?.description.contains("line \(text.split(separator: "\n").count) of the corpus") == true)
    #expect(try String(contentsOf: url, encoding: .utf8) == text)
  }

  @Test func `a folder that is a file is named`() throws {
    try "a".write(to: folder.url, atomically: true, encoding: .utf8)
    let error = #expect(throws: CheckError.self) {
      try check(LockMachine(digits: [1, 2, 3, 4, 5, 6, 7]), settings: settings(100, seed: 1))
    }
    #expect(error?.description.hasPrefix("the corpus can't be") == true)
  }

  @Test func `a check of values alone keeps nothing, and no file`() throws {
    let report = try check(.int(), settings: settings()) { _ in true }
    #expect(report.corpus?.cases == 0)
    #expect(try folder.files == [])
  }

  @Test func `with a time a check goes on after its examples`() throws {
    let settings = CheckSettings(examples: 5, time: .milliseconds(200), seed: 1, environment: .patient)
    let began = ContinuousClock.now
    let report = try check(.int(), settings: settings) { _ in true }
    #expect(report.examples > 5 && ContinuousClock.now - began >= .milliseconds(200))
    let longer = CheckSettings(examples: 5, seed: 1, environment: ["ANNALS_SECONDS": "1"])
    let start = ContinuousClock.now
    try check(.int(), settings: longer) { _ in true }
    #expect(ContinuousClock.now - start >= .seconds(1))
    let error = #expect(throws: CheckError.self) {
      try check(.int(), settings: CheckSettings(environment: ["ANNALS_SECONDS": "soon"])) { _ in true }
    }
    #expect(error?.description == "ANNALS_SECONDS must be a whole number of at least 0 (was \"soon\")")
  }

  @Test func `the environment names the folder, and can turn it off`() throws {
    let machine = LockMachine(digits: [1, 2, 3, 4, 5, 6, 7])
    try check(
      machine, settings: CheckSettings(examples: 200, corpus: folder.url.path, environment: ["ANNALS_CORPUS": "off"]))
    #expect(try folder.files == [])
    try check(machine, settings: CheckSettings(examples: 200, environment: ["ANNALS_CORPUS": folder.url.path]))
    #expect(try folder.files.count == 1)
  }
}
