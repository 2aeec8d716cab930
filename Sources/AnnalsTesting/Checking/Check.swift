/// Checks that a property holds for generated values.
///
///     try check(.array(of: .int(in: 0...99))) { numbers in
///       numbers.sorted().sorted() == numbers.sorted()
///     }
///
/// A property that answers false or throws has failed; anything else that it answers is ignored. The failing case is made
/// as small as it can be, and thrown.
///
/// A failed `#expect` throws nothing: write `try ensure(…)`, or answer a boolean.
///
/// - Parameters:
///   - generator: Makes the values.
///   - settings: How many, from which seed.
///   - fileID: Where this is written.
///   - function: Where this is written.
///   - line: Where this is written.
///   - property: What must hold for each value.
/// - Returns: What was done.
/// - Throws: ``PropertyFailure``, or ``CheckError`` for settings that cannot be.
@discardableResult
public func check<Value, Answer>(
  _ generator: Generator<Value>, settings: CheckSettings = CheckSettings(),
  fileID: String = #fileID, function: String = #function, line: UInt = #line,
  _ property: (Value) throws -> Answer
) throws -> CheckReport {
  try Session.run(PropertyName(file: fileID, function: function, line: line), settings) { draw in
    try judge(property(draw.argument(generator)))
  }
}

/// Checks that a property holds for several generated values together.
///
/// - Parameters:
///   - first: Makes the first value.
///   - second: Makes the second value.
///   - rest: Make the other values.
///   - settings: How many, from which seed.
///   - fileID: Where this is written.
///   - function: Where this is written.
///   - line: Where this is written.
///   - property: What must hold for the values.
/// - Returns: What was done.
/// - Throws: ``PropertyFailure``, or ``CheckError`` for settings that cannot be.
@discardableResult
public func check<First, Second, each Rest, Answer>(
  _ first: Generator<First>, _ second: Generator<Second>, _ rest: repeat Generator<each Rest>,
  settings: CheckSettings = CheckSettings(),
  fileID: String = #fileID, function: String = #function, line: UInt = #line,
  _ property: (First, Second, repeat each Rest) throws -> Answer
) throws -> CheckReport {
  try Session.run(PropertyName(file: fileID, function: function, line: line), settings) { draw in
    let (one, two) = (try draw.argument(first), try draw.argument(second))
    let others = (repeat try draw.argument(each rest))
    try judge(property(one, two, repeat each others))
  }
}

/// Fails the case if a property answered false.
func judge<Answer>(_ answer: Answer) throws {
  if let holds = answer as? Bool, !holds { throw AnsweredFalse() }
}
