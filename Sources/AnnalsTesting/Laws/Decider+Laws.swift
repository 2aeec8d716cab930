public import Annals

// Laws for every decider: pass each one generated histories and commands.

extension Decider {
  /// Verifies that a decision depends on the history alone.
  ///
  /// The decider must decide the same when you ask again, and after the events were stored and read.
  /// - Parameters:
  ///   - command: The command.
  ///   - history: The stream's events, in order.
  ///   - fileID: The file of the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet``, or why an event cannot be stored.
  public static func ensureDecidesEqually(
    _ command: Command, after history: [Event], fileID: String = #fileID, line: UInt = #line
  ) throws {
    Coverage.note(history, isContext: true)
    let stored = try LawHistory(history).recorded.map(\.event)
    let first = try DeciderAnswer(Self.self, command, after: history)
    first.note(Self.self, command)
    for (name, events) in [("again", history), ("after the history was stored", stored)] {
      let found = try DeciderAnswer(Self.self, command, after: events)
      try ensure(first == found, "asked once: \(first), \(name): \(found)", fileID: fileID, line: line)
    }
  }
}

extension Decider where Self: Equatable {
  /// Verifies that a history leads to the same state every time you fold it, even after the events were stored and
  /// read.
  ///
  /// - Parameters:
  ///   - history: The stream's events, in order.
  ///   - fileID: The file of the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet``, or why an event cannot be stored.
  public static func ensureReplaysEqually(
    _ history: [Event], fileID: String = #fileID, line: UInt = #line
  ) throws {
    Coverage.note(history)
    let stored = try LawHistory(history).recorded.map(\.event)
    let whole = states(history)[history.count]
    for (name, events) in [("again", history), ("after it was stored", stored)] {
      let found = states(events)[events.count]
      try ensure(
        found == whole, "folded once: \(swiftSource(of: whole)), \(name): \(swiftSource(of: found))", fileID: fileID,
        line: line)
    }
  }

  /// Verifies that you can split a history anywhere: folding on from the state there leads to the same state.
  ///
  /// The law fails if a state shares something with its copies, such as an object.
  ///
  /// - Parameters:
  ///   - history: The stream's events, in order.
  ///   - fileID: The file of the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet``.
  /// - Complexity: O(n²) for n events.
  public static func ensureResumesAnywhere(
    _ history: [Event], fileID: String = #fileID, line: UInt = #line
  ) throws {
    try ensureResumes(history, "cut", fileID, line) { $0 }
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
        "in one go: \(swiftSource(of: whole)), \(name) after \(cut) events: \(swiftSource(of: state))", fileID: fileID,
        line: line)
    }
  }

  /// The state after each event, and the one before the first.
  private static func states(_ history: [Event]) -> [Self] {
    history.reduce(into: [Self()]) { states, event in
      var state = states[states.count - 1]
      state.evolve(event)
      states.append(state)
    }
  }
}

extension Decider where Self: Equatable & Codable {
  /// Verifies that a state loses nothing when it is saved: a snapshot as JSON and the events after it lead to the same
  /// state.
  ///
  /// The state is written and read as a store does that saves it (``SnapshotDecider``). If a store would not save it,
  /// the law fails with the reason.
  ///
  /// - Parameters:
  ///   - history: The stream's events, in order.
  ///   - fileID: The file of the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet``, also with the reason why a state cannot be saved.
  /// - Complexity: O(n²) for n events.
  public static func ensureSnapshotsHold(
    _ history: [Event], fileID: String = #fileID, line: UInt = #line
  ) throws {
    try ensureResumes(history, "by a snapshot", fileID, line) { state in
      do {
        return try StateText.again(state)
      } catch {
        throw Unmet(
          description: "the state \(swiftSource(of: state)) is not kept: \(error)", fileID: fileID, line: line)
      }
    }
  }
}
