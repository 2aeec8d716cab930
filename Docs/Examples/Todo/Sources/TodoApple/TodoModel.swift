import Annals
import Observation
import TodoDomain

/// The model of both screens: the list, and the commands of their buttons.
@MainActor @Observable public final class TodoModel {
  /// The list; it is `Observable` itself.
  public let todos: FetchedResultsController<Todo>
  /// The reason why the last command was refused, or `nil`.
  public private(set) var message: String?
  private let history: UndoHistory

  /// Creates a model of a log, such as an `SQLiteEventStore` of a file in the app's group.
  ///
  /// - Parameters:
  ///   - store: The log.
  ///   - user: The user who can undo the commands.
  public init(store: some EventStore, user: String) {
    todos = FetchedResultsController(store: store, projection: Todos(), request: .todos)
    history = UndoHistory(store, of: user, deciders: [TodoList.self])
  }

  /// Reads the list, which is empty before.
  public func start() async { await attempt { try await todos.performFetch { _ in } } }

  /// Shows only the items with a text in their titles.
  public func search(_ text: String) async {
    // Before the first fetch there is no list to change.
    guard todos.request.filter != nil || !text.isEmpty else { return }
    await attempt { try await todos.update { $0.search(text) } }
  }

  /// Adds an item.
  ///
  /// - Returns: True if the item was added. Otherwise, `message` contains the reason.
  @discardableResult
  public func add(_ title: String) -> Bool { execute(.add(title), named: "Add \(title)") }

  /// Marks an open item as done, or reopens an item that is done.
  public func toggle(_ todo: Todo) {
    execute(todo.isDone ? .reopen(id: todo.id) : .finish(id: todo.id), named: todo.isDone ? "Reopen" : "Finish")
  }

  /// Removes an item.
  public func remove(_ todo: Todo) { execute(.remove(id: todo.id), named: "Remove \(todo.title)") }

  /// Undoes the user's last step.
  public func undo() { attempt { _ = try history.undo() } }

  /// Redoes the step that was undone last.
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

extension TodoModel {
  /// A list in memory with three items, for previews and tests.
  public static var preview: TodoModel {
    let model = TodoModel(store: MemoryEventStore(), user: "me")
    for title in ["Buy milk", "Call Ann", "Water the plants"] { model.add(title) }
    try? model.todos.performFetch()
    if let todo = model.todos.results.rows.first { model.toggle(todo) }
    return model
  }
}
