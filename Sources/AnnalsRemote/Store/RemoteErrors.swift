public import AnnalsLog

extension Duration {
  /// The duration for an error message, such as `10 s`, `1.5 s` or `333 ms`.
  package var spelled: String {
    func rounded(_ value: Double, _ unit: String) -> String {
      let value = (value * 10).rounded() / 10
      return Int(exactly: value).map { "\($0) \(unit)" } ?? "\(value) \(unit)"
    }
    let seconds = self / .seconds(1)
    // 999.9 ms is 1 s, not 1000 ms.
    if seconds >= 0.9995 { return rounded(seconds, "s") }
    let milliseconds = seconds * 1_000
    return rounded(milliseconds >= 1 ? milliseconds.rounded() : milliseconds, "ms")
  }
}

extension EventStoreError.Code {
  /// The server can't be reached, or hasn't started yet.
  public static let unreachable = EventStoreError.Code(rawValue: "unreachable")
  /// The connection was lost, and the outcome of the append is unknown.
  ///
  /// If the append has a command id, retry with the same command id. Otherwise, check whether the log contains one of
  /// the append's events.
  ///
  /// `PostgresEventStore` reconnects after a lost connection, and checks whether the append was committed. So the
  /// outcome is unknown only in two cases:
  /// - The check fails, for example because the server stays unreachable for longer than `PostgresOptions.patience`.
  /// - The append has no command id, and the caller chose the identity of the append's first event. In this case, the
  ///   store doesn't check. Even if the log contained this event, another append of the same events might have appended
  ///   it.
  public static let unknownOutcome = EventStoreError.Code(rawValue: "unknownOutcome")
}

extension EventStoreError {
  /// Creates the error for a server that can't be reached.
  ///
  /// A custom store throws this error only if the call had no effect on the log, or can be repeated.
  ///
  /// - Parameter reason: The reason, for example the message of a network library.
  /// - Returns: The error, with the code ``Code/unreachable``.
  public static func unreachable(_ reason: String) -> EventStoreError {
    EventStoreError(
      .unreachable,
      "the server can't be reached: \(reason); check that the server is running, and check its host and port")
  }

  /// Creates the error for an append that might be committed, because its response was lost.
  ///
  /// - Parameter reason: The reason, for example the message of a network library.
  /// - Returns: The error, with the code ``Code/unknownOutcome``.
  public static func unknownOutcome(_ reason: String) -> EventStoreError {
    EventStoreError(
      .unknownOutcome,
      "it's unknown whether an append was committed, because the connection was lost during the commit, and the "
        + "server didn't report the result afterwards (\(reason)). If the append has a command id, repeat the append "
        + "later with the same id. Otherwise, check later whether the log contains one of the append's events")
  }

  /// The error for an append of a chain whose previous append wasn't committed.
  ///
  /// - Parameter stream: The stream whose state contained the previous append's events.
  /// - Returns: The error, with the code `versionConflict`.
  package static func decidedOnUncommitted(_ stream: StreamName) -> EventStoreError {
    var error = EventStoreError(
      .versionConflict,
      "stream \"\(stream)\": the append was decided on the events of another append, which wasn't committed; reread "
        + "the stream and retry")
    error.stream = stream
    return error
  }

  /// The error for a call on a remote store that was closed, or that accepts no new calls because it is closing.
  package static var storeClosed: EventStoreError { EventStoreError(.closed, "the store was closed. Reopen the log") }

  /// True if retrying never helps.
  ///
  /// Followers and replicas of a remote log stop at such an error.
  package var isLasting: Bool {
    switch code {
    case .replaced, .rewritten, .compacted, .corrupt, .notALog, .newerFormat, .olderFormat, .readOnly, .unsupported,
      .closed, .invalidAppend, .otherPartitions:
      true
    default: false
    }
  }
}
