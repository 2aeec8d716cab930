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
    try ensureUndoes(commands, in: [], fileID, line)
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
    try ensureUndoes(commands, in: [RowsReader(projection)], fileID, line)
  }

  static func ensureUndoes(_ commands: [Command], in lists: [any UndoList], _ fileID: String, _ line: UInt) throws {
    let run = LawRun("ensureUndoes", of: Self.self)
    defer { run.end() }
    let law = UndoLaw<Self>(fileID: fileID, line: line, lists: lists) { history, command in
      try history.execute(command, on: Self["law"])
    } states: { store, _ in
      [try store.state(of: Self["law"])]
    }
    try law.ensure(commands)
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
    try ensureUndoesOnBoundaries(commands, in: [], fileID, line)
  }

  static func ensureUndoesOnBoundaries(
    _ commands: [Command], in lists: [any UndoList], _ fileID: String, _ line: UInt
  ) throws {
    let run = LawRun("ensureUndoes", of: Self.self)
    defer { run.end() }
    let coder = try EventCoder<Event>()
    var readers: [EventQuery: StateReader<Self>] = [:]
    let law = UndoLaw<Self>(fileID: fileID, line: line, lists: lists) { history, command in
      try history.execute(command, on: .boundary(Self.self))
    } states: { store, commands in
      // Several commands can have the same boundary.
      var seen: Set<EventQuery> = []
      let queries = commands.map { coder.widened(boundary(for: $0)) }.filter { seen.insert($0).inserted }
      return try queries.map { query in
        let reader = readers[query] ?? StateReader(query)
        readers[query] = reader
        return try reader.state(in: store)
      }
    }
    try law.ensure(commands)
  }
}

/// A boundary's state, which is updated by the new events of a store.
private final class StateReader<D: Decider> {
  private let query: EventQuery
  /// False if copies of a state share an object, which an update would change in earlier copies, too.
  private let isValue = StateValues.object(in: D()) == nil
  private var (state, position) = (D(), 0 as Position)

  init(_ query: EventQuery) { self.query = query }

  func state(in store: MemoryEventStore) throws -> D {
    if !isValue { (state, position) = (D(), 0) }
    var coder = try EventCoder<D.Event>()
    let head = store.head()
    for event in store.events(query, after: position, through: head, limit: .max) {
      for event in try coder.read(event).events { state.evolve(event) }
    }
    position = head
    return state
  }
}

/// A list of rows that undo and redo must restore.
protocol UndoList: AnyObject {
  /// Returns the rows after all events of a store.
  func rows(in store: MemoryEventStore) throws -> [any Row]
}

/// The rows of a projection, which are updated by the new events of a store.
final class RowsReader<P: Projection>: UndoList {
  private let projection: P
  private var (rows, position) = (Rows(for: P.self), 0 as Position)

  init(_ projection: P) { self.projection = projection }

  func rows(in store: MemoryEventStore) throws -> [any Row] {
    var coder = try EventCoder<P.Event>()
    let head = store.head()
    for event in store.events(.all, after: position, through: head, limit: .max) {
      for new in try coder.read(event).events { try projection.project(Recorded(new, event), into: &rows) }
    }
    position = head
    return rows.all
  }
}

/// The check that commands can be undone and redone, for both streams and boundaries.
private struct UndoLaw<D: UndoableDecider & Equatable> {
  /// The data that undo and redo must restore: the states for the commands so far, and the rows of every list.
  private struct Picture {
    let states: [D]
    let rows: [[any Row]]
  }

  private static var actor: String { "law" }

  let fileID: String
  let line: UInt
  let lists: [any UndoList]
  let execute: (UndoHistory, D.Command) throws -> Receipt
  /// Returns the states for the commands so far: the state of the stream, or the state of every boundary.
  let states: (MemoryEventStore, ArraySlice<D.Command>) throws -> [D]
  private let store = MemoryEventStore(source: "laws")

  init(
    fileID: String, line: UInt, lists: [any UndoList],
    execute: @escaping (UndoHistory, D.Command) throws -> Receipt,
    states: @escaping (MemoryEventStore, ArraySlice<D.Command>) throws -> [D]
  ) {
    self.fileID = fileID
    self.line = line
    self.lists = lists
    self.execute = execute
    self.states = states
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
    Picture(states: try states(store, commands), rows: try lists.map { try $0.rows(in: store) })
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
        description: "\(what): expected the state \(swiftSource(of: expected)), found \(swiftSource(of: found))"
          + selfDifference("the state", expected),
        fileID: fileID, line: line)
    }
    for (expected, found) in zip(expected.rows, found.rows)
    where !expected.elementsEqual(found, by: { $0.isSame(asAny: $1) }) {
      throw Unmet(
        description: "\(what): expected the rows \(source(of: expected)), found \(source(of: found))", fileID: fileID,
        line: line)
    }
  }

  private func source(of rows: [any Row]) -> String {
    "[\(rows.map { swiftSource(of: $0) }.joined(separator: ", "))]"
  }
}
