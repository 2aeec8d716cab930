public import Annals
import AnnalsLog

// A law for deciders that can undo their events.

extension UndoableDecider where Self: Equatable {
  /// Verifies that commands can be undone and redone.
  ///
  /// The commands are executed one after the other on one stream, as steps of an `UndoHistory`. After every command,
  /// the step is undone. This must restore the state from before the command. Then the step is redone. This must
  /// restore the state from after the command. A new `UndoHistory` that reads only the log must produce the same
  /// results. If every command that had an effect is a step, all steps are undone in reverse order at the end.
  ///
  /// A refused command has no effect, and its error is counted in ``CheckReport/refusals``. A command for which
  /// ``UndoableDecider/undoing(_:)`` returns `nil` isn't a step, so it isn't undone. If no command of any case is a
  /// step, the check fails, because no command was undone.
  ///
  /// - Parameters:
  ///   - commands: The commands, in order. The decider can refuse some of them.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if an undo or a redo fails or restores a wrong state. Another error if an event can't be
  ///   stored.
  /// - Complexity: O(n²) for n commands.
  public static func ensureUndoes(_ commands: [Command], fileID: String = #fileID, line: UInt = #line) throws {
    try law(fileID, line) { _ in 0 }.ensure(commands)
  }

  /// Verifies that commands can be undone and redone, and that undo and redo restore a projection's rows, too.
  ///
  /// - Parameters:
  ///   - commands: The commands, in order. The decider can refuse some of them.
  ///   - projection: The projection that builds the rows. Undo and redo must restore these rows.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if an undo or a redo fails, or restores a wrong state or wrong rows. Another error if an event
  ///   can't be stored or applied.
  /// - Complexity: O(n²) for n commands.
  public static func ensureUndoes<P: Projection>(
    _ commands: [Command], in projection: P, fileID: String = #fileID, line: UInt = #line
  ) throws where P.Event == Event {
    try law(fileID, line) { try projection.rows(in: $0) }.ensure(commands)
  }

  private static func law<Rows: Equatable>(
    _ fileID: String, _ line: UInt, rows: @escaping (MemoryEventStore) throws -> Rows
  ) -> UndoLaw<Self, Rows> {
    UndoLaw(fileID: fileID, line: line, rows: rows) { history, command in
      try history.execute(command, on: Self["law"])
    } state: { store, _ in
      try store.state(of: Self["law"])
    }
  }
}

extension BoundaryDecider where Self: UndoableDecider & Equatable {
  /// Verifies that commands on boundaries can be undone and redone.
  ///
  /// This check works like the check of an undoable decider on a stream, but it compares the states of boundaries. A
  /// boundary's state is the result of the events that match the boundary's query. After every undo and redo, the check
  /// compares the states of the boundaries of all commands so far.
  ///
  /// - Parameters:
  ///   - commands: The commands, in order. The decider can refuse some of them.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if an undo or a redo fails or restores a wrong state. Another error if an event can't be
  ///   stored.
  /// - Complexity: O(n²) for n commands.
  public static func ensureUndoes(_ commands: [Command], fileID: String = #fileID, line: UInt = #line) throws {
    let law = UndoLaw<Self, Int>(fileID: fileID, line: line) { _ in
      0
    } execute: { history, command in
      try history.execute(command, on: .boundary(Self.self))
    } state: { store, command in
      var (state, coder) = (Self(), try EventCoder<Event>())
      let query = coder.widened(boundary(for: command))
      for event in store.events(query, after: 0, through: nil, limit: .max) {
        let reading = try coder.read(event)
        for event in reading.events { state.evolve(event) }
      }
      return state
    }
    try law.ensure(commands)
  }
}

extension Projection {
  fileprivate func rows(in store: MemoryEventStore) throws -> [Row] {
    var (rows, coder) = (Rows(for: Self.self), try EventCoder<Event>())
    for event in store.events(.all, after: 0, through: nil, limit: .max) {
      let reading = try coder.read(event)
      for new in reading.events { try project(Recorded(new, event), into: &rows) }
    }
    return rows.all
  }
}

/// The check that commands can be undone and redone, for both streams and boundaries.
private struct UndoLaw<D: UndoableDecider & Equatable, Rows: Equatable> {
  /// The data that undo and redo must restore: the states of the commands so far, and the rows.
  private struct Picture {
    let states: [D]
    let rows: Rows
  }

  private static var actor: String { "law" }

  let fileID: String
  let line: UInt
  let rows: (MemoryEventStore) throws -> Rows
  let execute: (UndoHistory, D.Command) throws -> Receipt
  let state: (MemoryEventStore, D.Command) throws -> D
  private let store = MemoryEventStore(source: "laws")

  init(
    fileID: String, line: UInt, rows: @escaping (MemoryEventStore) throws -> Rows,
    execute: @escaping (UndoHistory, D.Command) throws -> Receipt,
    state: @escaping (MemoryEventStore, D.Command) throws -> D
  ) {
    self.fileID = fileID
    self.line = line
    self.rows = rows
    self.execute = execute
    self.state = state
  }

  func ensure(_ commands: [D.Command]) throws {
    let history = newHistory()
    var steps: [(name: String, commands: ArraySlice<D.Command>, before: Picture)] = []
    var isWhole = true
    for (index, command) in commands.enumerated() {
      let soFar = commands[...index]
      let before = try picture(soFar)
      let count: Int
      do {
        count = try execute(history, command).count
      } catch let error as EventCodingError {
        throw error
      } catch {
        Coverage.note(D.self, command, events: 0, refusal: EnumCases.name(of: error))
        continue
      }
      guard try history.stacks().undo.count > steps.count else {
        Coverage.note(D.self, command, events: 0, refusal: nil)
        if count > 0 { isWhole = false }
        continue
      }
      Coverage.note(D.self, command, events: count, refusal: nil)
      let name = "command \(index + 1) (\(swiftSource(of: command)))"
      let after = try picture(soFar)
      for (history, knower) in [(history, ""), (newHistory(), " with a new `UndoHistory` that only reads the log")] {
        try change("the undo of \(name)\(knower)") { try history.undo() }
        try ensureEqual(before, picture(soFar), "after the undo of \(name)\(knower)")
        try change("the redo of \(name)\(knower)") { try history.redo() }
        try ensureEqual(after, picture(soFar), "after the redo of \(name)\(knower)")
      }
      steps.append((name, soFar, before))
    }
    // If a command can't be undone, undoing the steps before it might not restore their states.
    guard isWhole else { return }
    let last = newHistory()
    for step in steps.reversed() {
      try change("after the undo of all later commands, the undo of \(step.name)") { try last.undo() }
      try ensureEqual(step.before, picture(step.commands), "after the undo of \(step.name) and of all later commands")
    }
  }

  private func newHistory() -> UndoHistory {
    UndoHistory(store, of: Self.actor, deciders: [D.self], levels: 1_000)
  }

  private func picture(_ commands: ArraySlice<D.Command>) throws -> Picture {
    Picture(states: try commands.map { try state(store, $0) }, rows: try rows(store))
  }

  private func change(_ what: String, _ body: () throws -> Receipt) throws {
    do {
      _ = try body()
    } catch let error as UndoError {
      throw Unmet(description: "\(what) fails: \(error)", fileID: fileID, line: line)
    }
  }

  private func ensureEqual(_ expected: Picture, _ found: Picture, _ what: String) throws {
    for (expected, found) in zip(expected.states, found.states) where expected != found {
      throw Unmet(
        description: "\(what): expected the state \(swiftSource(of: expected)), found \(swiftSource(of: found))",
        fileID: fileID, line: line)
    }
    if !areSame(expected.rows, found.rows) {
      throw Unmet(
        description: "\(what): expected the rows \(swiftSource(of: expected.rows)), found "
          + swiftSource(of: found.rows), fileID: fileID, line: line)
    }
  }

  /// Compares rows, because rows with NaN aren't equal to themselves.
  private func areSame(_ expected: Rows, _ found: Rows) -> Bool {
    guard let expected = expected as? [any Row], let found = found as? [any Row] else { return expected == found }
    return expected.elementsEqual(found) { $0.isSame(asAny: $1) }
  }
}
