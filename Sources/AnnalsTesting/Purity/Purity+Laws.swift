public import Annals

extension Projection {
  /// Checks that histories produce the same list in every process, regardless of the hash seed, time zone, language or
  /// clock.
  ///
  /// - Parameters:
  ///   - histories: The generator of the histories.
  ///   - request: The filter, sort order and sections of the list to compare. By default, the list contains all rows,
  ///     sorted by ID.
  ///   - worlds: The worlds to compare. A ``Purity/World`` is a process with a different environment, such as another
  ///     time zone. By default, all worlds are compared.
  ///   - launch: The way to start another process. By default, it reruns the calling test.
  ///   - settings: The number of cases, the seed and the limits.
  ///   - fileID: The file that contains the call.
  ///   - function: The function that contains the call, which is the test to rerun.
  ///   - line: The line of the call.
  /// - Returns: A report of the cases. Its ``CheckReport/unreached`` names the worlds that couldn't be created on this
  ///   computer.
  /// - Throws: ``PropertyFailure`` if a list differs, or ``CheckError`` if no other process can be started.
  @discardableResult
  public func checkPurity(
    _ histories: Generator<[Event]>, in request: ListRequest<Row> = ListRequest(),
    worlds: [Purity.World] = Purity.World.all, launch: Purity.Launch = .thisTest,
    settings: CheckSettings = CheckSettings(examples: 50),
    fileID: String = #fileID, function: String = #function, line: UInt = #line
  ) throws -> CheckReport {
    try Purity.check(
      histories, worlds, launch, settings, PropertyName(file: fileID, function: function, line: line),
      note: { Coverage.note($0) }
    ) { history in
      ShownText(swiftSource: try text(after: history, in: request))
    }
  }
}

extension Decider {
  /// Checks that decisions are the same in every process, regardless of the hash seed, time zone, language or clock.
  ///
  /// If a command is refused, the errors are compared.
  ///
  /// - Parameters:
  ///   - commands: The generator of the commands.
  ///   - histories: The generator of the stream's events before a command.
  ///   - worlds: The worlds to compare. A ``Purity/World`` is a process with a different environment, such as another
  ///     time zone. By default, all worlds are compared.
  ///   - launch: The way to start another process. By default, it reruns the calling test.
  ///   - settings: The number of cases, the seed and the limits.
  ///   - fileID: The file that contains the call.
  ///   - function: The function that contains the call, which is the test to rerun.
  ///   - line: The line of the call.
  /// - Returns: A report of the cases. Its ``CheckReport/unreached`` names the worlds that couldn't be created on this
  ///   computer.
  /// - Throws: ``PropertyFailure`` if a decision differs, or ``CheckError`` if no other process can be started.
  @discardableResult
  public static func checkPurity(
    _ commands: Generator<Command>, after histories: Generator<[Event]>,
    worlds: [Purity.World] = Purity.World.all, launch: Purity.Launch = .thisTest,
    settings: CheckSettings = CheckSettings(examples: 50),
    fileID: String = #fileID, function: String = #function, line: UInt = #line
  ) throws -> CheckReport {
    try Purity.check(
      zip(histories, commands), worlds, launch, settings,
      PropertyName(file: fileID, function: function, line: line), note: { Coverage.note($0.0, isContext: true) }
    ) { history, command in
      let stored = try LawHistory(history).recorded.map(\.event)
      // Converts to source code, which sorts sets and dictionaries.
      var state = Self()
      for event in stored { state.evolve(event) }
      do {
        return ShownText(
          swiftSource: "[\(try state.decide(command).map { swiftSource(of: $0) }.joined(separator: ", "))]")
      } catch {
        return ShownText(swiftSource: "the refusal \(swiftSource(of: error))")
      }
    }
  }
}

/// A result that is already formatted.
struct ShownText: SourcePrintable {
  let swiftSource: String
}
