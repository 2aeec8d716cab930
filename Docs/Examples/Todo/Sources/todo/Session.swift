import Annals
import TodoDomain
import TodoTerminal

/// A screen on a terminal, from the first key to the last one.
@MainActor final class Session {
  private let user: TodoUser
  private let todos: FetchedResultsController<Todo>
  private let terminal = Terminal()
  private var screen = TodoScreen()
  /// What the terminal shows.
  private var shown: [String] = []

  init(_ user: TodoUser) {
    self.user = user
    todos = FetchedResultsController(store: user.store, projection: Todos(), request: .todos)
  }

  func run() async throws {
    try await todos.performFetch { _ in }
    screen.load(todos.results)
    let inputs = Inputs()
    // A batch of another terminal comes between two keys: the loop is woken to draw it.
    let observation = todos.observe { [unowned self] changes in
      screen.apply(changes)
      inputs.continuation.yield(.changed)
    }
    terminal.enter()
    terminal.write(Frame.enter)
    defer {
      observation.cancel()
      terminal.write(Frame.leave)
      terminal.leave()
    }
    resize()
    var bytes: [UInt8] = []
    for await input in inputs.stream {
      switch input {
      case .ended: return
      case .resized: resize()
      case .changed: draw()
      case .bytes(let more):
        bytes += more
        for key in Key.keys(in: &bytes) {
          guard let request = screen.handle(key) else { continue }
          if request == .quit { return }
          try await perform(request)
        }
        draw()
      }
      if let failure = todos.failure { throw failure }
    }
  }

  private func perform(_ request: TodoScreen.Request) async throws {
    do {
      switch request {
      case .execute(let command, let name): try user.execute(command, named: name)
      case .undo: screen.message = try user.undo()
      case .redo: screen.message = try user.redo()
      case .search(let text): try await todos.update { $0.search(text) }
      case .quit: break
      }
    } catch let refusal as TodoList.Refusal {
      screen.message = "\(refusal)"
    }
  }

  private func resize() {
    let size = terminal.size
    screen.resize(rows: size.rows, columns: size.columns)
    shown = []
    terminal.write(Frame.clear)
    draw()
  }

  private func draw() {
    let lines = screen.lines
    terminal.write(Frame.difference(from: shown, to: lines))
    shown = lines
  }
}
