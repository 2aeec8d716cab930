import Foundation
import Synchronization

/// Finds what code reads besides its arguments, by asking it the same in processes that differ in one thing each.
///
/// The processes differ in the seed of `hashValue`, in the time zone, the language, the user and folder, and in the
/// clock. ``World`` lists them. A projection or a decider that answers differently in one of them is not a function of
/// its events, and the report names the world.
///
///     @Test func `shelves are the same everywhere`() throws {
///       try Shelves().checkPurity(histories)
///     }
///
/// The other processes run the calling test again, alone. They need a Mac or a computer with Linux, and a test of Swift
/// Testing that `swift test` runs, without arguments of its own. For anything else, name an executable that calls the
/// same function (``Launch``).
public enum Purity {
  /// The variable that has the number of the property in the other processes.
  static let variable = "ANNALS_PURITY"

  /// Checks that a function answers the same for the same values, in every world.
  ///
  /// An error that it throws is an answer too. Answers are compared as Swift source, with sets and dictionaries in
  /// order. Each world is a process of its own: starting them takes about a second.
  ///
  /// - Parameters:
  ///   - generator: Makes the values.
  ///   - worlds: Where to ask; by default in all worlds.
  ///   - launch: How another process is started; by default it runs the calling test again.
  ///   - settings: The number of cases, the seed and the limits.
  ///   - fileID: The file of the call.
  ///   - function: The function of the call, the test that runs again.
  ///   - line: The line of the call.
  ///   - answer: The function.
  /// - Returns: A report of the cases; its ``CheckReport/unreached`` names worlds that could not be made here.
  /// - Throws: ``PropertyFailure``, or ``CheckError`` for invalid settings or if no other process can be started.
  @discardableResult
  public static func check<Value, Answer>(
    _ generator: Generator<Value>, worlds: [World] = World.all, launch: Launch = .thisTest,
    settings: CheckSettings = CheckSettings(),
    fileID: String = #fileID, function: String = #function, line: UInt = #line,
    _ answer: (Value) throws -> Answer
  ) throws -> CheckReport {
    try check(
      generator, worlds, launch, settings, PropertyName(file: fileID, function: function, line: line), note: { _ in },
      answer)
  }

  /// The same, with what is noted of each value for the report.
  static func check<Value, Answer>(
    _ generator: Generator<Value>, _ worlds: [World], _ launch: Launch, _ settings: CheckSettings,
    _ name: PropertyName, note: (Value) -> Void, _ answer: (Value) throws -> Answer
  ) throws -> CheckReport {
    let number = callNumber(name)
    if let asked = ProcessInfo.processInfo.environment[variable] {
      // This is one of the other processes. It serves one call; another in the same test must not start more.
      if asked == number {
        try withoutActuallyEscaping(answer) { try PurityServer(generator, settings, $0).serve() }
      }
      return CheckReport()
    }
    let asking = try WorldProcesses(worlds, launch, number: number, test: name)
    defer { asking.end() }
    var report = try Session.run(name, settings) { draw in
      note(try draw.argument(generator))
      try asking.ensureSame(draw.record.indices, fileID: name.file, line: name.line)
    }
    report.unreached += asking.missing
    return report
  }

  /// Checks a property whose answers are those of one other process.
  static func apart<Value>(
    _ generator: Generator<Value>, _ launch: Launch, _ settings: CheckSettings, _ name: PropertyName,
    _ answer: (Value) throws -> ApartAnswer
  ) throws -> CheckReport {
    let number = callNumber(name)
    if let asked = ProcessInfo.processInfo.environment[variable] {
      if asked == number {
        try withoutActuallyEscaping(answer) { try PurityServer(generator, settings, $0).serve() }
      }
      return CheckReport()
    }
    let asking = try WorldProcesses([], launch, number: number, test: name)
    defer { asking.end() }
    return try Session.run(name, settings) { draw in
      _ = try draw.argument(generator)
      try asking.ensureHolds(draw.record.indices, fileID: name.file, line: name.line)
    }
  }

  private static let calls = Mutex<[String: Int]>([:])

  /// What a call is known by in other processes; calls of one line in a loop are counted.
  private static func callNumber(_ name: PropertyName) -> String {
    let place = "\(name.hash)-\(name.line)"
    return calls.withLock { calls in
      calls[place, default: 0] += 1
      return "\(place)-\(calls[place] ?? 0)"
    }
  }
}
