import Annals
import AnnalsTesting
import Testing

/// Controllers of one projection that share its rows, in any order of what users do, beside lists made by plain code.
@Suite struct SharedRowsMachineTests {
  @MainActor
  @Test func `controllers that share rows show each what its request and its place in time say`() throws {
    let report = try check(SharedRowsMachine(), settings: CheckSettings(examples: 150))
    for name in ["open(_:_:isSaved:)", "close(_:)", "refuse(_:)", "allow()", "erase(_:)", "compact()", "save(_:)"] {
      #expect(isQuickLook || report.occurrences[name] ?? 0 > 0, "\(name)")
    }
  }
}

private final class SharedSystem {
  let store: MemoryEventStore
  let gate = PartsGate()
  var screens: [Int: PartScreen] = [:]

  init() {
    var environment = StoreEnvironment.quiet
    // Rows are kept for erasures close to each other.
    environment.refoldGrain = 4
    // What is saved is not kept in memory.
    environment.pageBudget = 0
    store = MemoryEventStore(environment: environment)
  }

  func open(_ slot: Int, _ request: Int, isSaved: Bool) throws {
    let controller = FetchedResultsController(
      store: store, projection: Parts(gate: gate), request: PlainPartsRequest.all[request].request,
      cacheName: isSaved ? "parts" : nil)
    do { try controller.performFetch() } catch is ProjectionError {}
    screens[slot] = PartScreen(controller)
  }

  func commit(_ events: [SharedPartEvent]) throws { try store.append(SharedPartEvent.append(events)) }

  func allow(_ reasons: Set<Int>) {
    gate.allow(reasons)
    for (_, screen) in screens.sorted(by: { $0.key < $1.key }) { screen.controller.refresh() }
  }

  func compact() throws {
    var compaction = Compaction()
    compaction.rewrite(SharedPartEvent.self) { stream, events in
      stream == "refused" ? events : events.suffix(1)
    }
    compaction.prove(Parts(gate: gate))
    try store.compact(compaction)
  }
}

/// A list that is opened in a slot.
private struct Opening {
  let slot: Int
  let request: Int
  let isSaved: Bool
}

/// Where the list of a slot goes, or which request it gets.
private struct Step {
  let slot: Int
  let to: Int
}

private struct SharedRowsMachine: Machine {
  func start() throws -> (model: PartsModel, system: SharedSystem) { (PartsModel(), SharedSystem()) }

  private func slot(_ model: PartsModel) -> Generator<Int> { .element(of: model.slots.keys.sorted()) }

  var commands: [Command<PartsModel, SharedSystem>] {
    Command("open(_:_:isSaved:)", weight: 4) { _ in
      zip(.int(in: 0...3), .int(in: 0...PlainPartsRequest.all.count - 1), .bool).map { slot, request, isSaved in
        Opening(slot: slot, request: request, isSaved: isSaved)
      }
    } model: { (model: inout PartsModel, opening: Opening) in
      model.slots[opening.slot] = PartSlot(request: opening.request)
    } run: { system, opening in
      try system.open(opening.slot, opening.request, isSaved: opening.isSaved)
    }
    Command("close(_:)") { model in
      slot(model)
    } model: { (model: inout PartsModel, slot: Int) in
      model.slots[slot] = nil
    } run: { system, slot in
      system.screens[slot] = nil
    }
    Command("commit(_:)", weight: 8) { _ in
      Generator<[SharedPartEvent]>.array(of: SharedPartEvent.event, count: 1...5)
    } model: { (model: inout PartsModel, events: [SharedPartEvent]) in
      model.commit(events)
    } run: { system, events in
      try system.commit(events)
    }
    Command("refuse(_:)") { model in
      SharedPartEvent.event.map { [reason = model.nextReason] event in [event, .refused(reason: reason)] }
    } model: { (model: inout PartsModel, events: [SharedPartEvent]) in
      model.nextReason += 1
      model.commit(events)
    } run: { system, events in
      try system.commit(events)
    }
    Command("allow()", weight: 2) { model in
      .constant(Set(0..<model.nextReason))
    } model: { (model: inout PartsModel, reasons: Set<Int>) in
      model.allowed.formUnion(reasons)
    } run: { system, reasons in
      system.allow(reasons)
    }
    Command("seek(_:to:)", weight: 3) { model in
      let places = model.horizon > 0 ? [0] + Array(model.horizon...max(model.horizon, model.end)) : Array(0...model.end)
      return zip(slot(model), .element(of: places)).map { Step(slot: $0, to: $1) }
    } model: { (model: inout PartsModel, step: Step) in
      model.slots[step.slot]?.place = step.to
    } run: { system, step in
      try system.screens[step.slot]?.controller.seek(to: Position(step.to))
    }
    Command("resume(_:)", weight: 2) { model in
      slot(model)
    } model: { (model: inout PartsModel, slot: Int) in
      model.slots[slot]?.place = nil
    } run: { system, slot in
      do { try system.screens[slot]?.controller.returnToLive() } catch is ProjectionError {
        // The list stands before an event that is refused.
      } catch is SeekError {
        // A suspended list does not know yet that the history is gone, to which it went.
      }
    }
    Command("update(_:to:)", weight: 3) { model in
      zip(slot(model), .int(in: 0...PlainPartsRequest.all.count - 1)).map { Step(slot: $0, to: $1) }
    } model: { (model: inout PartsModel, step: Step) in
      model.slots[step.slot]?.request = step.to
    } run: { system, step in
      try system.screens[step.slot]?.controller.update { $0 = PlainPartsRequest.all[step.to].request }
    }
    Command("suspend(_:)") { model in
      slot(model)
    } model: { (model: inout PartsModel, slot: Int) in
      model.slots[slot]?.isSuspended = true
    } run: { system, slot in
      system.screens[slot]?.controller.suspendDelivery()
    }
    Command("goOn(_:)", weight: 2) { model in
      slot(model)
    } model: { (model: inout PartsModel, slot: Int) in
      model.slots[slot]?.isSuspended = false
    } run: { system, slot in
      system.screens[slot]?.controller.resumeDelivery()
    }
    Command("save(_:)") { model in
      slot(model)
    } model: { (_: inout PartsModel, _: Int) in
    } run: { system, slot in
      try system.screens[slot]?.controller.saveCache()
    }
    Command("erase(_:)") { _ in
      Generator<Int>.int(in: 0...11).map { "\($0)" }
    } model: { (model: inout PartsModel, id: String) in
      model.erase(id)
    } run: { system, id in
      _ = try system.store.erase(subject: "subject \(id)")
    }
    Command("compact()", when: { !$0.isStopped && !$0.events.isEmpty }) { (model: inout PartsModel) in
      model.compact()
    } run: { system in
      try system.compact()
    }
  }

  func invariant(_ model: PartsModel, _ system: SharedSystem) throws {
    for (number, slot) in model.slots {
      guard let screen = system.screens[number] else { return try ensure(false, "there is no screen \(number)") }
      try ensureEqual(screen.faults, [])
      if slot.isSuspended { continue }
      let list = screen.controller.results
      // A list that is not cut into sections has one also without rows.
      try ensureEqual(list.map { Array($0) }.filter { !$0.isEmpty }, model.shown(slot))
      try ensureEqual(list.position.rawValue, slot.place ?? model.end)
      for row in list.rows { try ensure(list.row(forID: row.id) == row, "\(row) is not found by its id") }
    }
  }
}
