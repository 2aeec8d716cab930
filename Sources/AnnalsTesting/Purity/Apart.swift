import AnnalsLog
import Foundation

/// Checks a property in another process, so that a crash (trap) in the tested code is reported like any other failure.
///
/// A `fatalError`, a failed `precondition` or an out-of-bounds index terminates a process. In this check, it terminates
/// only the other process, and the report contains the trap and the smallest value that causes it.
///
///     @Test func `no order of words ends the parser`() throws {
///       try checkApart(.array(of: word)) { _ = try Parser.parse($0) }
///     }
///
/// The other process reruns the calling test, as described in ``Purity``. Both processes generate every value, but only
/// the other process checks the property. So any state that the property keeps between values is lost when the other
/// process ends.
///
/// - Parameters:
///   - generator: The generator of the values.
///   - launch: The way to start the other process. By default, it reruns the calling test.
///   - settings: The number of cases, the seed and the limits.
///   - fileID: The file that contains the call.
///   - function: The function that contains the call, which is the test to rerun.
///   - line: The line of the call.
///   - property: A function that throws if the property doesn't hold for the value.
/// - Returns: A report of the cases.
/// - Throws: ``PropertyFailure`` if the property fails, or ``CheckError`` for invalid settings or if no other process
///   can be started.
@discardableResult
public func checkApart<Value>(
  _ generator: Generator<Value>, launch: Purity.Launch = .thisTest, settings: CheckSettings = .current,
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
      return ApartAnswer(swiftSource: describedWhole(error))
    }
  }
}

/// The result of a property in another process.
struct ApartAnswer: SourcePrintable {
  static let holds = "the property holds"

  let swiftSource: String
}
