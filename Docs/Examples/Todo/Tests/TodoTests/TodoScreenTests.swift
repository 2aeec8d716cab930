import Annals
import AnnalsTesting
import Testing
import TodoDomain

@testable import TodoTerminal

/// A screen beside a store in memory, driven by keys.
@MainActor private final class Desk {
  let store = MemoryEventStore()
  let user: TodoUser
  let list: FetchedResultsController<Todo>
  var screen = TodoScreen()
  private var observation: ChangeObservation?

  init(_ titles: String...) throws {
    user = TodoUser(store: store, name: "ann")
    list = FetchedResultsController(store: store, projection: Todos(), request: .todos)
    for title in titles { try user.execute(.add(title), named: "add \(title)") }
    try list.performFetch()
    screen.load(list.results)
    observation = list.observe { [unowned self] in screen.apply($0) }
  }

  /// Types characters; "\n" is the enter key.
  func type(_ text: String) throws {
    for character in text { try press(character == "\n" ? .enter : .character(character)) }
  }

  func press(_ key: Key) throws {
    switch screen.handle(key) {
    case .execute(let command, let name)?: try user.execute(command, named: name)
    case .undo?: screen.message = try user.undo()
    case .redo?: screen.message = try user.redo()
    case .search(let text)?: try list.update { $0.search(text) }
    case .quit?, nil: break
    }
  }

  /// The lines that are not empty.
  var lines: [String] { screen.lines.filter { !$0.isEmpty }.dropLast() }
}

@MainActor @Suite struct TodoScreenTests {
  @Test func `items are added, done, edited and removed by keys`() throws {
    let desk = try Desk()
    #expect(desk.lines == ["Todo · 0", "Nothing to do. Press a to add an item."])
    try desk.type("aMilk\naBread\n")
    #expect(desk.lines == ["Todo · 2", "To do", "  [ ] Bread", "> [ ] Milk"])
    try desk.type("x")
    #expect(desk.lines == ["Todo · 2", "To do", "  [ ] Bread", "Done", "> [x] Milk"])
    try desk.press(.up)
    try desk.type("e!\n")
    #expect(desk.lines == ["Todo · 2", "To do", "> [ ] Bread!", "Done", "  [x] Milk"])
    try desk.type("d")
    #expect(desk.lines == ["Todo · 1", "Done", "> [x] Milk"])
    try desk.type("u")
    #expect(desk.lines == ["Todo · 2", "To do", "  [ ] Bread!", "Done", "> [x] Milk", "undone: remove Bread!"])
    try desk.type("r")
    #expect(desk.lines == ["Todo · 1", "Done", "> [x] Milk", "done again: remove Bread!"])
  }

  @Test func `the list follows the search with each letter`() throws {
    let desk = try Desk("Milk", "Bread", "Silk")
    try desk.type("/il")
    #expect(desk.lines == ["Todo · 2 with \"il\"", "To do", "> [ ] Milk", "  [ ] Silk", "Search: il_"])
    try desk.type("x")
    #expect(desk.lines == ["Todo · 0 with \"ilx\"", "Nothing found.", "Search: ilx_"])
    try desk.press(.backspace)
    try desk.type("\n")
    #expect(desk.lines == ["Todo · 2 with \"il\"", "To do", "> [ ] Milk", "  [ ] Silk"])
    try desk.press(.escape)
    #expect(desk.lines.count == 5)
  }

  @Test func `a text that is left with escape changes nothing`() throws {
    let desk = try Desk("Milk")
    let head = desk.store.head()
    try desk.type("aBread")
    try desk.press(.escape)
    try desk.type("e now")
    try desk.press(.escape)
    #expect(desk.store.head() == head && desk.screen.mode == .list)
    #expect(desk.screen.handle(.character("q")) == .quit && desk.screen.handle(.control("c")) == .quit)
  }

  @Test func `the pane that follows batches is the pane of the whole list`() throws {
    try check(Generator<[TodoCommand]>.array(of: .todoCommands)) { commands in
      let store = MemoryEventStore()
      var old = try store.list(of: Todos(), .todos)
      var pane = ListPane(old)
      for (index, command) in commands.enumerated() {
        _ = try? store.execute(command, on: TodoList.main)
        var request = ListRequest<Todo>.todos
        if index % 3 == 2 { request.search("il") }
        let new = try store.list(of: Todos(), request)
        let changes = Changes(from: old, to: new)
        let read = pane.apply(changes)
        try ensureEqual(pane, ListPane(new))
        // No more lines are read than the batch names.
        try ensure(read <= changes.rows.count + changes.sections.count, "read \(read) lines")
        old = new
      }
    }
  }

  @Test func `the screen has its size, and shows the selected item, whatever the size and the keys`() throws {
    let keys = Generator<[Key]>.array(
      of: .element(of: [Key.up, .down, .character("d"), .character("u"), .character("x")]))
    try check(zip(keys, .int(in: 0...8), .int(in: 0...30))) { keys, rows, columns in
      try MainActor.assumeIsolated {
        let desk = try Desk(
          "Milk", "Bread", "日本語の本", "Tea", "e\u{1b}[2Jvil", "A long title that no screen has room for")
        desk.screen.resize(rows: rows, columns: columns)
        for key in keys {
          try desk.press(key)
          let lines = desk.screen.lines
          try ensureEqual(lines.count, rows)
          for line in lines {
            try ensure(line.reduce(0) { $0 + $1.columns } <= columns, "\"\(line)\" has more than \(columns) columns")
            try ensure(!line.contains("\u{1b}"), "a title commands the terminal")
          }
          let isShown = lines.contains { $0.hasPrefix(">") }
          try ensure(
            isShown || desk.screen.selected == nil || rows < 4 || columns < 2, "the selected item is not shown")
        }
      }
    }
  }

  @Test func `only lines that differ are written`() {
    #expect(Frame.difference(from: ["a", "b"], to: ["a", "c"]) == "\u{1b}[2;1H\u{1b}[2Kc")
    #expect(Frame.difference(from: ["a", "b"], to: ["a"]) == "\u{1b}[2;1H\u{1b}[2K")
    #expect(Frame.difference(from: ["a"], to: ["a"]) == "")
  }

  @Test func `keys come in pieces`() {
    var bytes = Array("a\u{1b}[A\u{1b}OB\r\u{7f}\u{3}é".utf8)
    let last = bytes.removeLast()
    #expect(Key.keys(in: &bytes) == [.character("a"), .up, .down, .enter, .backspace, .control("c")])
    bytes.append(last)
    #expect(Key.keys(in: &bytes) == [.character("é")] && bytes.isEmpty)
    bytes = [0x1b]
    #expect(Key.keys(in: &bytes) == [.escape])
  }
}
