public import Annals

extension Projection {
  /// Checks that histories lead to the same list in every process, whatever its hash seed, time zone or clock.
  ///
  /// - Parameters:
  ///   - histories: Makes the histories.
  ///   - request: The list that is compared; by default all rows, by id.
  ///   - worlds: Where to ask; by default in all worlds.
  ///   - launch: How another process is started; by default it runs the calling test again.
  ///   - settings: The number of cases, the seed and the limits.
  ///   - fileID: The file of the call.
  ///   - function: The function of the call, the test that runs again.
  ///   - line: The line of the call.
  /// - Returns: A report of the cases; it names worlds that could not be made here.
  /// - Throws: ``PropertyFailure``, or ``CheckError`` if no other process can be started.
  @discardableResult
  public func checkPurity(
    _ histories: Generator<[Event]>, in request: FetchRequest<Row> = FetchRequest(),
    worlds: [Purity.World] = Purity.World.all, launch: Purity.Launch = .thisTest,
    settings: CheckSettings = CheckSettings(examples: 50),
    fileID: String = #fileID, function: String = #function, line: UInt = #line
  ) throws -> CheckReport {
    try Purity.check(
      histories, worlds, launch, settings, PropertyName(file: fileID, function: function, line: line),
      note: { Coverage.note($0) }
    ) { history in
      let recorded = try LawHistory(history).recorded
      let rows = try allRows(recorded)
      return Shown(swiftSource: text(Results(request, of: rows[recorded.count], at: 0)))
    }
  }
}

extension Decider {
  /// Checks that commands are decided the same in every process, whatever its hash seed, time zone, language or clock.
  ///
  /// A refusal is an answer too.
  ///
  /// - Parameters:
  ///   - commands: Makes the commands.
  ///   - histories: Makes the events of the stream before each.
  ///   - worlds: Where to ask; by default in all worlds.
  ///   - launch: How another process is started; by default it runs the calling test again.
  ///   - settings: The number of cases, the seed and the limits.
  ///   - fileID: The file of the call.
  ///   - function: The function of the call, the test that runs again.
  ///   - line: The line of the call.
  /// - Returns: A report of the cases; it names worlds that could not be made here.
  /// - Throws: ``PropertyFailure``, or ``CheckError`` if no other process can be started.
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
      // As source, where sets and dictionaries have an order.
      var state = Self()
      for event in stored { state.evolve(event) }
      do {
        return Shown(swiftSource: "[\(try state.decide(command).map { swiftSource(of: $0) }.joined(separator: ", "))]")
      } catch {
        return Shown(swiftSource: "the refusal \(swiftSource(of: error))")
      }
    }
  }
}

/// An answer in its final form.
private struct Shown: SourcePrintable {
  let swiftSource: String
}
