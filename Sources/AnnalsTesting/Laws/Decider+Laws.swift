public import Annals

// Laws for all deciders. Call them with generated histories and commands.

extension Decider {
  /// Verifies that a decider's decision depends only on the command and the history.
  ///
  /// The decision must be the same when it is repeated, and after the events have been stored and read.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - history: The stream's events, in order.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if the decisions differ. Another error if an event can't be stored.
  public static func ensureDecidesEqually(
    _ command: Command, after history: [Event], fileID: String = #fileID, line: UInt = #line
  ) throws {
    let run = LawRun("ensureDecidesEqually", of: Self.self)
    defer { run.end() }
    Coverage.note(history, isContext: true)
    let stored = try LawHistory(history).recorded.map(\.event)
    let first = try DeciderAnswer(Self.self, command, after: history)
    first.note(Self.self, command)
    for (name, events) in [
      ("if the same command is decided a second time", history), ("after the history was stored and read", stored),
    ] {
      let found = try DeciderAnswer(Self.self, command, after: events)
      try ensure(
        first == found, "the first decision is \(first), but \(name), the decision is \(found)", fileID: fileID,
        line: line)
    }
  }
}

extension Decider where Self: Equatable {
  /// Verifies that every replay of a history produces the same state, even after the events have been stored and read.
  ///
  /// - Parameters:
  ///   - history: The stream's events, in order.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if the states differ. Another error if an event can't be stored.
  public static func ensureReplaysEqually(
    _ history: [Event], fileID: String = #fileID, line: UInt = #line
  ) throws {
    let run = LawRun("ensureReplaysEqually", of: Self.self)
    defer { run.end() }
    Coverage.note(history)
    let stored = try LawHistory(history).recorded.map(\.event)
    let whole = states(history)[history.count]
    for (name, events) in [("in a second replay", history), ("after the history was stored and read", stored)] {
      let found = states(events)[events.count]
      try ensure(
        found == whole,
        "the state is \(swiftSource(of: whole)) in the first replay, but \(swiftSource(of: found)) \(name)"
          + selfDifference("the state", whole),
        fileID: fileID, line: line)
    }
  }

  /// Verifies that a replay produces the same state if it is interrupted after any event, and resumed from the state
  /// after that event.
  ///
  /// The check fails if copies of a state share mutable data, for example through a reference to a class instance.
  ///
  /// - Parameters:
  ///   - history: The stream's events, in order.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if the final states differ.
  /// - Complexity: O(n²) for n events.
  public static func ensureResumesAnywhere(
    _ history: [Event], fileID: String = #fileID, line: UInt = #line
  ) throws {
    let run = LawRun("ensureResumesAnywhere", of: Self.self)
    defer { run.end() }
    try ensureResumes(history, "the state", fileID, line) { $0 }
  }

  fileprivate static func ensureResumes(
    _ history: [Event], _ name: String, _ fileID: String, _ line: UInt, keep: (Self) throws -> Self
  ) throws {
    Coverage.note(history)
    let kept = try states(history).map(keep)
    let whole = states(history)[history.count]
    for cut in 0...history.count {
      var state = kept[cut]
      for event in history[cut...] { state.evolve(event) }
      try ensure(
        state == whole,
        "an uninterrupted replay results in \(swiftSource(of: whole)), but a replay that was resumed from \(name) "
          + "after \(cut) events results in \(swiftSource(of: state))" + selfDifference("the state", whole),
        fileID: fileID, line: line)
    }
  }

  /// Returns the initial state and the states after every event.
  private static func states(_ history: [Event]) -> [Self] {
    history.reduce(into: [Self()]) { states, event in
      var state = states[states.count - 1]
      state.evolve(event)
      states.append(state)
    }
  }
}

extension Decider where Self: Equatable & Codable {
  /// Verifies that a state can be saved: if a saved state is read and the later events are applied to it, the result
  /// must equal the state that all events produce.
  ///
  /// The state is written and read in the same way as in a store that saves the states of a ``SnapshotDecider``. If a
  /// store wouldn't save the state, the check fails with the reason.
  ///
  /// - Parameters:
  ///   - history: The stream's events, in order.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if the states differ, or if a state can't be saved. In the second case, the error contains the
  ///   reason.
  /// - Complexity: O(n²) for n events.
  public static func ensureSnapshotsHold(
    _ history: [Event], fileID: String = #fileID, line: UInt = #line
  ) throws {
    let run = LawRun("ensureSnapshotsHold", of: Self.self)
    defer { run.end() }
    try ensureResumes(history, "the snapshot", fileID, line) { state in
      do {
        return try StateText.again(state)
      } catch {
        throw Unmet(
          description: "the state \(swiftSource(of: state)) can't be saved: \(error)", fileID: fileID, line: line)
      }
    }
  }
}
