import Annals
import AnnalsTesting
import Testing

/// Erasures while trees of branches and drafts are open.
@Suite struct BranchErasureTests {
  @Test func `no branch shows a value after its erasure`() throws {
    let report = try check(.array(of: .int(in: 0...9_999), count: 1...30), settings: CheckSettings(examples: 400)) {
      numbers in
      let registry = BranchRegistry()
      for number in numbers {
        try registry.run(number)
        try registry.check()
      }
      for step in registry.steps { tally("\(step)") }
    }
    for step in BranchRegistry.Step.allCases where step != .rebase && step != .drop {
      #expect(isQuickLook || report.occurrences["\(step)"] ?? 0 > 0, "\(step): \(report)")
    }
  }

  @Test func `a merge refuses an erased command, which is then dropped`() throws {
    // A draft is opened, gets a name, loses it to an erasure, and is merged.
    let registry = BranchRegistry()
    for number in [14, 10, 6, 18] {
      try registry.run(number)
      try registry.check()
    }
    #expect(registry.steps == [.open, .enter, .erase, .drop])
  }
}

/// A log, three branches in any arrangement, and the names that no log may contain.
private final class BranchRegistry {
  enum Step: CaseIterable { case enter, copy, open, merge, erase, drop, restart, rebase, copiedThenErased }

  let store: any EventStore = MemoryEventStore()
  private(set) var steps: Set<Step> = []
  private var branches: [Int: Branch] = [:]
  private var lists: [Int: FetchedResultsController<Entry>] = [:]
  private var names = 0
  private var erased: Set<String> = []

  func run(_ number: Int) throws {
    let (slot, rest) = (number / 10 % 4, number / 40)
    let log: any EventStore = branches[slot] ?? store
    let person = "p\(rest % 3)"
    switch number % 10 {
    case 0, 1:
      names += 1
      try log.execute(.enter(Personal("name-\(names).", of: person)), on: Registry["main"])
      steps.insert(.enter)
    case 2, 3:
      guard try log.execute(.copy(person), on: Registry["main"]).count > 0 else { return }
      steps.insert(.copy)
    case 4, 5:
      let below = rest % 4
      let base = below < slot ? branches[below] : nil
      guard slot > 0 else { return }
      try open(slot, on: base, floating: rest / 4 % 2 == 0)
      steps.insert(.open)
    case 6, 7: try erase(person)
    case 8: try mergeOrDrop(slot)
    default:
      guard let branch = branches[slot], isDraft(branch) else { return }
      close(slot, discarding: false)
      try open(slot, on: nil, floating: true)
      steps.insert(.restart)
    }
  }

  /// Opens a branch.
  ///
  /// A floating branch of the log is a draft, which the log keeps.
  private func open(_ slot: Int, on base: Branch?, floating: Bool) throws {
    close(slot, discarding: true)
    let branch =
      if base == nil, floating {
        try store.draft(named: "\(slot)", deciders: .of(Registry.self))
      } else {
        try (base ?? store).branch(floating: floating)
      }
    branches[slot] = branch
    let list = FetchedResultsController(store: branch, projection: Entries(), request: ListRequest())
    try list.performFetch()
    lists[slot] = list
  }

  private func isDraft(_ branch: Branch) -> Bool { branch.base === store && branch.isFloating }

  private func close(_ slot: Int, discarding: Bool) {
    guard let branch = branches.removeValue(forKey: slot) else { return }
    lists[slot] = nil
    if discarding { branch.discard() }
    for (child, other) in branches where other.base === branch { close(child, discarding: discarding) }
  }

  private func erase(_ person: String) throws {
    // The log contains its events and the commands of drafts. Other branches keep their commands in memory.
    let logs = [store] + branches.values.filter(isDraft)
    let known = Set(try logs.flatMap { try Self.names(in: $0, of: person) })
    let copied = try branches.values.contains { try Self.events(in: $0).contains { $0.isCopy && $0.person == person } }
    try store.erase(subject: person)
    erased.formUnion(known)
    steps.insert(.erase)
    if copied { steps.insert(.copiedThenErased) }
  }

  private func mergeOrDrop(_ slot: Int) throws {
    guard let branch = branches[slot] else { return }
    do {
      try branch.merge()
      close(slot, discarding: true)
      steps.insert(.merge)
    } catch let conflicts as Branch.MergeError {
      for conflict in conflicts.refused { try branch.drop(conflict.command) }
      steps.insert(.drop)
    }
  }

  /// Rebases fixed branches whose fork no longer exists, because the branch below re-decided its commands.
  private func rebase() throws {
    for slot in branches.keys.sorted() {
      guard let branch = branches[slot], !branch.isFloating else { continue }
      do { _ = try branch.head() } catch let error as EventStoreError where error.code == .rewritten {
        try branch.rebase()
        steps.insert(.rebase)
      }
    }
  }

  func check() throws {
    try rebase()
    try expectNoErased(Self.events(in: store).compactMap(\.name), "the log")
    for (slot, branch) in branches {
      try expectNoErased(Self.events(in: branch).compactMap(\.name), "branch \(slot)")
      try expectNoErased(branch.state(of: Registry["main"]).names.values, "the state of branch \(slot)")
      try expectNoErased(["\(branch.commands)\(branch.conflicts)"], "the commands of branch \(slot)", within: true)
      guard let list = lists[slot] else { continue }
      try expectNoErased(list.results.rows.compactMap(\.name), "the list of branch \(slot)")
      let fresh = FetchedResultsController(store: branch, projection: Entries(), request: ListRequest())
      try fresh.performFetch()
      try ensureEqual(list.results.rows, fresh.results.rows)
    }
  }

  private func expectNoErased(_ found: some Sequence<String>, _ place: String, within: Bool = false) throws {
    for text in found {
      let shown = within ? erased.first { text.contains($0) } : erased.contains(text) ? text : nil
      try ensureEqual(shown.map { "\(place) shows \($0)" }, nil)
    }
  }

  private static func names(in log: any EventStore, of person: String) throws -> [String] {
    try events(in: log).filter { $0.person == person }.compactMap(\.name)
  }

  private static func events(in log: any EventStore) throws -> [Entry] {
    let list = FetchedResultsController(store: log, projection: Entries(), request: ListRequest())
    try list.performFetch()
    return Array(list.results.rows)
  }
}

private enum RegistryEvent: Event {
  case entered(Personal<String>)
  case copied(Personal<String>)
}

/// Copies a name from its state into an event, so that an event contains a value that its command doesn't.
private struct Registry: Decider {
  enum Command: Codable { case enter(Personal<String>), copy(String) }
  var names: [String: String] = [:]

  func decide(_ command: Command) -> [RegistryEvent] {
    switch command {
    case .enter(let name): [.entered(name)]
    case .copy(let person): names[person].map { [.copied(Personal($0, of: person))] } ?? []
    }
  }

  mutating func evolve(_ event: RegistryEvent) {
    switch event {
    case .entered(let name), .copied(let name): names[name.subject] = name.value
    }
  }
}

private struct Entry: Row {
  var id: Int
  var person: String
  var name: String?
  var isCopy: Bool
}

private struct Entries: Projection {
  func project(_ recorded: Recorded<RegistryEvent>, into rows: inout Rows<Entry>) {
    let isCopy = if case .copied = recorded.event { true } else { false }
    switch recorded.event {
    case .entered(let name), .copied(let name):
      rows.insert(Entry(id: Int(recorded.position.rawValue), person: name.subject, name: name.value, isCopy: isCopy))
    }
  }
}
