import Annals
import AnnalsTesting

struct LaboratoryMachine: Machine {
  /// The expected tubes, and the ids of the discarded tubes.
  struct Model: Hashable {
    var tubes: [String: Laboratory.Tube] = [:]
    var discarded: Set<String> = []

    func tube(_ name: String) throws -> Laboratory.Tube {
      guard let tube = tubes[name] else { throw Laboratory.Refusal.unknown }
      return tube
    }

    func requireUnused(_ name: String) throws {
      guard tubes[name] == nil, !discarded.contains(name) else { throw Laboratory.Refusal.exists }
    }
  }

  let tubes = Generator.element(of: ["t1", "t2", "t3", "t4"])

  func start() -> (model: Model, system: LaboratorySystem) {
    (Model(), LaboratorySystem(InterleavingStore(MemoryEventStore())))
  }

  func store(of system: LaboratorySystem) -> (any EventStore)? { system.store }

  var commands: [Command<Model, LaboratorySystem>] {
    Command("receive(_:_:)") { _ in
      zip(tubes, .int(in: 0...50))
    } model: { model, it in
      try model.requireUnused(it.0)
      guard it.1 > 0 else { throw Laboratory.Refusal.tooLittle }
      model.tubes[it.0] = Laboratory.Tube(volume: it.1)
    } run: { system, it in
      try system.receive(it.0, it.1)
    }
    Command("divide(_:into:_:)") { model in
      .oneOf(
        Generator.element(of: model.tubes.sorted { $0.key < $1.key }).flatMap { name, tube in
          zip(.constant(name), tubes, .int(in: 0...tube.volume + 1))
        }, zip(tubes, tubes, .int(in: 0...50)))
    } model: { model, it in
      var tube = try model.tube(it.0)
      try model.requireUnused(it.1)
      guard it.2 > 0, it.2 < tube.volume else { throw Laboratory.Refusal.tooLittle }
      tube.volume -= it.2
      model.tubes[it.0] = tube
      model.tubes[it.1] = Laboratory.Tube(volume: it.2)
    } run: { system, it in
      try system.divide(it.0, into: it.1, it.2)
    }
    Command("top(_:by:)") { _ in
      zip(tubes, .int(in: 1...9))
    } model: { model, it in
      _ = try model.tube(it.0)
      model.tubes[it.0]?.volume += it.1
    } run: { system, it in
      try system.top(it.0, by: it.1)
    }
    Command("rack(_:in:)") { _ in
      zip(tubes, .int(in: 1...3))
    } model: { model, it in
      guard try model.tube(it.0).rack != it.1 else { throw Laboratory.Refusal.same }
      guard !model.tubes.values.contains(where: { $0.rack == it.1 }) else { throw Laboratory.Refusal.occupied }
      model.tubes[it.0]?.rack = it.1
    } run: { system, it in
      try system.rack(it.0, in: it.1)
    }
    Command("unrack(_:)") { _ in
      tubes
    } model: { model, name in
      guard try model.tube(name).rack != nil else { throw Laboratory.Refusal.notRacked }
      model.tubes[name]?.rack = nil
    } run: { system, name in
      try system.unrack(name)
    }
    Command("measure(_:_:)") { _ in
      zip(tubes, .int(in: 0...99))
    } model: { model, it in
      guard try !model.tube(it.0).isReleased else { throw Laboratory.Refusal.isReleased }
      model.tubes[it.0]?.values.append(it.1)
    } run: { system, it in
      try system.measure(it.0, it.1)
    }
    Command("release(_:)") { model in
      .element(of: model.tubes.keys.sorted())
    } model: { model, name in
      let tube = try model.tube(name)
      guard tube.values.count >= 2 else { throw Laboratory.Refusal.notMeasured }
      guard !tube.isReleased else { throw Laboratory.Refusal.isReleased }
      model.tubes[name]?.isReleased = true
    } run: { system, name in
      try system.release(name)
    }
    Command("discard(_:)") { _ in
      tubes
    } model: { model, name in
      _ = try model.tube(name)
      model.tubes[name] = nil
      model.discarded.insert(name)
    } run: { system, name in
      try system.discard(name)
    }
  }

  func invariant(_ model: Model, _ system: LaboratorySystem) throws {
    let rows = try system.specimens().sorted { $0.id < $1.id }
    try ensureEqual(rows.map(\.id), model.tubes.keys.sorted(), "tubes")
    for row in rows {
      guard let tube = model.tubes[row.id] else { continue }
      try ensureEqual(row.volume, tube.volume, "volume")
      try ensureEqual(row.rack, tube.rack, "rack")
      try ensureEqual(row.isReleased, tube.isReleased, "released")
    }
  }
}
