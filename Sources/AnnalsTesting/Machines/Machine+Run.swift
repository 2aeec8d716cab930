extension Machine {
  /// Runs one case.
  func run(_ draw: Draw) throws {
    let run = try MachineRun(Self.self, commands, draw, maxSteps: maxSteps, setup: setup)
    var (model, system) = try start()
    defer { run.writeLog(store(of: system)) }
    try invariant(model, system)
    run.begin(model)
    let interleaving = store(of: system) as? InterleavingStore
    if interleaving != nil { run.atOnce = 2 }
    while let turn = try run.next(model) {
      var isInInvariant = false
      do {
        let found = try interleaving.map { try run.interleave(turn, &model, system, $0, invariant) } ?? .single
        if found == .single {
          guard case .now(let step) = turn.step.run else {
            throw CheckError(
              description: "the command \(commands[turn.step.number].name) is asynchronous; make the machine an "
                + "`AsyncMachine`")
          }
          run.note(try step(&model, system), of: turn)
          isInInvariant = true
          try invariant(model, system)
        }
        run.end(turn, model)
        if found == .unknown { return run.finish() }
      } catch {
        throw run.failure(error, in: turn, isInInvariant: isInInvariant)
      }
    }
  }
}

extension AsyncMachine {
  /// Runs one case.
  nonisolated(nonsending) func run(_ draw: Draw) async throws {
    try await run(draw, atOnce: 1) { _, _, _, _ in .single }
  }

  /// Runs one case, where a closure runs the steps with several commands.
  nonisolated(nonsending) func run(
    _ draw: Draw, atOnce: Int,
    together:
      nonisolated(nonsending) (
        MachineRun<Model, System>, MachineRun<Model, System>.Turn, inout Model, System
      ) async throws -> Interleaved
  ) async throws {
    let run = try MachineRun(Self.self, commands, draw, maxSteps: maxSteps, setup: setup)
    var (model, system) = try await start()
    defer { run.writeLog(store(of: system)) }
    try await invariant(model, system)
    run.begin(model)
    run.atOnce = atOnce
    while let turn = try run.next(model) {
      var isInInvariant = false
      do {
        let found = try await together(run, turn, &model, system)
        if found == .single {
          switch turn.step.run {
          case .now(let step): run.note(try step(&model, system), of: turn)
          case .later(let step): run.note(try await step(&model, system), of: turn)
          }
          isInInvariant = true
          try await invariant(model, system)
        }
        run.end(turn, model)
        if found == .unknown { return run.finish() }
      } catch {
        throw run.failure(error, in: turn, isInInvariant: isInInvariant)
      }
    }
  }
}
