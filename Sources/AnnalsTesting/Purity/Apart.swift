import Foundation

/// Checks a property in another process, so that a trap in the code under test is a failure like others.
///
/// A `fatalError`, a failed `precondition` or an index out of range ends a process. Here it ends the other one: the
/// report names the trap, and the smallest value that leads to it.
///
///     @Test func `no order of words ends the parser`() throws {
///       try checkApart(.array(of: word)) { _ = try Parser.parse($0) }
///     }
///
/// The other process runs the calling test again, as ``Purity`` says there; each value is made in both processes. What
/// a property remembers from value to value stays in the other process, and is lost with it.
///
/// - Parameters:
///   - generator: Makes the values.
///   - launch: How the other process is started; by default it runs the calling test again.
///   - settings: The number of cases, the seed and the limits.
///   - fileID: The file of the call.
///   - function: The function of the call, the test that runs again.
///   - line: The line of the call.
///   - property: Throws if the value breaks it.
/// - Returns: A report of the cases.
/// - Throws: ``PropertyFailure``, or ``CheckError`` for invalid settings or if no other process can be started.
@discardableResult
public func checkApart<Value>(
  _ generator: Generator<Value>, launch: Purity.Launch = .thisTest, settings: CheckSettings = CheckSettings(),
  fileID: String = #fileID, function: String = #function, line: UInt = #line,
  _ property: (Value) throws -> Void
) throws -> CheckReport {
  let name = PropertyName(file: fileID, function: function, line: line)
  return try Purity.apart(generator, launch, settings, name) { value in
    do {
      try property(value)
      return ApartAnswer(swiftSource: ApartAnswer.holds)
    } catch let discarded as Discarded {
      throw discarded
    } catch {
      return ApartAnswer(swiftSource: "\(error)")
    }
  }
}

/// What a property said in another process.
struct ApartAnswer: SourcePrintable {
  static let holds = "the property holds"

  let swiftSource: String
}
