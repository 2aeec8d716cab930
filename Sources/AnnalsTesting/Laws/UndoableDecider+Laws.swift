public import Annals

// A law for deciders that say what takes their events back.

extension UndoableDecider where Self: Equatable {
  /// Verifies that commands are taken back, and repeated.
  ///
  /// The commands are executed one after the other on one stream, each as a step of an `UndoHistory`. After each of
  /// them the step is undone, which must lead to the state and the rows from before, and redone, which must lead to
  /// those from after it. Then a history that knows the log alone does the same. At the end all steps are undone, the
  /// last first, if each command has been one.
  ///
  /// A command that is refused changes nothing and is counted as a refusal. One that ``UndoableDecider/undoing(_:)``
  /// answers nil for is no step. If no command of all examples was a step, the check fails as one that shows nothing.
  ///
  /// - Parameters:
  ///   - commands: The commands, in order; some may be refused.
  ///   - fileID: The file of the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet``, or why an event cannot be stored.
  /// - Complexity: O(n²) for n commands.
  public static func ensureUndoes(_ commands: [Command], fileID: String = #fileID, line: UInt = #line) throws {
    try law(fileID, line) { _ in 0 }.ensure(commands)
  }

  /// Verifies that commands are taken back, and repeated, in a list too.
  ///
  /// - Parameters:
  ///   - commands: The commands, in order; some may be refused.
  ///   - projection: Whose rows are compared too.
  ///   - fileID: The file of the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet``, or why an event cannot be stored or folded.
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
      try history.execute(command, on: Self.self, id: "law")
    } state: { store, _ in
      try store.state(of: Self.self, id: "law")
    }
  }
}

extension BoundaryDecider where Self: UndoableDecider & Equatable {
  /// Verifies that commands on boundaries are taken back, and repeated.
  ///
  /// It is the law of every undoable decider. The state inside the boundary of each command that was executed is
  /// compared.
  ///
  /// - Parameters:
  ///   - commands: The commands, in order; some may be refused.
  ///   - fileID: The file of the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet``, or why an event cannot be stored.
  /// - Complexity: O(n²) for n commands.
  public static func ensureUndoes(_ commands: [Command], fileID: String = #fileID, line: UInt = #line) throws {
    let law = UndoLaw<Self, Int>(fileID: fileID, line: line) { _ in
      0
    } execute: { history, command in
      try history.execute(command, on: Self.self)
    } state: { store, command in
      var (state, coder) = (Self(), try EventCoder<Event>())
      let query = coder.widened(boundary(for: command))
      for event in store.events(query, after: 0, through: nil, limit: .max) {
        let reading = try coder.read(type: event.type, schema: event.schema, payload: event.payload)
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
      let reading = try coder.read(type: event.type, schema: event.schema, payload: event.payload)
      for new in reading.events { try project(Recorded(new, event), into: &rows) }
    }
    return rows.all
  }
}

/// The law for streams and for boundaries.
private struct UndoLaw<D: UndoableDecider & Equatable, Rows: Equatable> {
  /// What must be as it was: the states of the commands so far, and the rows.
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
    (self.fileID, self.line, self.rows, self.execute, self.state) = (fileID, line, rows, execute, state)
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
      let name = "command \(index + 1), \(swiftSource(of: command)),"
      let after = try picture(soFar)
      for (history, knower) in [(history, ""), (newHistory(), " by a history that knows the log alone")] {
        try change("the undo of \(name)\(knower)") { try history.undo() }
        try ensureEqual(before, picture(soFar), "\(name) undone\(knower)")
        try change("the redo of \(name)\(knower)") { try history.redo() }
        try ensureEqual(after, picture(soFar), "\(name) redone\(knower)")
      }
      steps.append((name, soFar, before))
    }
    // After what nothing takes back, what was before it need not come back.
    guard isWhole else { return }
    let last = newHistory()
    for step in steps.reversed() {
      try change("the undo of \(step.name) after those behind it") { try last.undo() }
      try ensureEqual(step.before, picture(step.commands), "\(step.name) undone after those behind it")
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

  /// Rows with NaN are not equal to themselves.
  private func areSame(_ expected: Rows, _ found: Rows) -> Bool {
    guard let expected = expected as? [any Row], let found = found as? [any Row] else { return expected == found }
    return expected.elementsEqual(found) { $0.isSame(asAny: $1) }
  }
}
