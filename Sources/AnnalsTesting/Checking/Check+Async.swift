/// Checks that an asynchronous property holds for generated values.
///
/// The cases run one after the other, in the caller's isolation.
///
/// - Parameters:
///   - generator: Makes the values.
///   - settings: The number of cases, the seed and the limits.
///   - isolation: The caller's isolation; leave it to its default.
///   - fileID: The file of the call.
///   - function: The function of the call.
///   - line: The line of the call.
///   - property: What must hold for each value.
/// - Returns: A report of the cases.
/// - Throws: ``PropertyFailure``, ``CheckError`` for invalid settings, or `CancellationError`.
@discardableResult
public func check<Value, Answer>(
  _ generator: Generator<Value>, settings: CheckSettings = CheckSettings(),
  isolation: isolated (any Actor)? = #isolation,
  fileID: String = #fileID, function: String = #function, line: UInt = #line,
  _ property: (Value) async throws -> Answer
) async throws -> CheckReport {
  let name = PropertyName(file: fileID, function: function, line: line)
  return try await Session.run(name, settings, isolation: isolation) { draw in
    try await judge(property(draw.argument(generator)))
  }
}

/// Checks that an asynchronous property holds for several generated values together.
///
/// - Parameters:
///   - first: Makes the first value.
///   - second: Makes the second value.
///   - rest: Make the other values.
///   - settings: The number of cases, the seed and the limits.
///   - isolation: The caller's isolation; leave it to its default.
///   - fileID: The file of the call.
///   - function: The function of the call.
///   - line: The line of the call.
///   - property: What must hold for the values.
/// - Returns: A report of the cases.
/// - Throws: ``PropertyFailure``, ``CheckError`` for invalid settings, or `CancellationError`.
@discardableResult
public func check<First, Second, each Rest, Answer>(
  _ first: Generator<First>, _ second: Generator<Second>, _ rest: repeat Generator<each Rest>,
  settings: CheckSettings = CheckSettings(), isolation: isolated (any Actor)? = #isolation,
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
