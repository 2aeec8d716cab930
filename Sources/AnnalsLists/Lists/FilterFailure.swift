package import AnnalsLog
import Foundation
import Synchronization

/// A record of the first error of a filter's predicate, kept until the error is reported.
package final class FilterFailure: Sendable {
  private enum State {
    case none
    case found(any Error, row: String)
    case reported
  }

  /// The filter's description for the report, such as `the filter "cheap" of Book`.
  private let subject: String
  private let name: String
  private let state = Mutex(State.none)
  /// True after the first failure, so that later failures don't take the lock.
  ///
  /// A predicate might throw for a very large number of rows.
  private let isFound = Atomic(false)
  /// True while a failure must be reported.
  private let isDue = Atomic(false)

  init(of row: Any.Type, named name: String?) {
    self.name = name ?? "\(row)"
    subject = name.map { "the filter \"\($0)\" of \(row)" } ?? "a filter of \(row)"
  }

  /// Records the predicate's error for a row, if it is the first error.
  func note(_ error: any Error, _ row: String) {
    guard !isFound.exchange(true, ordering: .relaxed) else { return }
    state.withLock { $0 = .found(error, row: row) }
    isDue.store(true, ordering: .releasing)
  }

  /// Reports the recorded error, once.
  func report(source: String, _ environment: StoreEnvironment) {
    guard isDue.load(ordering: .acquiring), isDue.exchange(false, ordering: .relaxed) else { return }
    let found: (error: any Error, row: String)? = state.withLock { state in
      guard case .found(let error, let row) = state else { return nil }
      state = .reported
      return (error, row)
    }
    guard let (error, row) = found else { return }
    // Only a `PredicateError` is described, because Foundation's errors quote no values, but other errors might.
    let text = "\(type(of: error))" + (error is PredicateError ? " (\(error))" : "")
    let message =
      "in the log \(source), \(subject) omits the row \(row), because the filter's predicate throws for this row: "
      + "\(text). The filter and its negation omit all rows for which the predicate throws. In the predicate, check "
      + "for nil before you unwrap a value"
    environment.report(
      FailureReport(.filter, name, source: source, position: nil, error: error, message: message))
  }
}

extension PreparedRequest {
  /// Reports the first errors of the filter's predicates, once per filter.
  package func reportFailures(in store: (source: String, environment: StoreEnvironment)) {
    for failure in filterFailures { failure.report(source: store.source, store.environment) }
  }
}
