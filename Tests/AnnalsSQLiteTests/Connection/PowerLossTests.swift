import Annals
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

/// The content of a disk after a loss of power at any moment.
///
///     ANNALS_POWER_ROUNDS=1000 swift test --filter PowerLossTests
@Suite struct PowerLossTests {
  private static let wanted = ProcessInfo.processInfo.environment["ANNALS_POWER_ROUNDS"].flatMap { Int($0) }
  private static let rounds = wanted ?? 7

  private static let steps = Generator<[PowerStep]>.array(of: PowerStep.one, count: 1...12)

  private func settings(_ examples: Int = rounds) -> CheckSettings { CheckSettings(examples: examples) }

  /// Performs the steps, and checks the result of every loss of power.
  private func lose(
    _ steps: [PowerStep], _ durability: Durability, seed: UInt64, sparesNeighbours: Bool, sabotage: String? = nil
  ) throws -> Int {
    let run = try PowerRun(
      seed: seed, sparesNeighbours: sparesNeighbours, durability: durability, sabotage: sabotage)
    for (number, step) in steps.enumerated() { try run.run(step, number) }
    return try run.checkPictures()
  }

  /// Prints the number of checked moments if you asked for more rounds.
  private func saw(_ pictures: Int, _ name: String = #function) {
    #expect(pictures > Self.rounds)
    if Self.wanted != nil { print("\(pictures) moments: \(name)") }
  }

  @Test(arguments: [Durability.power, .system])
  func `what was acknowledged is there after a loss of power, and nothing is half there`(level: Durability) throws {
    var pictures = 0
    try check(Self.steps, .integer(in: 0...UInt64.max), .bool, settings: settings()) { steps, seed, spares in
      pictures += try lose(steps, level, seed: seed, sparesNeighbours: spares)
    }
    saw(pictures)
  }

  @Test func `a log that was not synced is whole after a loss of power, and may end sooner`() throws {
    var pictures = 0
    try check(Self.steps, .integer(in: 0...UInt64.max), .bool, settings: settings()) { steps, seed, spares in
      pictures += try lose(steps, .process, seed: seed, sparesNeighbours: spares)
    }
    saw(pictures)
  }

  @Test func `what threads commit together is there after a loss of power, all of it that was acknowledged`() throws {
    // The threads run differently each time, so that shrinking is not possible.
    var settings = settings()
    settings.maxShrinks = 0
    let crowds = Generator<[PowerStep]>.array(
      of: .frequency((3, Generator<Int>.int(in: 1...4).map { .crowd(each: $0) }), (1, PowerStep.one)), count: 1...4)
    var pictures = 0
    try check(crowds, .integer(in: 0...UInt64.max), .bool, settings: settings) { steps, seed, spares in
      pictures += try lose(steps, .power, seed: seed, sparesNeighbours: spares)
    }
    saw(pictures)
  }

  /// A test of the tests.
  @Test(arguments: ["OFF", "NORMAL"])
  func `a log that is synced less than it should be is seen to lose what was acknowledged`(level: String) throws {
    let failure = #expect(throws: PropertyFailure.self) {
      var settings = settings(200)
      settings.maxShrinks = 0
      settings.environment = [:]
      let appends = Generator<[PowerStep]>.array(
        of: Generator<[PowerEvent]>.array(of: PowerEvent.one, count: 1...4).map { .append($0, withID: false) },
        count: 1...12)
      try check(appends, .integer(in: 0...UInt64.max), settings: settings) { steps, seed in
        try lose(steps, .power, seed: seed, sparesNeighbours: true, sabotage: "PRAGMA synchronous = \(level)")
      }
    }
    #expect("\(failure as Any)".contains("was lost"))
  }

  @Test
  func `a log whose first page was torn while commits were copied is repaired, and a file that is no log is not`()
    throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path("log")
    let store = try SQLiteEventStore(path: path)
    // More than fits into the log's file, so that its first page is among those to copy.
    let long = "\"\(String(repeating: "x", count: 50_000))\""
    try store.append(Append([NewEvent(type: "T", payload: long)], to: "s"))
    let copy = folder.path("copy")
    for name in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + name, toPath: copy + name) }
    let file = try #require(FileHandle(forWritingAtPath: copy))
    try file.write(contentsOf: [UInt8](repeating: 0xFF, count: 512))
    try file.close()
    #expect(try SQLiteEventStore(readingFrom: copy).head() == 1)
    let mended = try SQLiteEventStore(path: copy)
    #expect(try mended.append(Append([NewEvent(type: "T", payload: "2")], to: "s")).position == 2)
    #expect(try mended.verify().isSound)

    // Commits of another file repair nothing, and neither does a file that only has their name.
    let text = Data(String(repeating: "a text of somebody ", count: 1_000).utf8)
    for (number, beside) in [Data("notes on the text".utf8), Data([0x37, 0x7F, 0x06, 0x82]) + text].enumerated() {
      let other = folder.path("text \(number)")
      try text.write(to: URL(fileURLWithPath: other))
      try beside.write(to: URL(fileURLWithPath: other + "-wal"))
      let error = #expect(throws: EventStoreError.self) { try SQLiteEventStore(path: other) }
      #expect(error?.code == .notALog, "\(error as Any)")
      #expect(throws: EventStoreError.self) { try SQLiteEventStore(readingFrom: other) }
      #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == text)
      #expect(try Data(contentsOf: URL(fileURLWithPath: other + "-wal")) == beside)
    }
  }
}
