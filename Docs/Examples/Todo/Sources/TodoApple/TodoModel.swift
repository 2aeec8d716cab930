import Annals
import Observation
import TodoDomain

/// What both screens need: the list, and the commands of their buttons.
@MainActor @Observable public final class TodoModel {
  /// The list; it is `Observable` itself.
  public let todos: FetchedResultsController<Todo>
  /// Why the last command was refused.
  public private(set) var message: String?
  private let history: UndoHistory

  /// Uses a log, such as an `SQLiteEventStore` of a file in the app's group.
  ///
  /// - Parameters:
  ///   - store: The log.
  ///   - user: Whose undo it is.
  public init(store: some EventStore, user: String) {
    todos = FetchedResultsController(store: store, projection: Todos(), request: .todos)
    history = UndoHistory(store, of: user, deciders: [TodoList.self])
  }

  /// Reads the list.
  ///
  /// Until then it is empty.
  public func start() async { await attempt { try await todos.performFetch { _ in } } }

  /// Shows the items whose titles contain a text.
  public func search(_ text: String) async {
    // Before the first fetch there is no list to change.
    guard todos.request.filter != nil || !text.isEmpty else { return }
    await attempt { try await todos.update { $0.search(text) } }
  }

  /// Adds an item.
  ///
  /// - Returns: True if it was added; else `message` says why not.
  @discardableResult
  public func add(_ title: String) -> Bool { execute(.add(title), named: "Add \(title)") }

  /// Marks an item as done, or as to be done.
  public func toggle(_ todo: Todo) {
    execute(todo.isDone ? .reopen(id: todo.id) : .finish(id: todo.id), named: todo.isDone ? "Reopen" : "Finish")
  }

  /// Removes an item.
  public func remove(_ todo: Todo) { execute(.remove(id: todo.id), named: "Remove \(todo.title)") }

  /// Takes back what the user did last.
  public func undo() { attempt { _ = try history.undo() } }

  /// Does it again.
  public func redo() { attempt { _ = try history.redo() } }

  @discardableResult
  private func execute(_ command: TodoCommand, named name: String) -> Bool {
    attempt { _ = try history.execute(command, on: TodoList.main, named: name) }
  }

  @discardableResult
  private func attempt(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      message = nil
      return true
    } catch {
      message = "\(error)"
      return false
    }
  }

  private func attempt(_ body: () async throws -> Void) async {
    do { try await body() } catch { message = "\(error)" }
  }
}
