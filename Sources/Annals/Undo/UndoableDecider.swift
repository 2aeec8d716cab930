/// A decider that says what takes its events back.
///
/// What happened stays in the log. To take it back is a command like every other: it is decided on the state as it is
/// then, may be refused, and leads to events. Only the domain knows which command that is, and the state in which the
/// first command was decided has what it needs:
///
///     extension Hall: UndoableDecider {
///       func undoing(_ events: [HallEvent]) -> [HallCommand]? {
///         events.reversed().map { event in
///           switch event {
///           case .taken(let seat, _): .free(seat)
///           case .freed(let seat): .take(seat, guests[seat] ?? "")
///           }
///         }
///       }
///     }
///
/// A redo takes back what an undo led to, so that the events of your reversals need theirs too. Commands are executed
/// through an ``UndoHistory``, and a law of the harness, `ensureUndoes`, checks that they are taken back.
public protocol UndoableDecider: Decider where Command: Sendable {
  /// Says what takes back the events that one command has led to.
  ///
  /// The state, `self`, is the one in which the command was decided, before its events. The function is pure: after a
  /// restart it is asked again, with the same state and the same events, which the log has.
  ///
  /// If a personal value in the state or in the events was erased since, answer nil, or a command that does without it.
  ///
  /// - Parameter events: What the command led to, in order; at least one.
  /// - Returns: The commands that take them back, in the order in which they are executed; nil if nothing does.
  func undoing(_ events: [Event]) -> [Command]?

  /// What the decider is called in the events' metadata; by default its category.
  ///
  /// Of the deciders of one history, each has a name of its own. What is in the log is found by it after a restart: do
  /// not change it.
  static var undoName: String { get }
}

extension UndoableDecider {
  /// The category.
  public static var undoName: String { category }
}
