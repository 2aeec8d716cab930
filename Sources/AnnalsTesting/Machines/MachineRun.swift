/// One case of a machine: draws commands and runs them.
struct MachineRun<M: Machine> {
  private let machine: M
  private let draw: Draw
  private let commands: [Command<M.Model, M.System>]
  private let weights: [UInt64]
  private let references = References()

  init(_ machine: M, _ draw: Draw) {
    self.machine = machine
    self.draw = draw
    commands = machine.commands
    weights = commands.map { UInt64($0.weight) }
    precondition(!commands.isEmpty, "a machine has a command")
  }

  func run() throws {
    let enabled = try drawSwarm()
    write(machine.setup)
    var (model, system) = try machine.start()
    try machine.invariant(model, system)
    var steps = 0
    // What each command came to is said once at the end: a case that fails is not counted.
    var outcomes = Outcomes(commands.count)
    // A bit before each step says whether there is one, so that a step is taken away with its choices. Runs are long:
    // short ones come by shrinking.
    while true {
      let span = draw.open(.step)
      do {
        let isMore = try draw.flip(0.98, forced: steps >= machine.maxSteps ? false : nil)
        guard isMore else {
          draw.close(span)
          return outcomes.tally(commands)
        }
        steps += 1
        guard let (number, step) = try drawStep(model, enabled) else {
          draw.close(span, discarded: true)
          continue
        }
        if try perform(step, &model, &system) { outcomes.done[number] = true } else { outcomes.refused[number] = true }
        draw.close(span)
      } catch {
        let isDiscarded = error is Discarded
        draw.closeAll(from: span)
        draw.keepSpan(span, isDiscarded: isDiscarded)
        throw error
      }
    }
  }

  /// Runs a step; answers false if it was refused, as the model said.
  private func perform(
    _ step: Command<M.Model, M.System>.Step, _ model: inout M.Model, _ system: inout M.System
  ) throws -> Bool {
    let place = draw.transcript?.count ?? 0
    write("\(step.binding)try system.\(step.call)")
    let outcome = try step.run(&model, system)
    if case .refused(let refusal) = outcome {
      // The program goes on after a refusal.
      draw.transcript?[place] = "_ = try? system.\(step.call)  // refused: \(refusal)"
      try machine.invariant(model, system)
      return false
    }
    try machine.invariant(model, system)
    return true
  }

  /// Which commands this case has; none left out is the simplest.
  private func drawSwarm() throws -> [Bool] {
    let share = try draw.choose(through: 7) { $0.next() & 1 == 0 ? 0 : $0.next(below: 8) }
    let probability = Double(share) / 8
    let enabled = try commands.map { _ in try !draw.flip(probability) }
    return enabled.contains(true) ? enabled : enabled.map { _ in true }
  }

  /// Draws from all commands and throws away those that may not come now.
  ///
  /// Drawing from those that may would give the
  /// same choice another meaning after a step before it was taken away.
  private func drawStep(
    _ model: M.Model, _ enabled: [Bool]
  ) throws -> (Int, Command<M.Model, M.System>.Step)? {
    for _ in 0..<(10 + 4 * commands.count) {
      let span = draw.open(.attempt)
      do {
        let number = Int(try draw.choose(through: UInt64(commands.count - 1)) { $0.index(weights: weights) })
        let command = commands[number]
        if enabled[number], command.when(model) {
          let step = try command.draw(model, draw, references)
          draw.close(span)
          return (number, step)
        }
        draw.close(span, discarded: true)
      } catch Discarded.tooLong {
        draw.closeAll(from: span)
        throw Discarded.tooLong
      } catch is Discarded {
        draw.closeAll(from: span)
      } catch {
        draw.closeAll(from: span)
        throw error
      }
    }
    return nil
  }

  private func write(_ line: @autoclosure () -> String) {
    if draw.transcript != nil { draw.transcript?.append(line()) }
  }
}

/// Which commands of a case were done, and which were refused.
private struct Outcomes {
  var done: [Bool]
  var refused: [Bool]

  init(_ count: Int) {
    done = Array(repeating: false, count: count)
    refused = done
  }

  func tally<Model, System>(_ commands: [Command<Model, System>]) {
    for number in commands.indices {
      if done[number] { AnnalsTesting.tally(commands[number].name) }
      if refused[number] { AnnalsTesting.tally("\(commands[number].name) refused") }
    }
  }
}

extension Draw {
  /// Says whether a span that ended by an error was thrown away; a step that fails is what is looked for.
  func keepSpan(_ span: Int32, isDiscarded: Bool) {
    spans[Int(span)].isDiscarded = isDiscarded
  }
}
