import Annals
import Testing

/// The system's menu undoes and redoes the steps of a history.
@MainActor @Suite struct UndoBridgeTests {
  private let store: any EventStore = MemoryEventStore()
  private let menu = Menu()

  @Test func `a menu undoes and redoes what was registered, and hears of what fails`() throws {
    let history = UndoHistory(store, of: "ann", deciders: [Drawer.self])
    var failures: [UndoError.Code?] = []
    let bridge = UndoBridge(history, to: menu) { failures.append(($0 as? UndoError)?.code) }
    for slot in 1...2 {
      try history.execute(.put(slot, "pen"), on: Drawer["1"], named: "Put \(slot)")
      try bridge.register()
      try bridge.register()
    }
    #expect(menu.undoTitles == ["Put 1", "Put 2"])
    menu.undo()
    #expect(menu.undoTitles == ["Put 1"] && menu.redoTitles == ["Put 2"])
    menu.undo()
    #expect(try store.state(of: Drawer["1"]) == Drawer())
    menu.redo()
    #expect(try store.state(of: Drawer["1"]).slots == [1: "pen"])
    menu.redo()
    menu.undo()
    #expect(menu.undoTitles == ["Put 1"] && menu.redoTitles == ["Put 2"] && failures.isEmpty)
    // Another window has taken the first step back meanwhile.
    try UndoHistory(store, of: "ann", deciders: [Drawer.self]).undo()
    menu.undo()
    #expect(failures == [.alreadyReversed] && menu.undoTitles.isEmpty)
    #expect(try store.state(of: Drawer["1"]) == Drawer())
  }
}

/// What `UndoManager` does, where there is none.
@MainActor private final class Menu: UndoRegistering {
  private typealias Action = (title: String?, run: @MainActor @Sendable () -> Void)

  private var undoes: [Action] = []
  private var redoes: [Action] = []
  private var isUndoing = false
  private var isRedoing = false

  var undoTitles: [String?] { undoes.map(\.title) }
  var redoTitles: [String?] { redoes.map(\.title) }

  func registerUndo(named title: String?, _ action: @escaping @MainActor @Sendable () -> Void) {
    if isUndoing { return redoes.append((title, action)) }
    if !isRedoing { redoes = [] }
    undoes.append((title, action))
  }

  func undo() {
    isUndoing = true
    undoes.popLast()?.run()
    isUndoing = false
  }

  func redo() {
    isRedoing = true
    redoes.popLast()?.run()
    isRedoing = false
  }
}
