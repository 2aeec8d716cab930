/// A decider that defines how to reverse the effects of its events.
///
/// An undo keeps the original events in the log, and executes ordinary commands that reverse the effects of these
/// events. Decisions about the reversing commands are based on the current state, so the commands can be refused. If
/// they are accepted, they produce new events. Only your domain can define the reversing commands, so the decider
/// returns them from ``undoing(_:)``. In this method, the decider has the state from before the original events:
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
/// A redo reverses the events of an undo, so `undoing` must also handle the events that your reversing commands
/// produce. To make commands undoable, execute them through an ``UndoHistory``. In tests, `ensureUndoes` from
/// AnnalsTesting checks that commands are reversed correctly.
public protocol UndoableDecider: Decider where Command: Sendable {
  /// Returns the commands that reverse the events of one command.
  ///
  /// In this function, `self` is the state on which the command was decided, before the command's events were applied.
  /// The function must be pure: after a restart of the app, it is called again with the same state and events, which
  /// are then read from the log.
  ///
  /// If a personal value in the state or in the events has since been erased, return `nil`, or commands that don't need
  /// the value.
  ///
  /// - Parameter events: The command's events, in order, at least one.
  /// - Returns: The reversing commands, in the order of execution, or `nil` if the events can't be reversed.
  func undoing(_ events: [Event]) -> [Command]?

  /// The decider's name in the events' metadata, by default the decider's ``Decider/category``.
  ///
  /// The deciders of one history must have different names. After a restart of the app, the steps in the log are found
  /// by this name, so don't change the name.
  static var undoName: String { get }
}

extension UndoableDecider {
  /// The default name, which is the decider's category.
  public static var undoName: String { category }
}
