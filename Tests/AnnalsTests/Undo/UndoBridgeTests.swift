import Annals
import Testing

/// The system's menu undoes and redoes the steps of a history.
@MainActor @Suite struct UndoBridgeTests {
  private let store: any EventStore = MemoryEventStore()
  private let menu = Menu()

  @Test func `a menu undoes and redoes the registered steps, and reports a failed undo`() throws {
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

  @Test func `a screen removes its steps from the menu, and the history keeps them`() throws {
    let history = UndoHistory(store, of: "ann", deciders: [Drawer.self])
    let screens = (0..<2).map { _ in UndoBridge(history, to: menu) { Issue.record($0) } }
    for slot in 1...4 {
      try history.execute(.put(slot, "pen"), on: Drawer["1"], named: "Put \(slot)")
      try screens[slot % 2].register()
    }
    menu.undo()
    menu.undo()
    #expect(menu.undoTitles == ["Put 1", "Put 2"] && menu.redoTitles == ["Put 4", "Put 3"])
    screens[0].removeActions()
    #expect(menu.undoTitles == ["Put 1"] && menu.redoTitles == ["Put 3"])
    #expect(try history.stacks().undo.map(\.title) == ["Put 1", "Put 2"])
    try history.execute(.put(5, "pen"), on: Drawer["1"], named: "Put 5")
    try screens[0].register()
    #expect(menu.undoTitles == ["Put 1", "Put 5"] && menu.redoTitles.isEmpty)
    menu.undo()
    #expect(try store.state(of: Drawer["1"]).slots.keys.sorted() == [1, 2])
  }
}

/// A menu like `UndoManager`, for systems without it.
@MainActor private final class Menu: UndoRegistering {
  private typealias Action = (target: UndoBridge, title: String?, run: @MainActor @Sendable () -> Void)

  private var undoes: [Action] = []
  private var redoes: [Action] = []
  private var isUndoing = false
  private var isRedoing = false

  var undoTitles: [String?] { undoes.map(\.title) }
  var redoTitles: [String?] { redoes.map(\.title) }

  func registerUndo(
    withTarget target: UndoBridge, named title: String?, _ action: @escaping @MainActor @Sendable () -> Void
  ) {
    if isUndoing { return redoes.append((target, title, action)) }
    if !isRedoing { redoes = [] }
    undoes.append((target, title, action))
  }

  func removeAllActions(withTarget target: Any) {
    undoes.removeAll { $0.target === target as AnyObject }
    redoes.removeAll { $0.target === target as AnyObject }
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
