import Annals
import AnnalsTesting
import Testing

/// Groups that are undone and continued, on a log that is compacted anywhere.
///
/// The model keeps the whole history.
@Suite struct UndoCompactionTests {
  @Test(arguments: [1, 2, 50])
  func `the stacks are those of the whole history without the steps that a compaction has reached`(
    _ levels: Int
  ) throws {
    let report = try check(CutMachine(levels: levels), settings: CheckSettings(examples: 300))
    for command in ["execute(_:)", "continueGroup(_:by:)", "undo(_:)", "redo(_:)", "compact(_:)", "restart()"] {
      #expect(isQuickLook || report.occurrences[command] ?? 0 > 0, "\(command)")
    }
  }

  @Test(arguments: 0...3)
  func `a command in a group that was undone before can be undone after a compaction`(_ horizon: Int) throws {
    let system = CutSystem(levels: 9)
    try system.continueGroup(0, by: 1)
    try system.continueGroup(0, by: 2)
    try system.undo(0)
    try system.continueGroup(0, by: 4)
    if horizon > 0 { try system.compact([1, 2, 4][horizon - 1]) }
    try system.restart()
    #expect(try system.undo(1) == "done")
    #expect(try system.store.state(of: Drawer["1"]).total == 0)
  }

  @Test func `the levels are how many steps are shown, and all can be undone`() throws {
    let store = MemoryEventStore()
    let history = UndoHistory(store, of: "ann", deciders: [Drawer.self], levels: 2)
    for amount in 1...6 { try history.execute(.count(amount), on: Drawer["1"]) }
    var undone = 0
    while try !history.stacks().undo.isEmpty {
      #expect(try history.stacks().undo.count == min(2, 6 - undone))
      try history.undo()
      undone += 1
      #expect(try history.stacks().redo.count == min(2, undone))
    }
    #expect(undone == 6)
    #expect(UndoHistory(store, of: "ann", deciders: [Drawer.self]).levels == 100)
  }
}

/// A log with a drawer, whose compactions make one count of all counts, and two windows of one actor.
private final class CutSystem {
  let store = MemoryEventStore()
  private let levels: Int
  private var windows: [UndoHistory] = []

  init(levels: Int) {
    self.levels = levels
    windows = [window(), window()]
  }

  private func window() -> UndoHistory { UndoHistory(store, of: "ann", deciders: [Drawer.self], levels: levels) }

  func restart() throws { windows = [window(), window()] }

  func execute(_ amount: Int) throws { try windows[0].execute(.count(amount), on: Drawer["1"]) }

  func continueGroup(_ group: Int, by amount: Int) throws {
    try windows[group].execute(.count(amount), on: Drawer["1"], in: "\(group)")
  }

  @discardableResult
  func undo(_ window: Int) throws -> String { try answer { try windows[window].undo() } }

  @discardableResult
  func redo(_ window: Int) throws -> String { try answer { try windows[window].redo() } }

  private func answer(_ body: () throws -> Void) throws -> String {
    do {
      try body()
      return "done"
    } catch let error as UndoError {
      return error.code.rawValue
    }
  }

  /// Makes one event of all up to a position.
  func compact(_ end: Position) throws {
    let total = try store.events(.all, after: 0, through: end, limit: .max).reduce(0) { total, event in
      let payload = try JSONValue(parsing: event.payload ?? "{}")
      return total + (payload["by"]?.int ?? 0)
    }
    var compaction = Compaction(through: end)
    compaction.rewrite(DrawerEvent.self) { _, events in
      events.first.map { [$0.replaced(by: .counted(by: total))] } ?? []
    }
    compaction.prove(Drawer.self)
    try store.compact(compaction)
  }

  /// The steps by how many commands they have and where they end, as all windows and a fresh one have them.
  func stacks() throws -> [[[Int]]] {
    try (windows + [window()]).map { window in
      let stacks = try window.stacks()
      return (stacks.undo + [nil] + stacks.redo).map { step in step.map { [$0.count, Int($0.position.rawValue)] } ?? []
      }
    }
  }
}

/// The whole history of one actor, in which every event is one command.
private struct CutModel {
  struct Step {
    var amounts: [Int]
    var positions: [Int]
    var group: Int?
  }

  let levels: Int
  var total = 0
  var end = 0
  var horizon = 0
  /// The ends of transactions.
  var ends: [Int] = []
  /// All steps, including the steps that a compaction has reached.
  var undo: [Step] = []
  var redo: [Step] = []

  private mutating func append(_ amounts: [Int]) -> [Int] {
    total += amounts.reduce(0, +)
    defer {
      end += amounts.count
      ends.append(end)
    }
    return (1...amounts.count).map { end + $0 }
  }

  mutating func execute(_ amount: Int, in group: Int?) {
    let isNew = redo.contains(where: isWhole)
    let positions = append([amount])
    redo = []
    if !isNew, let group, let last = undo.last, last.group == group, isWhole(last) {
      undo[undo.count - 1].amounts.append(amount)
      undo[undo.count - 1].positions += positions
    } else {
      undo.append(Step(amounts: [amount], positions: positions, group: group))
    }
  }

  private func isWhole(_ step: Step) -> Bool { step.positions.allSatisfy { $0 > horizon } }

  mutating func reverse(isRedo: Bool) -> String {
    let stack = isRedo ? redo : undo
    guard let index = stack.lastIndex(where: isWhole) else { return isRedo ? "nothingToRedo" : "nothingToUndo" }
    let amounts = stack[index].amounts.reversed().map { -$0 }
    let step = Step(amounts: amounts, positions: append(amounts), group: nil)
    if isRedo {
      redo.remove(at: index)
      undo.append(step)
    } else {
      undo.remove(at: index)
      redo.append(step)
    }
    return "done"
  }

  var stacks: [[Int]] {
    let text = { [levels] (steps: [Step]) in
      steps.suffix(levels).map { [$0.amounts.count, $0.positions.last ?? 0] }
    }
    return text(undo.filter(isWhole)) + [[]] + text(redo.filter(isWhole))
  }
}

private struct CutMachine: Machine {
  let levels: Int

  func start() -> (model: CutModel, system: CutSystem) { (CutModel(levels: levels), CutSystem(levels: levels)) }

  private static let amount = Generator<Int>.int(in: 1...3)
  private static let window = Generator<Int>.int(in: 0...1)

  var commands: [Command<CutModel, CutSystem>] {
    Command("execute(_:)", weight: 2, when: { $0.total < 90 }) { _ in
      Self.amount
    } model: { (model: inout CutModel, amount: Int) in
      model.execute(amount, in: nil)
    } run: { system, amount in
      try system.execute(amount)
    }
    Command("continueGroup(_:by:)", weight: 5, when: { $0.total < 90 }) { _ in
      zip(Self.window, Self.amount)
    } model: { (model: inout CutModel, step: (Int, Int)) in
      model.execute(step.1, in: step.0)
    } run: { (system: CutSystem, step: (Int, Int)) in
      try system.continueGroup(step.0, by: step.1)
    }
    Command("undo(_:)", weight: 4) { _ in
      Self.window
    } model: { (model: inout CutModel, _: Int) in
      model.reverse(isRedo: false)
    } run: { (system: CutSystem, window: Int) in
      try system.undo(window)
    }
    Command("redo(_:)", weight: 2, when: { $0.total < 90 }) { _ in
      Self.window
    } model: { (model: inout CutModel, _: Int) in
      model.reverse(isRedo: true)
    } run: { (system: CutSystem, window: Int) in
      try system.redo(window)
    }
    Command("compact(_:)") { (model: CutModel) in
      .element(of: model.ends.filter { $0 > model.horizon })
    } model: { (model: inout CutModel, end: Int) in
      model.horizon = end
    } run: { (system: CutSystem, end: Int) in
      try system.compact(Position(end))
    }
    Command("restart()") { _ in
    } run: { (system: CutSystem) in
      try system.restart()
    }
  }

  func invariant(_ model: CutModel, _ system: CutSystem) throws {
    try ensureEqual(try system.store.state(of: Drawer["1"]).total, model.total)
    for stacks in try system.stacks() { try ensureEqual(stacks, model.stacks) }
  }
}
