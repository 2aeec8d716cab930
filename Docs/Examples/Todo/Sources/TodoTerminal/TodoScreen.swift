import Annals
import TodoDomain

/// The screen as a value: keys, changes and sizes in, lines and requests out.
public struct TodoScreen: Sendable {
  /// What the screen asks of the program.
  public enum Request: Equatable, Sendable {
    /// A command, and what the step is called when it is undone.
    case execute(TodoCommand, named: String)
    case undo
    case redo
    /// Another search, with each letter that is typed.
    case search(String)
    case quit
  }

  /// What the keys do.
  enum Mode: Equatable {
    case list
    case adding
    case renaming(id: Int)
    case searching
  }

  /// How large the terminal is.
  public var size = (rows: 24, columns: 80)
  /// A word about what was done or refused; the next key takes it away.
  public var message = ""
  private(set) var mode = Mode.list
  private(set) var input = ""
  private(set) var search = ""
  private(set) var selected: Int?
  private(set) var pane = ListPane()
  private var top = 0

  public init() {}

  /// Loads the list, once.
  ///
  /// - Parameter results: The list.
  public mutating func load(_ results: Results<Todo>) {
    pane = ListPane(results)
    selected = pane.ids.first
    scroll()
  }

  /// Follows a batch.
  ///
  /// The item that was selected stays selected; if it is gone, the one in its place is.
  ///
  /// - Parameter changes: The batch.
  public mutating func apply(_ changes: Changes<Todo>) {
    let place = selected.flatMap { pane.ids.firstIndex(of: $0) } ?? 0
    pane.apply(changes)
    let ids = pane.ids
    if let selected, ids.contains(selected) { return scroll() }
    selected = ids.isEmpty ? nil : ids[min(place, ids.count - 1)]
    scroll()
  }

  /// The terminal has another size.
  ///
  /// - Parameters:
  ///   - rows: How many lines it has.
  ///   - columns: How many columns it has.
  public mutating func resize(rows: Int, columns: Int) {
    size = (rows, columns)
    scroll()
  }

  /// Follows a key.
  ///
  /// - Parameter key: The key.
  /// - Returns: What the program is to do; nil if there is nothing.
  public mutating func handle(_ key: Key) -> Request? {
    message = ""
    defer { scroll() }
    if key == .control("c") || key == .control("d") { return .quit }
    return mode == .list ? command(key) : typing(key)
  }

  private var todo: Todo? {
    for case .item(let todo) in pane.lines where todo.id == selected { return todo }
    return nil
  }

  private mutating func command(_ key: Key) -> Request? {
    switch key {
    case .up, .character("k"): select(-1)
    case .down, .character("j"): select(1)
    case .character("a"): begin(.adding, with: "")
    case .character("/"): begin(.searching, with: search)
    case .character("u"): return .undo
    case .character("r"), .control("r"): return .redo
    case .character("q"): return .quit
    case .escape where !search.isEmpty:
      search = ""
      return .search("")
    case .character("e"): if let todo { begin(.renaming(id: todo.id), with: todo.title) }
    case .character(" "), .character("x"), .enter:
      if let todo {
        return todo.isDone
          ? .execute(.reopen(id: todo.id), named: "reopen \(todo.title)")
          : .execute(.finish(id: todo.id), named: "finish \(todo.title)")
      }
    case .character("d"): if let todo { return .execute(.remove(id: todo.id), named: "remove \(todo.title)") }
    default: break
    }
    return nil
  }

  private mutating func typing(_ key: Key) -> Request? {
    switch key {
    case .character(let character): input.append(character)
    case .backspace: if !input.isEmpty { input.removeLast() }
    case .control("u"): input = ""
    case .escape:
      let wasSearching = mode == .searching
      mode = .list
      if wasSearching { input = "" } else { return nil }
    case .enter:
      defer { mode = .list }
      switch mode {
      case .adding: return input.isEmpty ? nil : .execute(.add(input), named: "add \(input)")
      case .renaming(let id): return .execute(.rename(id: id, to: input), named: "rename to \(input)")
      case .list, .searching: return nil
      }
    default: return nil
    }
    guard mode == .searching || key == .escape, input != search else { return nil }
    search = input
    return .search(search)
  }

  private mutating func begin(_ mode: Mode, with text: String) { (self.mode, input) = (mode, text) }

  private mutating func select(_ step: Int) {
    let ids = pane.ids
    guard !ids.isEmpty else { return }
    let place = selected.flatMap { ids.firstIndex(of: $0) } ?? 0
    selected = ids[max(0, min(ids.count - 1, place + step))]
  }

  /// How many lines the list has: the first line is the title, the last one the keys, the one before it the input.
  private var height: Int { max(0, size.rows - 3) }

  /// Keeps the selected item on the screen.
  private mutating func scroll() {
    let place =
      pane.lines.firstIndex { if case .item(let todo) = $0 { todo.id == selected } else { false } } ?? 0
    // The header above the first item is shown with it.
    if place <= 1 { top = 0 }
    top = max(min(top, place), place - height + 1, 0)
    top = min(top, max(0, pane.lines.count - height))
  }

  /// The lines of the screen, as many as it has, none longer than it is wide.
  public var lines: [String] {
    let count = pane.ids.count
    var lines = [search.isEmpty ? "Todo · \(count)" : "Todo · \(count) with \"\(search)\""]
    lines += pane.lines.dropFirst(top).prefix(height).map { line in
      switch line {
      case .header(let title): title
      case .item(let todo):
        "\(todo.id == selected ? ">" : " ") [\(todo.isDone ? "x" : " ")] \(todo.title)"
      }
    }
    if count == 0, lines.count < size.rows - 2 {
      lines.append(search.isEmpty ? "Nothing to do. Press a to add an item." : "Nothing found.")
    }
    lines += Array(repeating: "", count: max(0, size.rows - 2 - lines.count))
    lines.append(prompt)
    lines.append(keys)
    return lines.prefix(max(0, size.rows)).map { line in
      line.fitted(to: size.columns, keepsEnd: mode != .list && line == prompt)
    }
  }

  private var prompt: String {
    switch mode {
    case .list: message
    case .adding: "Add: \(input)_"
    case .renaming: "Title: \(input)_"
    case .searching: "Search: \(input)_"
    }
  }

  private var keys: String {
    mode == .list
      ? "a add  space done  e edit  d remove  / search  u undo  r redo  q quit" : "enter keep  esc leave"
  }
}
