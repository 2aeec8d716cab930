/// Runs a check from its settings to its report.
enum Session {
  /// Checks a synchronous property, which can't end this process if it runs apart.
  static func run(
    _ property: PropertyName, _ settings: CheckSettings, isApart: Bool = false, _ body: (Draw) throws -> Void
  ) throws -> CheckReport {
    var settings = try settings.resolved(for: property)
    // Every failing case can start another process, so the check doesn't look for parts that can have any value.
    if isApart { settings.explains = false }
    let context = CaseContext()
    return try withoutActuallyEscaping(body) { body in
      switch try CaseJournal.Role(property, settings, context, isApart: isApart) {
      case .skips: return CheckReport()
      case .serves(let server):
        let runner = DirectRunner(context, server.draw, body)
        return CaseContext.$current.withValue(context) {
          while true { server.answer(runner.run(server.next())) }
        }
      case .checks(let journal):
        defer { journal?.end() }
        try journal?.begin()
        return try CaseContext.$current.withValue(context) {
          let runner = DirectRunner(context, Draw(journal?.memory), body)
          return try Explorer(property, settings, runner, context).explore()
        }
      }
    }
  }

  /// Checks an asynchronous property.
  static func run(
    _ property: PropertyName, _ settings: CheckSettings, isolation: isolated (any Actor)?,
    _ body: (Draw) async throws -> Void
  ) async throws -> CheckReport {
    let settings = try settings.resolved(for: property)
    let context = CaseContext()
    switch try CaseJournal.Role(property, settings, context, isApart: false) {
    case .skips: return CheckReport()
    case .serves(let server):
      while true {
        let plan = server.next()
        server.answer(await verdict(of: plan, server.draw, context, isolation: isolation, body))
      }
    case .checks(let journal):
      defer { journal?.end() }
      try journal?.begin()
      let bridge = AsyncBridge()
      bridge.start(property, settings, context)
      let draw = Draw(journal?.memory)
      while let plan = await bridge.next() {
        let verdict = await verdict(of: plan, draw, context, isolation: isolation, body)
        bridge.answer(verdict, draw.record, Story(draw))
      }
      try Task.checkCancellation()
      return try bridge.result()
    }
  }

  /// Runs an asynchronous case.
  private static func verdict(
    of plan: Plan, _ draw: Draw, _ context: CaseContext, isolation: isolated (any Actor)?,
    _ body: (Draw) async throws -> Void
  ) async -> Verdict {
    draw.reset(plan)
    context.begin(isDescribed: plan.isDescribed)
    do {
      // If the task is cancelled, the check ends, because later errors might be caused by the cancellation instead of
      // the property.
      try Task.checkCancellation()
      try await CaseContext.$current.withValue(context) { try await body(draw) }
      return context.verdict(.passed)
    } catch {
      return context.verdict(Task.isCancelled ? .cancelled : Verdict(error))
    }
  }
}

extension Draw {
  /// Draws an argument of the property, and adds it to the transcript, if any.
  func argument<Value>(_ generator: Generator<Value>) throws -> Value {
    let value = try self(generator)
    if transcript != nil { transcript?.append(swiftSource(of: value)) }
    return value
  }
}
