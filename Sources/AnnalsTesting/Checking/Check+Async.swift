/// Checks that an asynchronous property holds for generated values.
///
/// The cases run one after the other, in the caller's isolation.
///
/// - Parameters:
///   - generator: The generator of the values.
///   - settings: The number of cases, the seed and the limits.
///   - isolation: The isolation in which the cases run. Pass no argument: the default is the caller's isolation.
///   - fileID: The file that contains the call.
///   - function: The function that contains the call.
///   - line: The line of the call.
///   - property: A function that throws or returns false if the property doesn't hold for the value.
/// - Returns: A report of the cases.
/// - Throws: ``PropertyFailure`` if the property fails, ``CheckError`` for invalid settings, or `CancellationError` if
///   the task is cancelled.
@discardableResult
public func check<Value, Answer>(
  _ generator: Generator<Value>, settings: CheckSettings = .current,
  isolation: isolated (any Actor)? = #isolation,
  fileID: String = #fileID, function: String = #function, line: UInt = #line,
  _ property: (Value) async throws -> Answer
) async throws -> CheckReport {
  let name = PropertyName(file: fileID, function: function, line: line)
  return try await Session.run(name, settings, isolation: isolation) { draw in
    try await judge(property(draw.argument(generator)))
  }
}

/// Checks that an asynchronous property holds for generated combinations of two or more values.
///
/// - Parameters:
///   - first: The generator of the first value.
///   - second: The generator of the second value.
///   - rest: The generators of the other values.
///   - settings: The number of cases, the seed and the limits.
///   - isolation: The isolation in which the cases run. Pass no argument: the default is the caller's isolation.
///   - fileID: The file that contains the call.
///   - function: The function that contains the call.
///   - line: The line of the call.
///   - property: A function that throws or returns false if the property doesn't hold for the values.
/// - Returns: A report of the cases.
/// - Throws: ``PropertyFailure`` if the property fails, ``CheckError`` for invalid settings, or `CancellationError` if
///   the task is cancelled.
@discardableResult
public func check<First, Second, each Rest, Answer>(
  _ first: Generator<First>, _ second: Generator<Second>, _ rest: repeat Generator<each Rest>,
  settings: CheckSettings = .current, isolation: isolated (any Actor)? = #isolation,
  fileID: String = #fileID, function: String = #function, line: UInt = #line,
  _ property: (First, Second, repeat each Rest) async throws -> Answer
) async throws -> CheckReport {
  let name = PropertyName(file: fileID, function: function, line: line)
  return try await Session.run(name, settings, isolation: isolation) { draw in
    let (one, two) = (try draw.argument(first), try draw.argument(second))
    let others = (repeat try draw.argument(each rest))
    try await judge(property(one, two, repeat each others))
  }
}
