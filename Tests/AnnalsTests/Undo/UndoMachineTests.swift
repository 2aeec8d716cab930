import Annals
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

/// Two actors undo and redo by two windows each, on logs of several kinds; the model has plain stacks of commands.
@Suite struct UndoMachineTests {
  @Test(arguments: DrawerSystem.Kind.allCases)
  func `two actors take back what is theirs, whatever others do and however often they restart`(
    _ kind: DrawerSystem.Kind
  ) throws {
    let report = try check(
      DrawerMachine(kind: kind), settings: CheckSettings(examples: kind == .file ? 60 : 250))
    for command in ["execute(_:_:)", "undo(_:)", "redo(_:)", "undoOlder(_:_:)", "group(_:_:)", "restart()"] {
      #expect(isQuickLook || report.occurrences[command] ?? 0 > 0, "\(command)")
    }
  }
}

/// A log, and the histories of two actors in two windows.
final class DrawerSystem {
  enum Kind: CaseIterable { case memory, file, branch }

  private let folder = FileManager.default.temporaryDirectory.appending(path: "annals-\(UUID().uuidString)")
  private let kind: Kind
  private(set) var store: any EventStore
  private var histories: [String: [UndoHistory]] = [:]
  private var turn = 0

  init(_ kind: Kind) throws {
    self.kind = kind
    switch kind {
    case .memory: store = MemoryEventStore()
    case .branch: store = try MemoryEventStore().branch()
    case .file:
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      store = try SQLiteEventStore(path: folder.appending(path: "log").path, durability: .process)
    }
    open()
  }

  deinit {
    (store as? SQLiteEventStore)?.close()
    try? FileManager.default.removeItem(at: folder)
  }

  private func open() {
    for actor in ["ann", "bob"] {
      histories[actor] = (0..<2).map { _ in UndoHistory(store, of: actor, deciders: [Drawer.self], levels: 4) }
    }
  }

  /// The actor's windows take turns.
  func history(_ actor: String) -> UndoHistory {
    turn += 1
    return histories[actor, default: []][turn % 2]
  }

  func restart() throws {
    if kind == .file {
      (store as? SQLiteEventStore)?.close()
      store = try SQLiteEventStore(path: folder.appending(path: "log").path, durability: .process)
    }
    open()
  }

  /// A draft with all that was done is merged; another draft goes on.
  func merge() throws {
    guard let branch = store as? Branch else { return }
    try branch.merge()
    store = try branch.base.branch()
    open()
  }

  func answer(_ body: () throws -> Void) throws -> String {
    do {
      try body()
      return "done"
    } catch let error as UndoError {
      return error.code.rawValue
    } catch is Drawer.Refusal {
      return "no"
    }
  }
}

/// What one actor did and took back, as commands that would take it back and what the step is called.
struct DrawerStacks {
  struct Step {
    let name: String
    let inverse: [DrawerCommand]
  }

  var undo: [Step] = []
  var redo: [Step] = []
}

struct DrawerModel {
  var drawer = Drawer()
  var stacks: [String: DrawerStacks] = ["ann": DrawerStacks(), "bob": DrawerStacks()]
  var count = 0

  /// Executes commands, all or none; answers what would take them back: nil for what nothing does.
  mutating func run(_ commands: [DrawerCommand]) -> (changes: Int, inverse: [DrawerCommand]?)? {
    var (state, inverse, changes, isUndoable) = (drawer, [[DrawerCommand]](), 0, false)
    for command in commands {
      let back = state.naiveInverse(of: command)
      guard let events = try? state.decide(command) else { return nil }
      if events.isEmpty { continue }
      changes += events.count
      for event in events { state.evolve(event) }
      if let back {
        isUndoable = true
        inverse.append(back)
      }
    }
    drawer = state
    return (changes, isUndoable ? inverse.reversed().flatMap { $0 } : nil)
  }

  mutating func execute(_ actor: String, _ commands: [DrawerCommand]) -> String {
    guard let result = run(commands) else { return "no" }
    if let inverse = result.inverse {
      count += 1
      stacks[actor]?.undo.append(.init(name: "\(count)", inverse: inverse))
      stacks[actor]?.redo = []
    }
    return "done"
  }

  mutating func reverse(_ actor: String, isRedo: Bool, at place: Int? = nil) -> String {
    guard var own = stacks[actor] else { return "" }
    let source = isRedo ? own.redo : own.undo
    guard !source.isEmpty else { return isRedo ? "nothingToRedo" : "nothingToUndo" }
    let index = place ?? source.count - 1
    let step = source[index]
    let before = drawer
    guard let result = run(step.inverse) else { return "refused" }
    if result.changes == 0 {
      drawer = before
      return "withoutEffect"
    }
    let reversal = DrawerStacks.Step(name: step.name, inverse: result.inverse ?? [])
    if isRedo {
      own.redo.remove(at: index)
      own.undo.append(reversal)
    } else {
      own.undo.remove(at: index)
      own.redo.append(reversal)
    }
    stacks[actor] = own
    return "done"
  }
}

extension Drawer {
  /// What takes a command back, said of the command and the state alone; nil for what nothing does.
  fileprivate func naiveInverse(of command: DrawerCommand) -> [DrawerCommand]? {
    switch command {
    case .put(let slot, _): [.take(slot)]
    case .take(let slot): [.put(slot, slots[slot] ?? "")]
    case .relabel(let slot, _): [.relabel(slot, slots[slot] ?? "")]
    case .count(let amount): [.count(-amount)]
    case .shred: nil
    case .swap(let one, let other): [.relabel(other, slots[other] ?? ""), .relabel(one, slots[one] ?? "")]
    }
  }
}

private struct DrawerMachine: Machine {
  let kind: DrawerSystem.Kind

  func start() throws -> (model: DrawerModel, system: DrawerSystem) { (DrawerModel(), try DrawerSystem(kind)) }

  private static let command = Generator<DrawerCommand> { draw in
    let (slot, label) = (try draw(.int(in: 1...3)), try draw(.element(of: ["a", "b", "c"])))
    switch try draw(.int(in: 0...9)) {
    case 0...3: return .put(slot, label)
    case 4: return .take(slot)
    case 5, 6: return .relabel(slot, label)
    case 7: return .count(try draw(.int(in: -60...60)))
    case 8: return .swap(slot, try draw(.int(in: 1...3)))
    default: return .shred(slot)
    }
  }

  private static let actor = Generator<String>.element(of: ["ann", "bob"])

  var commands: [Command<DrawerModel, DrawerSystem>] {
    Command("execute(_:_:)", weight: 6) { _ in
      zip(Self.actor, Self.command)
    } model: { (model: inout DrawerModel, step: (String, DrawerCommand)) in
      model.execute(step.0, [step.1])
    } run: { system, step in
      try system.answer { try system.history(step.0).execute(step.1, on: Drawer["1"]) }
    }
    Command("group(_:_:)", weight: 2) { _ in
      zip(Self.actor, Generator<[DrawerCommand]>.array(of: Self.command, count: 2...3))
    } model: { (model: inout DrawerModel, step: (String, [DrawerCommand])) in
      model.execute(step.0, step.1)
    } run: { system, step in
      try system.answer {
        try system.history(step.0).transaction { transaction in
          for command in step.1 { try transaction.execute(command, on: Drawer["1"]) }
        }
      }
    }
    Command("executeWithoutHistory(_:)") { _ in
      Self.command
    } model: { (model: inout DrawerModel, command: DrawerCommand) in
      model.run([command]) == nil ? "no" : "done"
    } run: { system, command in
      try system.answer { try system.store.execute(command, on: Drawer["1"]) }
    }
    Command("undo(_:)", weight: 4) { _ in
      Self.actor
    } model: { (model: inout DrawerModel, actor: String) in
      model.reverse(actor, isRedo: false)
    } run: { system, actor in
      try system.answer { try system.history(actor).undo() }
    }
    Command("redo(_:)", weight: 3) { _ in
      Self.actor
    } model: { (model: inout DrawerModel, actor: String) in
      model.reverse(actor, isRedo: true)
    } run: { system, actor in
      try system.answer { try system.history(actor).redo() }
    }
    Command("undoOlder(_:_:)", weight: 2) { _ in
      zip(Self.actor, .int(in: 2...4))
    } model: { (model: inout DrawerModel, step: (String, Int)) in
      let count = model.stacks[step.0]?.undo.count ?? 0
      return count < step.1 ? "too few" : model.reverse(step.0, isRedo: false, at: count - step.1)
    } run: { system, step in
      let history = system.history(step.0)
      let stack = try history.stacks().undo
      return stack.count < step.1 ? "too few" : try system.answer { try history.undo(stack[stack.count - step.1]) }
    }
    Command("restart()") { (model: inout DrawerModel) in
    } run: { system in
      try system.restart()
    }
    Command("merge()") { (model: inout DrawerModel) in
    } run: { system in
      try system.merge()
    }
    Command("erase()") { (model: inout DrawerModel) in
    } run: { system in
      // Caches of another history of the log are of no use.
      if !(system.store is Branch) { _ = try system.store.erase(subject: "no one in particular") }
    }
  }

  func invariant(_ model: DrawerModel, _ system: DrawerSystem) throws {
    try ensureEqual(try system.store.state(of: Drawer["1"]), model.drawer)
    for (actor, own) in model.stacks {
      let stacks = try system.history(actor).stacks()
      try ensureEqual(stacks.undo.count, min(4, own.undo.count))
      try ensureEqual(stacks.redo.count, min(4, own.redo.count))
    }
  }
}
