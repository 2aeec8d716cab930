/// Runs a check from its settings to its report.
enum Session {
  /// Checks a synchronous property.
  static func run(
    _ property: PropertyName, _ settings: CheckSettings, _ body: (Draw) throws -> Void
  ) throws -> CheckReport {
    let settings = try settings.resolved(for: property)
    let context = CaseContext()
    return try withoutActuallyEscaping(body) { body in
      try CaseContext.$current.withValue(context) {
        try Explorer(property, settings, DirectRunner(context, body), context).explore()
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
    let bridge = AsyncBridge()
    bridge.start(property, settings, context)
    let draw = Draw()
    while let plan = await bridge.next() {
      draw.reset(plan)
      context.begin(isDescribed: plan.isDescribed)
      var verdict = Verdict.passed
      do {
        // If the task is cancelled, the check ends, because later errors might be caused by the cancellation instead of
        // the property.
        try Task.checkCancellation()
        try await CaseContext.$current.withValue(context) { try await body(draw) }
      } catch {
        verdict = Task.isCancelled ? .cancelled : Verdict(error)
      }
      bridge.answer(context.verdict(verdict), draw.record, Story(draw))
    }
    try Task.checkCancellation()
    return try bridge.result()
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
