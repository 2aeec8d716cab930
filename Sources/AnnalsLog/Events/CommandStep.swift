/// A point between two steps of executing a command, at which a test can run code.
public enum CommandStep: Hashable, Sendable {
  /// The streams have been read, but the decider hasn't decided on the command yet.
  ///
  /// The number `attempt` is 1 in the command's first attempt.
  case didRead(attempt: Int)
  /// The decider has returned the events, which are about to be appended.
  ///
  /// The number `attempt` is 1 in the command's first attempt.
  case willAppend(attempt: Int)
}
