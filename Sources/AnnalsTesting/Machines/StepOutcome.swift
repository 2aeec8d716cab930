import AnnalsLog

/// The result of a step where the system and its model agree.
enum StepOutcome {
  case done
  /// The model and the system threw the same error.
  case refused(any Error)

  /// Runs a step on a model and a system, and compares the results.
  ///
  /// - Throws: A `StepFailure` if the results differ, or an `UnexpectedError` with the system's error if only the
  ///   system throws.
  static func compare<Model, Answer>(
    _ state: inout Model, model: (inout Model) throws -> Answer, run: () throws -> Answer,
    judge: (Answer, Answer) throws -> Void
  ) throws -> StepOutcome {
    var next = state
    let expected: Answer
    do {
      expected = try model(&next)
    } catch let refusal where !(refusal is Discarded) {
      try refuse(refusal, run)
      return .refused(refusal)
    }
    let found: Answer
    do { found = try run() } catch { throw UnexpectedError(error: error) }
    state = next
    try judge(expected, found)
    return .done
  }

  /// Runs a step on a model and an asynchronous system, and compares the results.
  nonisolated(nonsending) static func compare<Model, Answer>(
    _ state: inout Model, model: (inout Model) throws -> Answer,
    run: nonisolated(nonsending) () async throws -> Answer, judge: (Answer, Answer) throws -> Void
  ) async throws -> StepOutcome {
    var next = state
    let expected: Answer
    do {
      expected = try model(&next)
    } catch let refusal where !(refusal is Discarded) {
      let answer: Answer
      do {
        answer = try await run()
      } catch {
        try compareRefusals(refusal, error)
        return .refused(refusal)
      }
      throw notRefused(refusal, answer)
    }
    let found: Answer
    do { found = try await run() } catch { throw UnexpectedError(error: error) }
    state = next
    try judge(expected, found)
    return .done
  }

  /// Checks that the system throws the model's error.
  private static func refuse<Answer>(_ expected: any Error, _ run: () throws -> Answer) throws {
    let answer: Answer
    do {
      answer = try run()
    } catch {
      return try compareRefusals(expected, error)
    }
    throw notRefused(expected, answer)
  }

  private static func compareRefusals(_ expected: any Error, _ error: any Error) throws {
    guard type(of: error) == type(of: expected), describedWhole(error) == describedWhole(expected) else {
      throw StepFailure(
        "expected the error \(described(expected)), found the error \(described(error))",
        at: "another refusal")
    }
  }

  private static func notRefused(_ expected: any Error, _ answer: some Any) -> StepFailure {
    let found = answer is Void ? "no error" : "the result \(swiftSource(of: answer))"
    return StepFailure("expected the error \(described(expected)), found \(found)", at: "no refusal")
  }
}

/// An error that the system threw although its model didn't.
struct UnexpectedError: Error {
  let error: any Error
}

/// An error for a step where the system and its model disagree.
struct StepFailure: OriginNaming, CustomStringConvertible {
  let description: String
  let origin: String

  init(_ description: String, at origin: String) {
    self.description = description
    self.origin = origin
  }
}

/// Returns a call as source, with a name such as `rename(_:to:)` and the elements of a tuple or a single argument.
func callSource<Arguments>(_ name: String, _ arguments: Arguments) -> String {
  guard let open = name.firstIndex(of: "("), name.hasSuffix(")") else {
    return arguments is NoArguments ? "\(name)()" : "\(name)(\(swiftSource(of: arguments)))"
  }
  let labels = name[name.index(after: open)...].dropLast().split(separator: ":")
  let mirror = Mirror(reflecting: arguments)
  let isTuple = mirror.displayStyle == .tuple && labels.count == mirror.children.count
  let values = labels.isEmpty ? [] : isTuple ? mirror.children.map(\.value) : [arguments as Any]
  let written = Swift.zip(labels, values).map { label, value in
    (label == "_" ? "" : "\(label): ") + swiftSource(of: value)
  }
  return name[..<open] + "(" + written.joined(separator: ", ") + ")"
}
