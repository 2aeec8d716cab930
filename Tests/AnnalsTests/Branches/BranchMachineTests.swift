import Annals
import AnnalsTesting
import Testing

/// Branches on branches while all of them are written to, beside arrays of commands decided from the beginning.
@Suite struct BranchMachineTests {
  @Test func `what a branch shows is its ground and its commands decided on it, whatever happens`() throws {
    let report = try check(BranchMachine(), settings: CheckSettings(examples: 250))
    let names = [
      "execute(_:)", "flood(_:)", "open(_:)", "merge(_:)", "drop(_:)", "reorder(_:)", "rebase(_:)", "visit(_:)",
      "restart(_:)",
    ]
    for name in names {
      #expect(isQuickLook || report.occurrences[name] ?? 0 > 0, "\(name)")
    }
  }
}

/// What happened to a stall, in which book it stands; no name if it was freed.
private struct PlainStall: Hashable {
  let (stream, stall, name): (String, Int, String?)

  init(_ stream: String, _ stall: Int, _ name: String?) { (self.stream, self.stall, self.name) = (stream, stall, name) }
}

/// What someone wants of a stall: in one book, or in all of them.
private struct PlainWish: Hashable, Codable {
  let book: Int?
  let stall: Int
  let name: String?

  /// What it leads to after some events; nil if it is refused.
  func decide(after events: [PlainStall]) -> PlainStall? {
    let stream = book.map { "Ledger-\($0)" } ?? "Ledgers"
    let name = events.last { $0.stall == stall && (book == nil || $0.stream == stream) }?.name
    return (name == nil) == (self.name == nil) ? nil : PlainStall(stream, stall, self.name)
  }
}

private struct PlainBranch {
  var parent: Int
  var isFloating: Bool
  /// What it stands on, if it does not float.
  var ground: [PlainStall]
  var commands: [(number: Int, wishes: [PlainWish])] = []
  var next = 1
  var refused: [Int] = []
}

private struct BranchModel {
  var base: [PlainStall] = []
  var branches: [Int: PlainBranch] = [:]
  var answer = ""

  /// The events below a branch.
  func ground(_ slot: Int) -> [PlainStall] {
    guard let branch = branches[slot] else { return base }
    return branch.isFloating ? events(branch.parent) : branch.ground
  }

  /// All events of the log (0), or of a branch.
  func events(_ slot: Int) -> [PlainStall] { decided(slot).events }

  func decided(_ slot: Int) -> (events: [PlainStall], refused: [Int]) {
    guard let branch = branches[slot] else { return (base, []) }
    return Self.decide(branch.commands, on: ground(slot))
  }

  static func decide(
    _ commands: [(number: Int, wishes: [PlainWish])], on ground: [PlainStall]
  ) -> (events: [PlainStall], refused: [Int]) {
    var (events, refused) = (ground, [Int]())
    for (number, wishes) in commands {
      var next = events
      let isAccepted = wishes.allSatisfy { wish in
        guard let event = wish.decide(after: next) else { return false }
        next.append(event)
        return true
      }
      if isAccepted { events = next } else { refused.append(number) }
    }
    return (events, refused)
  }

  mutating func execute(_ wishes: [PlainWish], on slot: Int) {
    let events = events(slot)
    let (after, refused) = Self.decide([(0, wishes)], on: events)
    answer = refused.isEmpty ? "\(after.count - events.count)" : "refused"
    guard refused.isEmpty else { return }
    guard var branch = branches[slot] else { return base = after }
    branch.commands.append((branch.next, wishes))
    branch.next += 1
    branches[slot] = branch
  }

  /// Notes what is refused now that the commands are decided again.
  mutating func noteRefused(_ slot: Int) {
    let refused = decided(slot).refused
    branches[slot]?.refused = refused
  }

  /// Ends a branch, and those on it.
  mutating func close(_ slot: Int) {
    branches[slot] = nil
    for (child, branch) in branches where branch.parent == slot { close(child) }
  }
}

private final class BranchScreen {
  let branch: Branch
  let controller: FetchedResultsController<Stall>
  let mirror: MirrorDelegate<Stall>
  let request = ListRequest<Stall>(sort: [.ascending(\.id)], section: .by(\.name, order: .byFirstAppearance))
  var isVisiting = false
  private(set) var faults: [String] = []
  private var observation: ChangeObservation?

  init(_ branch: Branch) throws {
    self.branch = branch
    controller = FetchedResultsController(store: branch, projection: Stalls(), request: request)
    try controller.performFetch()
    mirror = MirrorDelegate(controller.results)
    controller.delegate = mirror
    observation = controller.observe { [unowned self] changes in
      if changes.cause.contains(.seek), !isVisiting { faults.append("a seek from \(changes.old.position)") }
    }
  }
}

private final class BranchSystem {
  let store: any EventStore = MemoryEventStore()
  var screens: [Int: BranchScreen] = [:]
  var answer = ""

  func log(_ slot: Int) -> any EventStore { screens[slot]?.branch ?? store }

  /// A branch that floats on the log is kept by it.
  func open(_ slot: Int, on parent: Int, floating: Bool) throws {
    let branch =
      parent == 0 && floating
      ? try store.draft(named: "\(slot)", deciders: .of(Ledger.self), .of(AllLedgers.self))
      : try log(parent).branch(floating: floating)
    screens[slot] = try BranchScreen(branch)
  }

  func close(_ slot: Int, discarding: Bool = true) {
    guard let screen = screens.removeValue(forKey: slot) else { return }
    if discarding { screen.branch.discard() }
    for (child, other) in screens where other.branch.base === screen.branch { close(child) }
  }
}

private struct BranchMachine: Machine {
  func start() throws -> (model: BranchModel, system: BranchSystem) { (BranchModel(), BranchSystem()) }

  /// Which log, which book, which stall, who: as digits.
  private static func wish(_ number: Int) -> (slot: Int, wishes: [PlainWish]) {
    let (slot, rest) = (number % 4, number / 4)
    func one(_ digits: Int) -> PlainWish {
      PlainWish(
        book: [0, 1, 1, nil][digits % 4], stall: digits / 4 % 3, name: [nil, "a", "b"][digits / 12 % 3])
    }
    let isTransaction = rest / 36 % 4 == 0
    return (slot, isTransaction ? [one(rest), one(rest / 36 / 4)] : [one(rest)])
  }

  /// Twenty wishes: twenty commands, with many refusals, or one transaction across two books.
  private static func flood(_ number: Int) -> (slot: Int, calls: [[PlainWish]]) {
    let (slot, stall) = (number % 4, number / 4 % 3)
    if number / 12 % 2 == 0 {
      return (slot, [(0..<20).map { PlainWish(book: $0 % 2, stall: stall, name: $0 / 2 % 2 == 0 ? "a" : nil) }])
    }
    return (slot, (0..<20).map { wish((number + $0) * 29 % 20_736).wishes })
  }

  private static func run(_ wishes: [PlainWish], on log: any EventStore) throws -> String {
    do {
      let count = try log.transaction { transaction in
        var count = 0
        for wish in wishes {
          if let book = wish.book {
            count += try transaction.execute(wish, on: Ledger["\(book)"]).count
          } else {
            count += try transaction.execute(wish, on: .boundary(AllLedgers.self)).count
          }
        }
        return count
      }
      return "\(count)"
    } catch is Ledger.Refused {
      return "refused"
    }
  }

  var commands: [Command<BranchModel, BranchSystem>] {
    // More events than a query reads without the indices.
    Command("flood(_:)", weight: 2) { _ in
      .int(in: 0...20_735)
    } model: { (model: inout BranchModel, number: Int) in
      let (slot, calls) = Self.flood(number)
      for call in calls { model.execute(call, on: slot) }
    } run: { system, number in
      let (slot, calls) = Self.flood(number)
      for call in calls { system.answer = try Self.run(call, on: system.log(slot)) }
    }
    Command("execute(_:)", weight: 12) { _ in
      .int(in: 0...20_735)
    } model: { (model: inout BranchModel, number: Int) in
      let (slot, wishes) = Self.wish(number)
      model.execute(wishes, on: slot)
    } run: { system, number in
      let (slot, wishes) = Self.wish(number)
      system.answer = try Self.run(wishes, on: system.log(slot))
    }
    Command("open(_:)", weight: 3) { _ in
      .int(in: 0...17)
    } model: { (model: inout BranchModel, number: Int) in
      // A branch is opened on the log, or on one of a smaller number, on which it floats.
      let (slot, below) = (number % 3 + 1, number / 3 % 3)
      let parent = below < slot && model.branches[below] != nil ? below : 0
      model.close(slot)
      let isFloating = parent > 0 || number >= 9
      model.branches[slot] = PlainBranch(parent: parent, isFloating: isFloating, ground: model.events(parent))
    } run: { system, number in
      let (slot, below) = (number % 3 + 1, number / 3 % 3)
      let parent = below < slot && system.screens[below] != nil ? below : 0
      system.close(slot)
      let isFloating = parent > 0 || number >= 9
      try system.open(slot, on: parent, floating: isFloating)
    }
    Command("restart(_:)", weight: 2) { _ in
      .int(in: 1...3)
    } model: { (model: inout BranchModel, slot: Int) in
      guard let branch = model.branches[slot], branch.isFloating, branch.parent == 0 else { return }
      model.close(slot)
      model.branches[slot] = branch
    } run: { system, slot in
      guard let branch = system.screens[slot]?.branch, branch.isFloating, branch.base === system.store else { return }
      system.close(slot, discarding: false)
      try system.open(slot, on: 0, floating: true)
    }
    Command("merge(_:)", weight: 2) { _ in
      .int(in: 1...3)
    } model: { (model: inout BranchModel, slot: Int) in
      guard let branch = model.branches[slot] else { return }
      let events = model.events(branch.parent)
      let (after, refused) = BranchModel.decide(branch.commands, on: events)
      model.answer = "\(refused)"
      guard refused.isEmpty else { return }
      let wishes = branch.commands.flatMap(\.wishes)
      if !wishes.isEmpty { model.execute(wishes, on: branch.parent) }
      model.answer = "\(after.count - events.count)"
      model.close(slot)
    } run: { system, slot in
      guard let screen = system.screens[slot] else { return }
      do {
        system.answer = "\(try screen.branch.merge().count)"
        system.close(slot)
      } catch let conflicts as Branch.MergeError {
        system.answer = "\(conflicts.refused.map(\.command.number))"
      }
    }
    Command("discard(_:)") { _ in
      .int(in: 1...3)
    } model: { (model: inout BranchModel, slot: Int) in
      model.close(slot)
    } run: { system, slot in
      system.close(slot)
    }
    Command("drop(_:)", weight: 2) { _ in
      .int(in: 0...11)
    } model: { (model: inout BranchModel, number: Int) in
      let slot = number % 3 + 1
      guard let commands = model.branches[slot]?.commands, !commands.isEmpty else { return }
      model.branches[slot]?.commands.remove(at: number / 3 % commands.count)
      model.noteRefused(slot)
    } run: { system, number in
      guard let branch = system.screens[number % 3 + 1]?.branch, !branch.commands.isEmpty else { return }
      try branch.drop(branch.commands[number / 3 % branch.commands.count])
    }
    Command("reorder(_:)", weight: 2) { _ in
      .int(in: 1...3)
    } model: { (model: inout BranchModel, slot: Int) in
      guard let commands = model.branches[slot]?.commands else { return }
      model.branches[slot]?.commands = commands.suffix(1) + commands.dropLast()
      model.noteRefused(slot)
    } run: { system, slot in
      guard let branch = system.screens[slot]?.branch else { return }
      let commands = branch.commands
      try branch.reorder(commands.suffix(1) + commands.dropLast())
    }
    Command("rebase(_:)", weight: 2) { _ in
      .int(in: 1...3)
    } model: { (model: inout BranchModel, slot: Int) in
      guard let branch = model.branches[slot] else { return }
      let ground = model.events(branch.parent)
      model.branches[slot]?.ground = ground
      model.noteRefused(slot)
    } run: { system, slot in
      try system.screens[slot]?.branch.rebase()
    }
    Command("visit(_:)", weight: 2) { _ in
      .int(in: 0...29)
    } model: { (_: inout BranchModel, _: Int) in
    } run: { system, number in
      guard let screen = system.screens[number % 3 + 1] else { return }
      screen.isVisiting = true
      defer { screen.isVisiting = false }
      let head = try screen.branch.head().rawValue
      let position = Position(head * (number / 3) / 9)
      try screen.controller.seek(to: position)
      let events = try screen.branch.events(.all, after: 0, through: position, limit: 10_000)
      try ensureEqual(screen.controller.results.rows.map(\.text).sorted(), plainRows(try events.map { try $0.plain }))
      try screen.controller.returnToLive()
    }
  }

  func invariant(_ model: BranchModel, _ system: BranchSystem) throws {
    try ensureEqual(system.answer, model.answer)
    try ensureEqual(try plain(system.store), model.base)
    for (slot, branch) in model.branches {
      guard let screen = system.screens[slot] else { throw MissingScreen(slot: slot) }
      let (events, refused) = model.decided(slot)
      try ensureEqual(try plain(screen.branch), events)
      try ensureFinds(events, in: screen.branch)
      try ensureEqual(screen.branch.fork.rawValue, model.ground(slot).count)
      try ensureEqual(screen.branch.commands.map(\.number), branch.commands.map(\.number))
      let known = branch.isFloating ? refused : branch.refused
      try ensureEqual(screen.branch.conflicts.map(\.command.number), known)
      try ensureEqual(screen.controller.results.rows.map(\.text).sorted(), plainRows(events))
      let fresh = FetchedResultsController(
        store: screen.branch, projection: Stalls(), request: screen.request)
      try fresh.performFetch()
      func sections(_ list: Results<Stall>) -> [String] { list.map { "\($0.title): \($0.map(\.text))" } }
      try ensureEqual(sections(screen.controller.results), sections(fresh.results))
      try ensureEqual(screen.mirror.violations, [])
      try ensureEqual(screen.faults, [])
    }
  }

  private func plain(_ store: any EventStore) throws -> [PlainStall] {
    try store.events(.all, after: 0, through: nil, limit: 10_000).map { try $0.plain }
  }

  /// Compares queries with a scan of all events, from the middle to the end and back.
  private func ensureFinds(_ events: [PlainStall], in branch: Branch) throws {
    let half = events.count / 2
    func ensureFinds(_ query: EventQuery, _ isWanted: (PlainStall) -> Bool) throws {
      let wanted = events.dropFirst(half).filter(isWanted)
      let found = try branch.events(query, after: Position(half), through: nil, limit: 10_000)
      try ensureEqual(try found.map { try $0.plain }, wanted)
      let first = try branch.events(query, after: Position(half), through: nil, limit: 3)
      try ensureEqual(try first.map { try $0.plain }, Array(wanted.prefix(3)))
      let last = try branch.eventsBackwards(query, after: Position(half), through: nil, limit: 3)
      try ensureEqual(try last.map { try $0.plain }, Array(wanted.reversed().prefix(3)))
    }
    for stream in ["Ledger-0", "Ledger-1", "Ledgers"] {
      try ensureFinds(.stream(StreamName(stream))) { $0.stream == stream }
      try ensureEqual(try branch.version(of: StreamName(stream)), events.count { $0.stream == stream })
    }
    try ensureFinds(.tagged("stall:1")) { $0.stall == 1 }
    try ensureFinds(.types("StallFreed")) { $0.name == nil }
    try ensureFinds(.stream("Ledger-0").union(.tagged("stall:2"))) { $0.stream == "Ledger-0" || $0.stall == 2 }
  }
}

private struct MissingScreen: Error { let slot: Int }

private func plainRows(_ events: [PlainStall]) -> [String] {
  var names: [Int: String] = [:]
  for event in events { names[event.stall] = event.name }
  return names.map { "\($0.key) \($0.value)" }.sorted()
}

extension StoredEvent {
  fileprivate var plain: PlainStall {
    get throws {
      let payload = payload ?? ""
      let digits = payload.filter(\.isNumber)
      let name: String? = type == "StallLet" ? (payload.contains("\"a\"") ? "a" : "b") : nil
      return PlainStall("\(stream)", Int(digits) ?? -1, name)
    }
  }
}

private enum StallEvent: Event {
  case `let`(stall: Int, to: String)
  case freed(stall: Int)

  static var typePrefix: String { "Stall" }

  var tags: Set<EventTag> {
    switch self {
    case .let(let stall, _), .freed(let stall): ["stall:\(stall)"]
    }
  }
}

private struct Ledger: Decider {
  struct Refused: Error {}
  var names: [Int: String] = [:]

  func decide(_ wish: PlainWish) throws(Refused) -> [StallEvent] {
    if (names[wish.stall] == nil) == (wish.name == nil) { throw Refused() }
    return [wish.name.map { .let(stall: wish.stall, to: $0) } ?? .freed(stall: wish.stall)]
  }

  mutating func evolve(_ event: StallEvent) {
    switch event {
    case .let(let stall, let name): names[stall] = name
    case .freed(let stall): names[stall] = nil
    }
  }
}

private struct AllLedgers: BoundaryDecider {
  var book = Ledger()

  static func boundary(for wish: PlainWish) -> EventQuery { .tagged(EventTag("stall:\(wish.stall)")) }
  static func stream(for wish: PlainWish) -> StreamName { "Ledgers" }

  func decide(_ wish: PlainWish) throws(Ledger.Refused) -> [StallEvent] { try book.decide(wish) }
  mutating func evolve(_ event: StallEvent) { book.evolve(event) }
}

private struct Stall: Row {
  var id: Int
  var name: String
  var text: String { "\(id) \(name)" }
}

private struct Stalls: Projection {
  /// The tests append random events, which needn't match the rows.
  static let toleratedEvents: Set<String> = ["StallFreed"]

  func project(_ event: StallEvent, into rows: inout Rows<Stall>) {
    switch event {
    case .let(let stall, let name): rows[stall] = Stall(id: stall, name: name)
    case .freed(let stall): rows[stall] = nil
    }
  }
}
