import Annals
import AnnalsTesting
import Testing

/// Lists whose events are folded, and whose requests are changed, on another thread, beside what is done at once.
@Suite struct BackgroundMachineTests {
  @MainActor
  @Test func `lists that another thread makes show each what its request and its place in time say`() async throws {
    let report = try await check(BackgroundMachine(), settings: CheckSettings(examples: 120))
    for name in ["open(_:_:)", "commitElsewhere(_:)", "update(_:to:)", "updateTwice(_:to:then:)", "settle()"] {
      #expect(isQuickLook || report.occurrences[name] ?? 0 > 0, "\(name)")
    }
  }
}

@MainActor private final class BackgroundSystem {
  let store: MemoryEventStore
  let gate = PartsGate()
  var screens: [Int: PartScreen] = [:]
  /// Changes of requests that nothing waits for yet.
  var updates: [Task<Void, any Error>] = []

  init() {
    var environment = StoreEnvironment.quiet
    (environment.shortTail, environment.roundSize, environment.refoldGrain) = (2, 6, 4)
    store = MemoryEventStore(environment: environment)
  }

  func open(_ slot: Int, _ request: Int, isAwaited: Bool) async throws {
    let controller = FetchedResultsController(
      store: store, projection: Parts(gate: gate), request: PlainPartsRequest.all[request].request)
    do {
      if isAwaited { try await controller.performFetch { _ in } } else { try controller.performFetch() }
    } catch is ProjectionError {
      // The list stands before an event that is refused.
    }
    screens[slot] = PartScreen(controller)
  }

  /// Waits until all lists that follow the log are at its end, or where they stop.
  func settle(at end: Int) async throws {
    for update in updates { try await update.value }
    updates = []
    for _ in 0..<100_000 {
      let isBehind = screens.values.contains { screen in
        !screen.controller.isSeeking && !screen.isSuspended && screen.controller.results.position.rawValue != end
      }
      if !isBehind { return }
      await Task.yield()
      try await Task.sleep(for: .microseconds(50))
    }
    throw Refusal(reason: "lists do not reach the end of the log, \(end)")
  }
}

private struct Opening {
  let slot: Int
  let request: Int
  let isAwaited: Bool
}

private struct Place {
  let slot: Int
  let to: Int
  var then = 0
}

private struct BackgroundModel {
  var parts = PartsModel()
  /// True if every list that follows the log must be at its end.
  var isCurrent = true
  /// Lists whose request is being changed.
  var open: Set<Int> = []
}

private struct BackgroundMachine: AsyncMachine {
  nonisolated(nonsending) func start() async throws -> (model: BackgroundModel, system: BackgroundSystem) {
    (BackgroundModel(), await BackgroundSystem())
  }

  private func slot(_ model: BackgroundModel) -> Generator<Int> { .element(of: model.parts.slots.keys.sorted()) }

  private static let requests = Generator<Int>.int(in: 0...PlainPartsRequest.all.count - 1)

  var commands: [Command<BackgroundModel, BackgroundSystem>] {
    Command("open(_:_:)", weight: 4) { _ in
      zip(.int(in: 0...3), Self.requests, .bool).map { Opening(slot: $0, request: $1, isAwaited: $2) }
    } model: { (model: inout BackgroundModel, opening: Opening) in
      model.parts.slots[opening.slot] = PartSlot(request: opening.request)
      model.open.remove(opening.slot)
    } run: { system, opening in
      try await system.open(opening.slot, opening.request, isAwaited: opening.isAwaited)
    }
    Command("close(_:)") { model in
      slot(model)
    } model: { (model: inout BackgroundModel, slot: Int) in
      model.parts.slots[slot] = nil
      model.open.remove(slot)
    } run: { system, slot in
      await MainActor.run { system.screens[slot] = nil }
    }
    Command("commit(_:)", weight: 3) { _ in
      Generator<[SharedPartEvent]>.array(of: SharedPartEvent.event, count: 1...5)
    } model: { (model: inout BackgroundModel, events: [SharedPartEvent]) in
      model.parts.commit(events)
      model.isCurrent = true
    } run: { system, events in
      try await MainActor.run { _ = try system.store.append(SharedPartEvent.append(events)) }
    }
    Command("commitAwaited(_:)", weight: 3) { _ in
      Generator<[SharedPartEvent]>.array(of: SharedPartEvent.event, count: 1...9)
    } model: { (model: inout BackgroundModel, events: [SharedPartEvent]) in
      model.parts.commit(events)
      model.isCurrent = true
    } run: { system, events in
      try await system.commitAwaited(events)
    }
    Command("commitElsewhere(_:)", weight: 8) { _ in
      Generator<[[SharedPartEvent]]>.array(of: .array(of: SharedPartEvent.event, count: 1...9), count: 1...3)
    } model: { (model: inout BackgroundModel, commits: [[SharedPartEvent]]) in
      for events in commits { model.parts.commit(events) }
      model.isCurrent = false
    } run: { system, commits in
      let store = system.store
      try await Task.detached {
        for events in commits { try await store.append(SharedPartEvent.append(events)) }
      }.value
    }
    Command("refuseElsewhere(_:)") { model in
      let refused = SharedPartEvent.refused(reason: model.parts.nextReason)
      return Generator<[SharedPartEvent]>.array(of: SharedPartEvent.event, count: 1...9).map { $0 + [refused] }
    } model: { (model: inout BackgroundModel, events: [SharedPartEvent]) in
      model.parts.nextReason += 1
      model.parts.commit(events)
      model.isCurrent = false
    } run: { system, events in
      let store = system.store
      try await Task.detached { _ = try await store.append(SharedPartEvent.append(events)) }.value
    }
    Command("allow()", weight: 2) { model in
      .constant(Set(0..<model.parts.nextReason))
    } model: { (model: inout BackgroundModel, reasons: Set<Int>) in
      model.parts.allowed.formUnion(reasons)
      model.isCurrent = !model.parts.slots.isEmpty
    } run: { system, reasons in
      await system.allow(reasons)
    }
    Command("seek(_:to:)", weight: 2) { model in
      zip(slot(model), .int(in: 0...model.parts.end)).map { Place(slot: $0, to: $1) }
    } model: { (model: inout BackgroundModel, place: Place) in
      model.parts.slots[place.slot]?.place = place.to
    } run: { system, place in
      try await MainActor.run { try system.screens[place.slot]?.controller.seek(to: Position(place.to)) }
    }
    Command("resume(_:)", weight: 2) { model in
      slot(model)
    } model: { (model: inout BackgroundModel, slot: Int) in
      model.parts.slots[slot]?.place = nil
    } run: { system, slot in
      await MainActor.run {
        do { try system.screens[slot]?.controller.returnToLive() } catch {
          // The list stands before an event that is refused.
        }
      }
    }
    Command("updateNow(_:to:)") { model in
      zip(slot(model), Self.requests).map { Place(slot: $0, to: $1) }
    } model: { (model: inout BackgroundModel, place: Place) in
      model.parts.slots[place.slot]?.request = place.to
      model.open.remove(place.slot)
    } run: { system, place in
      try await MainActor.run {
        try system.screens[place.slot]?.controller.update { $0 = PlainPartsRequest.all[place.to].request }
      }
    }
    Command("update(_:to:)", weight: 3) { model in
      zip(slot(model), Self.requests).map { Place(slot: $0, to: $1) }
    } model: { (model: inout BackgroundModel, place: Place) in
      model.parts.slots[place.slot]?.request = place.to
      model.open.remove(place.slot)
    } run: { system, place in
      try await system.update(place.slot, to: place.to)
    }
    Command("updateTwice(_:to:then:)", weight: 3) { model in
      zip(slot(model), Self.requests, Self.requests).map { Place(slot: $0, to: $1, then: $2) }
    } model: { (model: inout BackgroundModel, place: Place) in
      model.parts.slots[place.slot]?.request = place.then
      model.open.insert(place.slot)
    } run: { system, place in
      await system.updateLater(place.slot, to: place.to, then: place.then)
    }
    Command("suspend(_:)") { model in
      slot(model)
    } model: { (model: inout BackgroundModel, slot: Int) in
      model.parts.slots[slot]?.isSuspended = true
    } run: { system, slot in
      await MainActor.run { system.screens[slot]?.controller.suspendDelivery() }
    }
    Command("goOn(_:)", weight: 2) { model in
      slot(model)
    } model: { (model: inout BackgroundModel, slot: Int) in
      model.parts.slots[slot]?.isSuspended = false
    } run: { system, slot in
      await MainActor.run { system.screens[slot]?.controller.resumeDelivery() }
    }
    Command("erase(_:)") { _ in
      Generator<Int>.int(in: 0...11).map { "\($0)" }
    } model: { (model: inout BackgroundModel, id: String) in
      model.parts.erase(id)
      model.isCurrent = true
    } run: { system, id in
      try await MainActor.run { _ = try system.store.erase(subject: "subject \(id)") }
    }
    Command("settle()", weight: 4) { model in
      .constant(model.parts.end)
    } model: { (model: inout BackgroundModel, _: Int) in
      model.isCurrent = true
      model.open = []
    } run: { system, end in
      try await system.settle(at: end)
    }
  }

  nonisolated(nonsending) func invariant(_ model: BackgroundModel, _ system: BackgroundSystem) async throws {
    try await MainActor.run {
      for (number, slot) in model.parts.slots {
        guard let screen = system.screens[number] else { return try ensure(false, "there is no screen \(number)") }
        try ensureEqual(screen.faults, [])
        if slot.isSuspended || model.open.contains(number) { continue }
        let list = screen.controller.results
        let position = list.position.rawValue
        if let place = slot.place {
          try ensureEqual(position, place)
        } else if model.isCurrent {
          try ensureEqual(position, model.parts.end)
        } else {
          try ensure(position <= model.parts.end && model.parts.isWhole(position), "the list is at \(position)")
        }
        try ensureEqual(list.map { Array($0) }.filter { !$0.isEmpty }, model.parts.shown(slot, through: position))
        for row in list.rows { try ensure(list.row(forID: row.id) == row, "\(row) is not found by its id") }
      }
    }
  }
}

extension BackgroundSystem {
  func commitAwaited(_ events: [SharedPartEvent]) async throws {
    try await store.append(SharedPartEvent.append(events))
  }

  func allow(_ reasons: Set<Int>) {
    gate.allow(reasons)
    for (_, screen) in screens.sorted(by: { $0.key < $1.key }) { screen.controller.refresh() }
  }

  func update(_ slot: Int, to request: Int) async throws {
    try await screens[slot]?.controller.update { $0 = PlainPartsRequest.all[request].request }
  }

  /// Changes a request twice, one after the other, and goes on meanwhile.
  func updateLater(_ slot: Int, to request: Int, then last: Int) async {
    guard let controller = screens[slot]?.controller else { return }
    for request in [request, last] {
      var hasBegun = false
      updates.append(
        Task { @MainActor in
          try await controller.update {
            hasBegun = true
            $0 = PlainPartsRequest.all[request].request
          }
        })
      // Others come after it.
      while !hasBegun { await Task.yield() }
    }
  }
}
