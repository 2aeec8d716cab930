public import Annals

// What must hold of every decider: hand each law generated histories and commands.

extension Decider {
  /// Demands that a decision is a function of the history alone: asked again, and asked after the events were stored and
  /// read, the decider says the same.
  ///
  /// - Parameters:
  ///   - command: What someone wants.
  ///   - history: The stream's events, in order.
  ///   - fileID: Where this is written.
  ///   - line: Where this is written.
  /// - Throws: ``Unmet``, or why an event cannot be stored.
  public static func ensureDecidesEqually(
    _ command: Command, after history: [Event], fileID: String = #fileID, line: UInt = #line
  ) throws {
    let stored = try LawHistory(history).recorded.map(\.event)
    let first = try DeciderAnswer(Self.self, command, after: history)
    for (name, events) in [("again", history), ("after the history was stored", stored)] {
      let found = try DeciderAnswer(Self.self, command, after: events)
      try ensure(first == found, "asked once: \(first), \(name): \(found)", fileID: fileID, line: line)
    }
  }
}

extension Decider where Self: Equatable {
  /// Demands that a history leads to the same state whenever it is folded, also after it was stored and read.
  ///
  /// - Parameters:
  ///   - history: The stream's events, in order.
  ///   - fileID: Where this is written.
  ///   - line: Where this is written.
  /// - Throws: ``Unmet``, or why an event cannot be stored.
  public static func ensureReplaysEqually(
    _ history: [Event], fileID: String = #fileID, line: UInt = #line
  ) throws {
    let stored = try LawHistory(history).recorded.map(\.event)
    let whole = states(history)[history.count]
    for (name, events) in [("again", history), ("after it was stored", stored)] {
      let found = states(events)[events.count]
      try ensure(
        found == whole, "folded once: \(swiftSource(of: whole)), \(name): \(swiftSource(of: found))", fileID: fileID,
        line: line)
    }
  }

  /// Demands that a history can be cut anywhere: whoever folds on from the state there comes to the same state.
  ///
  /// A state that shares something with its copies, such as an object, breaks this.
  ///
  /// - Parameters:
  ///   - history: The stream's events, in order.
  ///   - fileID: Where this is written.
  ///   - line: Where this is written.
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

  /// The state after each event; the first is that of no event.
  private static func states(_ history: [Event]) -> [Self] {
    history.reduce(into: [Self()]) { states, event in
      var state = states[states.count - 1]
      state.evolve(event)
      states.append(state)
    }
  }
}

extension Decider where Self: Equatable & Codable {
  /// Demands that a state loses nothing when it is kept: a snapshot as JSON and the events after it are the whole.
  ///
  /// The state is written and read as a store does that keeps it (``SnapshotDecider``); one that a store would not keep is refused
  /// with the reason.
  ///
  /// - Parameters:
  ///   - history: The stream's events, in order.
  ///   - fileID: Where this is written.
  ///   - line: Where this is written.
  /// - Throws: ``Unmet``, also with the reason why a state cannot be kept.
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
