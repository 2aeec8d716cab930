import Annals
import AnnalsTesting
import Testing
import TodoDomain

/// A step through a list's history, with or without undo.
enum Deed: Hashable {
  case command(TodoCommand)
  case undo
  case redo
}

extension Generator<TodoCommand> {
  /// Commands about a few items, so that they meet.
  static var todoCommands: Generator<TodoCommand> {
    let id = Generator<Int>.int(in: 1...4)
    let title = Generator<String>.element(of: ["Milk", "Bread", "milk", "", "two\nlines"])
    return .oneOf(
      title.map { .add($0) }, id.map { .finish(id: $0) }, id.map { .reopen(id: $0) }, id.map { .remove(id: $0) },
      zip(id, title).map { .rename(id: $0, to: $1) })
  }
}

@Suite struct TodoDomainTests {
  @Test func `an item is added, finished, opened again and removed`() throws {
    try TodoList.given().when(.add(" Milk ")).then(.added(id: 1, title: "Milk"))
    try TodoList.given(.added(id: 1, title: "Milk")).when(.finish(id: 1)).then(.finished(id: 1))
    try TodoList.given(.added(id: 1, title: "Milk"), .finished(id: 1)).when(.reopen(id: 1)).then(.reopened(id: 1))
    try TodoList.given(.added(id: 1, title: "Milk")).when(.remove(id: 1)).then(.removed(id: 1))
    try TodoList.given(.added(id: 1, title: "Milk")).when(.rename(id: 1, to: "Bread")).then(
      .renamed(id: 1, to: "Bread"))
    try TodoList.given(.added(id: 1, title: "Milk")).when(.rename(id: 1, to: "Milk")).then()
  }

  @Test func `what does not fit is refused`() throws {
    let milk = TodoEvent.added(id: 1, title: "Milk")
    try TodoList.given().when(.add(" \t")).thenRefused(TodoList.Refusal.noTitle)
    try TodoList.given().when(.add("a\nb")).thenRefused(TodoList.Refusal.moreThanOneLine)
    try TodoList.given().when(.finish(id: 1)).thenRefused(TodoList.Refusal.notThere(1))
    try TodoList.given(milk, .finished(id: 1)).when(.finish(id: 1)).thenRefused(TodoList.Refusal.alreadyDone(1))
    try TodoList.given(milk).when(.reopen(id: 1)).thenRefused(TodoList.Refusal.notDone(1))
    try TodoList.given(milk).when(.restore(id: 1, title: "Tea", isDone: false))
      .thenRefused(TodoList.Refusal.alreadyThere(1))
  }

  @Test func `a number is given once, also if its item was removed`() throws {
    let milk = TodoEvent.added(id: 1, title: "Milk")
    try TodoList.given(milk, .removed(id: 1)).when(.add("Tea")).then(.added(id: 2, title: "Tea"))
    let bread = TodoEvent.added(id: 2, title: "Bread")
    try TodoList.given(milk, bread, .removed(id: 1), .removed(id: 2), milk).when(.add("Tea"))
      .then(.added(id: 3, title: "Tea"))
  }

  @Test func `the list and the decider keep the harness's laws`() throws {
    // Only an undo restores an item.
    let settings = CheckSettings(allowsUnreached: ["restore"])
    try check(Generator<[TodoCommand]>.array(of: .todoCommands), settings: settings) { commands in
      var (list, history): (TodoList, [TodoEvent]) = (TodoList(), [])
      for command in commands {
        try TodoList.ensureDecidesEqually(command, after: history)
        guard let events = try? list.decide(command) else { continue }
        for event in events { list.evolve(event) }
        history += events
      }
      try Todos().ensureAllLaws(history, in: .todos)
      try TodoList.ensureReplaysEqually(history)
    }
  }

  @Test func `each command is taken back, and done again`() throws {
    let deeds = Generator<Deed>.frequency(
      (4, Generator<TodoCommand>.todoCommands.map { Deed.command($0) }), (2, .constant(.undo)), (1, .constant(.redo)))
    try check(Generator<[Deed]>.array(of: deeds)) { deeds in
      let store = MemoryEventStore()
      let history = UndoHistory(store, of: "ann", deciders: [TodoList.self])
      func rows() throws -> [Todo] { Array(try store.list(of: Todos(), .todos).rows) }
      // What the list was before each step, and after each that was taken back.
      var (past, future): ([[Todo]], [[Todo]]) = ([], [])
      for deed in deeds {
        let before = try rows()
        switch deed {
        case .command(let command):
          let head = store.head()
          guard (try? history.execute(command, on: TodoList.main)) != nil else { continue }
          // A command without events is no step.
          if store.head() != head { (past, future) = (past + [before], []) }
        case .undo:
          guard let expected = past.popLast() else { continue }
          try history.undo()
          try ensureEqual(try rows(), expected)
          future.append(before)
        case .redo:
          guard let expected = future.popLast() else { continue }
          try history.redo()
          try ensureEqual(try rows(), expected)
          past.append(before)
        }
      }
    }
  }
}
