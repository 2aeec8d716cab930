import Annals
import TodoDomain

/// The list of a log, and the undo of one user.
///
/// Undo is in the log: another terminal of the user can take back what this one did.
public struct TodoUser: Sendable {
  /// Where the events are.
  public let store: any EventStore
  private let history: UndoHistory

  /// Uses a log.
  ///
  /// - Parameters:
  ///   - store: The log.
  ///   - name: Who undoes: each user takes back what is theirs.
  public init(store: any EventStore, name: String) {
    self.store = store
    history = UndoHistory(store, of: name, deciders: [TodoList.self])
  }

  /// Executes a command, as one step of the undo.
  ///
  /// - Parameters:
  ///   - command: What you want.
  ///   - name: What the step is called.
  /// - Throws: A refusal, or why the log cannot be written.
  public func execute(_ command: TodoCommand, named name: String) throws {
    try history.execute(command, on: TodoList.main, named: name)
  }

  /// Takes back the last step.
  ///
  /// - Returns: A sentence about it, also if there is nothing to undo, or if the list refuses it.
  /// - Throws: Why the log cannot be read or written.
  public func undo() throws -> String {
    let name = try history.stacks().undo.last?.title ?? ""
    return try sentence("undone: \(name)") { try history.undo() }
  }

  /// Does again what was taken back last.
  ///
  /// - Returns: A sentence about it, also if there is nothing to redo, or if the list refuses it.
  /// - Throws: Why the log cannot be read or written.
  public func redo() throws -> String {
    let name = try history.stacks().redo.last?.title ?? ""
    return try sentence("done again: \(name)") { try history.redo() }
  }

  private func sentence(_ done: String, _ body: () throws -> Receipt) throws -> String {
    do {
      _ = try body()
      return done
    } catch let error as UndoError {
      switch error.code {
      case .nothingToUndo: return "nothing to undo"
      case .nothingToRedo: return "nothing to redo"
      default: return error.underlying.map { "\($0)" } ?? error.message
      }
    }
  }
}
