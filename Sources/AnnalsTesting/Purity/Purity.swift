/// A check that finds hidden inputs, such as the clock, by running code with the same arguments in several different
/// processes.
///
/// Every process differs from the calling process in one respect, for example in its clock, its language, its time
/// zone, its user and directories, or its seed of `hashValue`. Such a process is a ``World``. If a projection or a
/// decider returns a different result in a world, the result depends on something other than the events. The report
/// names that world.
///
///     @Test func `shelves are the same everywhere`() throws {
///       try Shelves().checkPurity(histories)
///     }
///
/// Every other process reruns only the calling test. The system must be macOS or Linux, and the test must be a Swift
/// Testing test that has no arguments and is run by `swift test`. In any other setup, pass a ``Launch`` with an
/// executable that calls the same `checkPurity` or `check` function.
public enum Purity {
  /// Checks that a function returns the same result for the same value in every ``World``, that is, in processes with
  /// different environments.
  ///
  /// A thrown error is compared as a result, too. Results are compared as Swift source, with sorted sets and
  /// dictionaries. Every world is a separate process, and starting all worlds takes about a second.
  ///
  /// - Parameters:
  ///   - generator: The generator of the values.
  ///   - worlds: The worlds to compare, by default all worlds. A ``World`` is a process with a different environment,
  ///     such as another time zone.
  ///   - launch: The way to start another process. By default, it reruns the calling test.
  ///   - settings: The number of cases, the seed and the limits.
  ///   - fileID: The file that contains the call.
  ///   - function: The function that contains the call, which is the test to rerun.
  ///   - line: The line of the call.
  ///   - answer: The function to check.
  /// - Returns: A report of the cases. Its ``CheckReport/unreached`` names the worlds that couldn't be created on this
  ///   computer.
  /// - Throws: ``PropertyFailure`` if a result differs, or ``CheckError`` for invalid settings or if no other process
  ///   can be started.
  @discardableResult
  public static func check<Value, Answer>(
    _ generator: Generator<Value>, worlds: [World] = World.all, launch: Launch = .thisTest,
    settings: CheckSettings = .current,
    fileID: String = #fileID, function: String = #function, line: UInt = #line,
    _ answer: (Value) throws -> Answer
  ) throws -> CheckReport {
    try check(
      generator, worlds, launch, settings, PropertyName(file: fileID, function: function, line: line), note: { _ in },
      answer)
  }

  /// Performs the check, with a function that records every value for the report.
  static func check<Value, Answer>(
    _ generator: Generator<Value>, _ worlds: [World], _ launch: Launch, _ settings: CheckSettings,
    _ name: PropertyName, note: (Value) -> Void, _ answer: (Value) throws -> Answer
  ) throws -> CheckReport {
    let number = ServedCall.name(name)
    if let asked = ServedCall.asked {
      // In the other processes, only one call is served. Other calls in the same test must not start more processes.
      if asked == number {
        try withoutActuallyEscaping(answer) { try PurityServer(generator, settings, $0).serve() }
      }
      return CheckReport()
    }
    let asking = try WorldProcesses(worlds, launch, number: number, test: name)
    defer { asking.end() }
    var report = try Session.run(name, settings, isApart: true) { draw in
      note(try draw.argument(generator))
      try asking.ensureSame(draw.record.indices, fileID: name.file, line: name.line)
    }
    report.unreached += asking.missing
    name.warn(unreached: asking.missing)
    return report
  }

  /// Checks a property in one other process.
  static func apart<Value>(
    _ generator: Generator<Value>, _ launch: Launch, _ settings: CheckSettings, _ name: PropertyName,
    _ answer: (Value) throws -> ApartAnswer
  ) throws -> CheckReport {
    let number = ServedCall.name(name)
    if let asked = ServedCall.asked {
      if asked == number {
        try withoutActuallyEscaping(answer) { try PurityServer(generator, settings, $0).serve() }
      }
      return CheckReport()
    }
    let asking = try WorldProcesses([], launch, number: number, test: name)
    defer { asking.end() }
    return try Session.run(name, settings, isApart: true) { draw in
      _ = try draw.argument(generator)
      try asking.ensureHolds(draw.record.indices, fileID: name.file, line: name.line)
    }
  }
}
