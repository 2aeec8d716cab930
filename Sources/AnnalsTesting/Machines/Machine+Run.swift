extension Machine {
  /// Runs one case.
  func run(_ draw: Draw) throws {
    let run = try MachineRun(Self.self, commands, draw, maxSteps: maxSteps, setup: setup)
    var (model, system) = try start()
    defer { run.writeLog(store(of: system)) }
    try invariant(model, system)
    run.begin(model)
    let interleaving = store(of: system) as? InterleavingStore
    while let turn = try run.next(model, atOnce: interleaving == nil ? 1 : 2) {
      do {
        switch try interleaving.map({ try run.interleave(turn, &model, system, $0, invariant) }) ?? .single {
        case .single: break
        case .explained:
          run.end(turn, model)
          continue
        case .unknown:
          run.end(turn, model)
          return run.finish()
        }
        guard case .now(let step) = turn.step.run else {
          throw CheckError(
            description: "\(commands[turn.number].name) has to be waited for: make the machine an AsyncMachine")
        }
        run.note(try step(&model, system), of: turn)
        try invariant(model, system)
        run.end(turn, model)
      } catch {
        throw run.failure(error, in: turn)
      }
    }
  }
}

extension AsyncMachine {
  /// Runs one case.
  nonisolated(nonsending) func run(_ draw: Draw) async throws {
    try await run(draw, atOnce: 1) { _, _, _, _ in .single }
  }

  /// Runs one case, and steps with several commands by a closure.
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
    while let turn = try run.next(model, atOnce: atOnce) {
      do {
        switch try await together(run, turn, &model, system) {
        case .single: break
        case .explained:
          run.end(turn, model)
          continue
        case .unknown:
          run.end(turn, model)
          return run.finish()
        }
        switch turn.step.run {
        case .now(let step): run.note(try step(&model, system), of: turn)
        case .later(let step): run.note(try await step(&model, system), of: turn)
        }
        try await invariant(model, system)
        run.end(turn, model)
      } catch {
        throw run.failure(error, in: turn)
      }
    }
  }
}
