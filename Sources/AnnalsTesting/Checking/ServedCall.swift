import Foundation
import Synchronization

/// The call of a check for which a separate process runs cases.
enum ServedCall {
  /// The environment variable with the name of the call, in a process that serves it.
  static let variable = "ANNALS_PURITY"
  /// The call that this process serves, or `nil` in an ordinary process.
  static let asked = ProcessInfo.processInfo.environment[variable]

  /// The beginning of the names of calls whose cases run in a separate process because they might end it.
  static let casePrefix = "case-"
  /// Whether this process runs cases that might end it.
  static let servesCases = asked?.hasPrefix(casePrefix) == true

  private static let calls = Mutex<[String: Int]>([:])

  /// Returns the name of a call for other processes.
  ///
  /// The name contains a number, because a line can make several calls, for example in a loop.
  static func name(_ property: PropertyName, prefix: String = "") -> String {
    let place = "\(prefix)\(property.hash)-\(property.line)"
    return calls.withLock { calls in
      calls[place, default: 0] += 1
      return "\(place)-\(calls[place] ?? 0)"
    }
  }
}
