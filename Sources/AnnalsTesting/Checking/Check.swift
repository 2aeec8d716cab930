/// Checks that a property holds for generated values.
///
///     try check(.array(of: .int(in: 0...99))) { numbers in
///       numbers.sorted().sorted() == numbers.sorted()
///     }
///
/// A property fails if it returns false or throws. Any other result is ignored. If a case fails, the check shrinks it,
/// that is, it looks for the smallest case that still fails. Then it throws an error that describes this case.
///
/// A failed `#expect` doesn't throw, so the check can't detect it. Write `try ensure(…)` instead, or return a Boolean
/// value.
///
/// - Parameters:
///   - generator: The generator of the values.
///   - settings: The number of cases, the seed and the limits.
///   - fileID: The file that contains the call.
///   - function: The function that contains the call.
///   - line: The line of the call.
///   - property: A function that throws or returns false if the property doesn't hold for the value.
/// - Returns: A report of the cases.
/// - Throws: ``PropertyFailure`` if the property fails, or ``CheckError`` for invalid settings.
@discardableResult
public func check<Value, Answer>(
  _ generator: Generator<Value>, settings: CheckSettings = .current,
  fileID: String = #fileID, function: String = #function, line: UInt = #line,
  _ property: (Value) throws -> Answer
) throws -> CheckReport {
  try Session.run(PropertyName(file: fileID, function: function, line: line), settings) { draw in
    try judge(property(draw.argument(generator)))
  }
}

/// Checks that a property holds for generated combinations of two or more values.
///
/// - Parameters:
///   - first: The generator of the first value.
///   - second: The generator of the second value.
///   - rest: The generators of the other values.
///   - settings: The number of cases, the seed and the limits.
///   - fileID: The file that contains the call.
///   - function: The function that contains the call.
///   - line: The line of the call.
///   - property: A function that throws or returns false if the property doesn't hold for the values.
/// - Returns: A report of the cases.
/// - Throws: ``PropertyFailure`` if the property fails, or ``CheckError`` for invalid settings.
@discardableResult
public func check<First, Second, each Rest, Answer>(
  _ first: Generator<First>, _ second: Generator<Second>, _ rest: repeat Generator<each Rest>,
  settings: CheckSettings = .current,
  fileID: String = #fileID, function: String = #function, line: UInt = #line,
  _ property: (First, Second, repeat each Rest) throws -> Answer
) throws -> CheckReport {
  try Session.run(PropertyName(file: fileID, function: function, line: line), settings) { draw in
    let (one, two) = (try draw.argument(first), try draw.argument(second))
    let others = (repeat try draw.argument(each rest))
    try judge(property(one, two, repeat each others))
  }
}

/// Fails the case if a property returned false.
func judge<Answer>(_ answer: Answer) throws {
  if let holds = answer as? Bool, !holds { throw AnsweredFalse() }
}
