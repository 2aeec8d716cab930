import Annals
import AnnalsSQLite
import AnnalsTesting
import Foundation
import Testing

/// A kept draft with two openers, compared with a plain program: commands, merges, erasures and restarts in any order.
@Suite struct DraftMachineTests {
  @Test(arguments: [false, true])
  func `two openers of a draft agree with a plain program, with ids from a small pool and erasures`(
    isFile: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let report = try check(
      DraftMachine(folder: isFile ? folder : nil), settings: CheckSettings(examples: isFile ? 120 : 600))
    let isShort = ProcessInfo.processInfo.environment["ANNALS_EXAMPLES"] != nil
    for name in ["execute(_:)", "append(_:)", "merge(_:)", "drop(_:)", "reorder(_:)", "erase(_:)", "open(_:)"] {
      #expect(isShort || report.occurrences[name] ?? 0 > 0, "\(name)")
    }
  }

  @Test func `the model of drafts predicts calls that are closed, repeated, reused or in conflict`() {
    var model = DraftModel()
    model.open(0)
    model.execute(PlainCall(5, nil, nil), on: 0)
    model.open(1)
    model.execute(PlainCall(1, nil, nil), on: 0)
    model.execute(PlainCall(2, nil, nil), on: 1)
    #expect(model.answer == "closed")
    model.merge(0, id: "x")
    #expect(model.answer == "2")
    model.merge(1, id: nil)
    #expect(model.answer == "repeated 2")
    model.append(PlainCall(3, nil, "x"))
    #expect(model.answer == "reused")
    model.open(0)
    model.execute(PlainCall(4, "ann", nil), on: 0)
    model.erase("ann")
    model.merge(0, id: nil)
    #expect(model.answer == "conflicts [1]")
  }
}

private let persons: [String?] = [nil, "ann", "bob"]
private let ids: [String?] = [nil, nil, "x", "y"]

/// A command of a test: an amount that nothing else may have, and perhaps a person and an id.
private struct PlainCall: Equatable {
  let amount: Int
  let person: String?
  let id: String?

  init(_ amount: Int, _ person: String?, _ id: String?) { (self.amount, self.person, self.id) = (amount, person, id) }

  /// One of 72.
  init(digits: Int) { self.init(digits % 6, persons[digits / 6 % 3], ids[digits / 18 % 4]) }

  var command: PadCommand { PadCommand(amount: amount, by: person.map { Personal($0.capitalized, of: $0) }) }
  /// Distinguishes commands that are given one id.
  var digest: String { "\(amount) \(person ?? "-")" }
}

/// The call that an id was used for.
private struct PlainUse {
  let call: String
  var digest: String?

  func isCompatible(with other: PlainUse) -> Bool {
    call == other.call && (digest == nil || other.digest == nil || digest == other.digest)
  }
}

private struct PlainItem {
  let number: Int
  let call: PlainCall
  var isErased = false

  var use: PlainUse { PlainUse(call: "execute", digest: call.digest) }
}

/// A draft as the store has it.
private struct PlainKept {
  let draft: Int
  var edition: Int
  var items: [PlainItem]
  var last: Int
}

/// A draft as an opener has it.
private struct PlainHandle {
  enum Phase { case open, discarded, merged(Int) }

  let draft: Int
  var edition: Int
  var items: [PlainItem]
  var next: Int
  var refused: [Int] = []
  var head = -1
  var revision = -1
  var phase = Phase.open
}

private struct PlainNote: Equatable, CustomStringConvertible {
  let amount: Int
  var person: String?

  var description: String { "\(amount)\(person.map { " " + $0 } ?? "")" }
}

private struct DraftModel {
  var log: [PlainNote] = []
  var used: [String: (use: PlainUse, count: Int)] = [:]
  var kept: PlainKept?
  var handles: [PlainHandle?] = [nil, nil]
  var (revision, drafts) = (0, 0)
  var answer = ""

  private struct Refusal: Error { let answer: String }

  private func known(_ id: String?, _ use: PlainUse) throws -> Int? {
    guard let id, let first = used[id] else { return nil }
    if !first.use.isCompatible(with: use) { throw Refusal(answer: "reused") }
    return first.count
  }

  private static func decided(_ items: [PlainItem], on log: [PlainNote]) -> (notes: [PlainNote], refused: [Int]) {
    var (notes, refused) = ([PlainNote](), [Int]())
    for item in items {
      if item.isErased || (log + notes).contains(where: { $0.amount == item.call.amount }) {
        refused.append(item.number)
      } else {
        notes.append(PlainNote(amount: item.call.amount, person: item.call.person))
      }
    }
    return (notes, refused)
  }

  private mutating func answering(_ body: (inout DraftModel) throws -> String) {
    do { answer = try body(&self) } catch { answer = (error as? Refusal)?.answer ?? "?" }
  }

  // MARK: The log

  mutating func append(_ call: PlainCall) {
    answering { model in
      let use = PlainUse(call: "execute", digest: call.digest)
      if let count = try model.known(call.id, use) { return "repeated \(count)" }
      if model.log.contains(where: { $0.amount == call.amount }) { return "refused" }
      model.log.append(PlainNote(amount: call.amount, person: call.person))
      if let id = call.id { model.used[id] = (use, 1) }
      return "1"
    }
  }

  mutating func erase(_ person: String) {
    let ofLog = log.indices.filter { log[$0].person == person }
    let items = kept?.items ?? []
    let ofDraft = items.indices.filter { !items[$0].isErased && items[$0].call.person == person }
    answer = "\(ofLog.count + ofDraft.count)"
    if answer == "0" { return }
    for index in ofLog { log[index].person = nil }
    for index in ofDraft { kept?.items[index].isErased = true }
    if !ofDraft.isEmpty { kept?.edition += 1 }
    revision += 1
    for id in used.keys { used[id]?.use.digest = nil }
  }

  // MARK: The draft

  mutating func open(_ slot: Int) {
    drafts += 1
    var handle =
      kept.map { PlainHandle(draft: $0.draft, edition: $0.edition, items: $0.items, next: $0.last + 1) }
      ?? PlainHandle(draft: drafts, edition: 0, items: [], next: 1)
    decide(&handle, handle.items)
    handles[slot] = handle
  }

  /// Decides an opener's commands at the log's end, and notes the order in the store if it differs.
  ///
  /// - Returns: False if the store has another version of the draft.
  @discardableResult
  private mutating func decide(_ handle: inout PlainHandle, _ items: [PlainItem]) -> Bool {
    // A command that the log has under its id by now is left out, and another command's id refuses it.
    var (rest, reused) = ([PlainItem](), Set<Int>())
    for item in items {
      do { if try item.isErased || known(item.call.id, item.use) == nil { rest.append(item) } } catch {
        rest.append(item)
        reused.insert(item.number)
      }
    }
    let refused = Self.decided(rest.filter { !reused.contains($0.number) }, on: log).refused
    let isKept = kept?.draft == handle.draft && kept?.edition == handle.edition
    if rest.map(\.number) != handle.items.map(\.number), isKept {
      let stored = kept?.items ?? []
      kept?.items = rest.compactMap { item in stored.first { $0.number == item.number } }
      kept?.edition += 1
      handle.edition += 1
    }
    handle.items = rest
    handle.refused = rest.map(\.number).filter { refused.contains($0) || reused.contains($0) }
    (handle.head, handle.revision) = (log.count, revision)
    return isKept
  }

  /// The commands without those that an erasure deleted, if the draft was changed in no other way.
  private func withoutErased(_ handle: inout PlainHandle, _ items: [PlainItem]) -> [PlainItem] {
    guard handle.edition > 0, let kept, kept.draft == handle.draft, kept.last < handle.next else { return items }
    let known = handle.items.map(\.number)
    guard kept.items.map(\.number).filter(known.contains) == known else { return items }
    handle.edition = kept.edition
    return items.map { item in kept.items.first { $0.number == item.number && $0.isErased } ?? item }
  }

  /// Reads an opener's draft.
  mutating func read(_ slot: Int) {
    guard var handle = handles[slot], case .open = handle.phase else { return }
    if (handle.head, handle.revision) == (log.count, revision) { return }
    let items = handle.revision == revision ? handle.items : withoutErased(&handle, handle.items)
    decide(&handle, items)
    handles[slot] = handle
  }

  mutating func execute(_ call: PlainCall, on slot: Int) {
    read(slot)
    guard var handle = handles[slot], case .open = handle.phase else { return }
    answering { model in
      let item = PlainItem(number: handle.next, call: call)
      if let id = call.id,
        let same = handle.items.first(where: { $0.call.id == id && !handle.refused.contains($0.number) })
      {
        return same.use.isCompatible(with: item.use) ? "repeated 1" : "reused"
      }
      if let count = try model.known(call.id, item.use) { return "repeated \(count)" }
      let accepted = handle.items.filter { !handle.refused.contains($0.number) }
      if Self.decided(accepted + [item], on: model.log).refused.contains(item.number) { return "refused" }
      let isNew = handle.edition == 0 && model.kept == nil
      guard isNew || (model.kept?.draft == handle.draft && model.kept?.edition == handle.edition) else {
        return "closed"
      }
      if isNew { model.kept = PlainKept(draft: handle.draft, edition: 0, items: [], last: 0) }
      model.kept?.items.append(item)
      model.kept?.edition += 1
      model.kept?.last = item.number
      handle.items.append(item)
      (handle.next, handle.edition) = (item.number + 1, handle.edition + 1)
      model.handles[slot] = handle
      return "1"
    }
  }

  /// Replaces the commands of an opener.
  mutating func change(_ slot: Int, _ change: ([PlainItem]) -> [PlainItem]) {
    guard var handle = handles[slot], case .open = handle.phase else { return }
    let known = handle.items.map(\.number)
    let items = withoutErased(&handle, change(handle.items))
    let before = self
    // The decision also drops commands that the log has by now.
    if !decide(&handle, items), handle.items.map(\.number) != known {
      self = before
      answer = "closed"
    } else {
      handles[slot] = handle
      answer = "\(handle.refused)"
    }
  }

  /// The commands that a merge refuses now.
  ///
  /// Another draft without commands might have been merged since they were decided. It adds no event, but uses an id.
  private func conflicts(of items: [PlainItem]) -> [Int] {
    let reused = items.filter { item in
      do {
        _ = try known(item.call.id, item.use)
        return false
      } catch {
        return true
      }
    }.map(\.number)
    let refused = Self.decided(items.filter { !reused.contains($0.number) }, on: log).refused
    return items.map(\.number).filter { reused.contains($0) || refused.contains($0) }
  }

  mutating func merge(_ slot: Int, id: String?) {
    read(slot)
    guard var handle = handles[slot] else { return }
    if case .merged(let count) = handle.phase { return answer = "repeated \(count)" }
    guard case .open = handle.phase else { return }
    answering { model in
      let own = handle.edition > 0 ? "draft \(handle.draft)" : nil
      let use = PlainUse(call: own ?? "merge")
      if let first = try own.flatMap({ model.used[$0]?.count }) ?? model.known(id, use) {
        handle.phase = .merged(first)
        model.handles[slot] = handle
        return "repeated \(first)"
      }
      let conflicts = model.conflicts(of: handle.items)
      if !conflicts.isEmpty { return "conflicts \(conflicts)" }
      let notes = Self.decided(handle.items, on: model.log).notes
      if own != nil {
        guard model.kept?.draft == handle.draft, model.kept?.edition == handle.edition else { return "closed" }
        model.kept = nil
      }
      model.log += notes
      for name in [id, own] { if let name { model.used[name] = (use, notes.count) } }
      handle.phase = .merged(notes.count)
      model.handles[slot] = handle
      return "\(notes.count)"
    }
  }

  mutating func discard(_ slot: Int) {
    guard let handle = handles[slot], case .open = handle.phase else { return }
    handles[slot]?.phase = .discarded
    if handle.edition > 0, kept?.draft == handle.draft, kept?.edition == handle.edition { kept = nil }
  }
}

/// One store in memory with two openers, or two stores of one file.
private final class DraftSystem {
  let path: String?
  var stores: [any EventStore]
  var branches: [Branch?] = [nil, nil]
  /// The openers whose draft takes commands, and the openers whose draft was merged.
  var (open, merged) = (Set<Int>(), Set<Int>())
  var answer = ""

  init(_ folder: TemporaryFolder?) throws {
    path = folder?.path("log \(UUID().uuidString)")
    stores = []
    try start()
  }

  deinit { stop() }

  func start() throws {
    let memory = stores.first ?? MemoryEventStore()
    stores =
      try path.map { path in
        try (0..<2).map { _ in try SQLiteEventStore(path: path, durability: .process, observesExternalWriters: false) }
      } ?? [memory, memory]
    branches = [nil, nil]
    (open, merged) = ([], [])
  }

  func stop() {
    for case let store as SQLiteEventStore in stores { store.close() }
  }

  func open(_ slot: Int) throws {
    branches[slot] = try stores[slot].draft(named: "form", deciders: .of(Pad.self))
    open.insert(slot)
    merged.remove(slot)
  }

  /// An opener's draft, if it takes commands.
  func draft(_ slot: Int) -> Branch? { open.contains(slot) ? branches[slot] : nil }

  func answering(_ body: () throws -> Receipt) throws {
    do {
      let receipt = try body()
      answer = receipt.isRepeated ? "repeated \(receipt.count)" : "\(receipt.count)"
    } catch is Pad.Refused {
      answer = "refused"
    } catch let conflicts as Branch.MergeError {
      answer = "conflicts \(conflicts.refused.map(\.command.number))"
    } catch let error as EventStoreError where error.code == .commandReused {
      answer = "reused"
    } catch let error as EventStoreError where error.code == .closed {
      answer = "closed"
    }
  }
}

private struct DraftMachine: Machine {
  let folder: TemporaryFolder?

  func start() throws -> (model: DraftModel, system: DraftSystem) { (DraftModel(), try DraftSystem(folder)) }

  /// Nil if the opener's draft has ended, or wasn't opened.
  private func open(_ model: DraftModel, _ slot: Int) -> Bool {
    if let handle = model.handles[slot], case .open = handle.phase { true } else { false }
  }

  var commands: [Command<DraftModel, DraftSystem>] {
    Command("open(_:)", weight: 4) { _ in
      .int(in: 0...1)
    } model: { (model: inout DraftModel, slot: Int) in
      model.open(slot)
    } run: { system, slot in
      try system.open(slot)
    }
    Command("execute(_:)", weight: 9) { _ in
      .int(in: 0...143)
    } model: { (model: inout DraftModel, number: Int) in
      model.execute(PlainCall(digits: number / 2), on: number % 2)
    } run: { system, number in
      guard let branch = system.draft(number % 2) else { return }
      let call = PlainCall(digits: number / 2)
      try system.answering { try branch.execute(call.command, on: Pad["1"], commandID: call.id) }
    }
    Command("append(_:)", weight: 4) { _ in
      .int(in: 0...143)
    } model: { (model: inout DraftModel, number: Int) in
      model.append(PlainCall(digits: number / 2))
    } run: { system, number in
      let call = PlainCall(digits: number / 2)
      try system.answering {
        try system.stores[number % 2].execute(call.command, on: Pad["1"], commandID: call.id)
      }
    }
    Command("merge(_:)", weight: 3) { _ in
      .int(in: 0...7)
    } model: { (model: inout DraftModel, number: Int) in
      model.merge(number % 2, id: ids[number / 2])
    } run: { system, number in
      let slot = number % 2
      guard let branch = system.branches[slot], system.open.contains(slot) || system.merged.contains(slot) else {
        return
      }
      try system.answering {
        let receipt = try branch.merge(commandID: ids[number / 2])
        system.open.remove(slot)
        system.merged.insert(slot)
        return receipt
      }
    }
    Command("drop(_:)", weight: 2) { _ in
      .int(in: 0...5)
    } model: { (model: inout DraftModel, number: Int) in
      guard let count = model.handles[number % 2]?.items.count, count > 0 else { return }
      let index = number / 2 % count
      model.change(number % 2) { items in items.enumerated().filter { $0.offset != index }.map(\.element) }
    } run: { system, number in
      guard let branch = system.draft(number % 2), !branch.commands.isEmpty else { return }
      let command = branch.commands[number / 2 % branch.commands.count]
      try system.changing { try branch.drop(command) }
    }
    Command("reorder(_:)", weight: 2) { _ in
      .int(in: 0...1)
    } model: { (model: inout DraftModel, slot: Int) in
      model.change(slot) { $0.suffix(1) + $0.dropLast() }
    } run: { system, slot in
      guard let branch = system.draft(slot) else { return }
      let commands = branch.commands
      try system.changing { try branch.reorder(commands.suffix(1) + commands.dropLast()) }
    }
    Command("erase(_:)", weight: 3) { _ in
      .int(in: 0...3)
    } model: { (model: inout DraftModel, number: Int) in
      model.erase(number < 2 ? "ann" : "bob")
    } run: { system, number in
      system.answer = "\(try system.stores[number % 2].erase(subject: number < 2 ? "ann" : "bob").fields)"
    }
    Command("read(_:)", weight: 3) { _ in
      .int(in: 0...1)
    } model: { (model: inout DraftModel, slot: Int) in
      model.read(slot)
      guard open(model, slot), let handle = model.handles[slot] else { return }
      let refused = Set(handle.refused)
      let amounts = model.log.map(\.amount) + handle.items.filter { !refused.contains($0.number) }.map(\.call.amount)
      model.answer = "\(amounts) \(handle.items.map(\.number)) \(handle.refused)"
    } run: { system, slot in
      guard let branch = system.draft(slot) else { return }
      let amounts = try branch.events(of: PadEvent.self).map(\.event.amount)
      system.answer = "\(amounts) \(branch.commands.map(\.number)) \(branch.conflicts.map(\.command.number))"
    }
    Command("discard(_:)") { _ in
      .int(in: 0...1)
    } model: { (model: inout DraftModel, slot: Int) in
      model.discard(slot)
    } run: { system, slot in
      system.draft(slot)?.discard()
      system.open.remove(slot)
    }
    Command("restart()") { _ in
      .int(in: 0...0)
    } model: { (model: inout DraftModel, _: Int) in
      model.handles = [nil, nil]
    } run: { system, _ in
      system.stop()
      try system.start()
    }
  }

  func invariant(_ model: DraftModel, _ system: DraftSystem) throws {
    try ensureEqual(system.answer, model.answer)
    let notes = try system.stores[0].events(.all, after: 0, through: nil, limit: 1_000).map { event in
      let payload = event.payload ?? ""
      let person = persons.compactMap { $0 }.first { payload.contains($0.capitalized) }
      return PlainNote(amount: Int(payload.drop { !$0.isNumber }.prefix { $0.isNumber }) ?? -1, person: person)
    }
    try ensureEqual(notes, model.log)
    let kept = try system.stores[1].drafts?.draft(named: "form")
    try ensureEqual(kept?.commands.map(\.number), model.kept?.items.map(\.number))
    try ensureEqual(kept?.version.edition, model.kept?.edition)
    try ensureEqual(kept?.commands.map { $0.content == .erased }, model.kept?.items.map(\.isErased))
    try ensureEqual(try system.stores[0].savedDrafts().count, model.kept == nil ? 0 : 1)
  }
}

extension DraftSystem {
  fileprivate func changing(_ body: () throws -> [Branch.Conflict]) throws {
    do {
      answer = "\(try body().map(\.command.number))"
    } catch let error as EventStoreError where error.code == .closed {
      answer = "closed"
    }
  }
}

private enum PadEvent: Event {
  case noted(amount: Int, by: Personal<String>?)

  static var typePrefix: String { "MachinePad" }

  var amount: Int {
    switch self {
    case .noted(let amount, _): amount
    }
  }
}

private struct PadCommand: Codable, Sendable {
  let amount: Int
  let by: Personal<String>?
}

private struct Pad: Decider {
  struct Refused: Error {}
  var amounts: Set<Int> = []

  func decide(_ command: PadCommand) throws(Refused) -> [PadEvent] {
    if amounts.contains(command.amount) { throw Refused() }
    return [.noted(amount: command.amount, by: command.by)]
  }

  mutating func evolve(_ event: PadEvent) { amounts.insert(event.amount) }
}
