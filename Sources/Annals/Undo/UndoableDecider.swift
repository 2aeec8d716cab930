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
/// produce. If an undo executed several commands to reverse one command, a redo passes the events of all these commands
/// to a single call of `undoing`. If every event has one reversing command, use ``EventwiseUndoableDecider``, which has
/// less to implement.
///
/// To make commands undoable, execute them through an ``UndoHistory``. In tests, `ensureUndoes` from AnnalsTesting
/// checks that commands are reversed correctly.
public protocol UndoableDecider: Decider where Command: Sendable {
  /// Returns the commands that reverse the events of one command, or the events of all commands that reversed it.
  ///
  /// In this function, `self` is the state before all these events. The function must be pure: after a restart of the
  /// app, it is called again with the same state and events, which are then read from the log.
  ///
  /// If a personal value in the state or in the events has since been erased, return `nil`, or commands that don't need
  /// the value.
  ///
  /// - Parameter events: The events, in order, at least one.
  /// - Returns: The reversing commands, in the order of execution, or `nil` if the events can't be reversed.
  func undoing(_ events: [Event]) -> [Command]?

  /// The decider's name in the events' metadata, by default the decider's ``Decider/category``.
  ///
  /// The deciders of one history must have different names. After a restart of the app, the steps in the log are found
  /// by this name, so don't change the name.
  static var undoName: String { get }
}

/// An ``UndoableDecider`` that reverses each event with one command.
///
/// Implement this protocol instead of ``UndoableDecider`` if every event has one reversing command. The library calls
/// the method for every event of a command, on the state before that event, and executes the reversing commands in
/// reverse order:
///
///     extension Hall: EventwiseUndoableDecider {
///       func undoing(_ event: HallEvent) -> HallCommand? {
///         switch event {
///         case .taken(let seat, _): .free(seat)
///         case .freed(let seat): guests[seat].map { .take(seat, $0) }
///         }
///       }
///     }
///
/// If the method returns `nil` for any event of a command, the command can't be undone.
public protocol EventwiseUndoableDecider: UndoableDecider {
  /// Returns the command that reverses an event.
  ///
  /// In this function, `self` is the state before the event. It includes the earlier events of the same command. The
  /// function must be pure: after a restart of the app, it is called again with the same state and event.
  ///
  /// If a personal value in the state or in the event has since been erased, return `nil`, or a command that doesn't
  /// need the value.
  ///
  /// - Parameter event: An event of a command.
  /// - Returns: The reversing command, or `nil` if the event can't be reversed.
  func undoing(_ event: Event) -> Command?
}

extension EventwiseUndoableDecider {
  /// Returns the commands that reverse the events, the last event's command first.
  ///
  /// - Parameter events: The events of the command to reverse, in order. The array has at least one event.
  /// - Returns: The reversing commands, or `nil` if an event can't be reversed.
  /// - Complexity: O(n) for n events.
  public func undoing(_ events: [Event]) -> [Command]? {
    var (state, commands) = (self, [Command]())
    for (index, event) in events.enumerated() {
      guard let command = state.undoing(event) else { return nil }
      commands.append(command)
      // The last event isn't applied, so that a single event never copies the state.
      if index + 1 < events.count { state.evolve(event) }
    }
    return commands.reversed()
  }
}

extension UndoableDecider {
  /// The default name, which is the decider's category.
  public static var undoName: String { category }
}
