import Annals

/// One case of a machine: draws commands, and records their results.
final class MachineRun<Model, System> {
  typealias Step = Command<Model, System>.Step

  /// A command that was drawn.
  struct Turn {
    let step: Step
    /// The commands that run at the same time.
    var others: [Step] = []
    fileprivate let span: Int32
    /// The line of the program.
    fileprivate let line: Int
  }

  let draw: Draw
  private let commands: [Command<Model, System>]
  private let weights: [UInt64]
  private let maxSteps: Int
  private let references = References()
  /// How many commands may run at the same time.
  var atOnce = 1 { didSet { references.haveParts = atOnce > 1 } }
  /// Where new states of the model are looked for; nil if they are not in this case.
  private let search: CaseContext?
  /// How the model's last state looked.
  private var shape: StateShape?
  private var enabled: [Bool] = []
  /// False if the model is as it was at the step before.
  private var isChanged = true
  private var steps = 0
  // The commands are counted once at the end, because a failing case is not counted.
  private var done: [Int]
  private var refused: [Int]
  private var refusals: [String: Int] = [:]
  /// The type of the errors that the model refuses with; nil if there are none, or several.
  private var refusalTypes: [ObjectIdentifier: any Error.Type] = [:]
  private let machine: Any.Type
  /// The result of each step, for the log of the run.
  private var log: [(call: String, outcome: String)] = []

  init(
    _ machine: Any.Type, _ commands: [Command<Model, System>], _ draw: Draw, maxSteps: Int,
    setup: @autoclosure () -> String
  ) throws {
    precondition(!commands.isEmpty, "a machine must have at least one command")
    self.machine = machine
    self.commands = commands
    self.draw = draw
    self.maxSteps = maxSteps
    search = CaseContext.current.flatMap { $0.isSearching ? $0 : nil }
    weights = commands.map { UInt64($0.weight) }
    done = Array(repeating: 0, count: commands.count)
    refused = done
    enabled = try drawSwarm()
    write(setup())
  }

  /// Draws the next command, and those that run at the same time; nil at the end of the run.
  ///
  /// A bit before each step says whether there is one, so that shrinking can remove a step with its choices. Runs are
  /// long, and shrinking finds the short ones.
  func next(_ model: Model) throws -> Turn? {
    if isChanged, let search { look(at: model, search) }
    isChanged = false
    while true {
      let span = draw.open(.step)
      do {
        let isMore = try draw.flip(0.98, forced: steps >= maxSteps ? false : nil)
        guard isMore else {
          draw.close(span)
          tallyOutcomes()
          return nil
        }
        steps += 1
        if let step = try drawStep(model) {
          if draw.transcript != nil {
            write("\(step.binding)try \(step.wait)system.\(step.call)")
            log.append((step.call, "done"))
          }
          var turn = Turn(step: step, span: span, line: (draw.transcript?.count ?? 0) - 1)
          if atOnce > 1 { try drawOthers(model, of: &turn) }
          return turn
        }
        draw.close(span, discarded: true)
      } catch {
        fail(error, in: span)
        throw error
      }
    }
  }

  /// Looks whether there was such a state of the model before.
  private func look(at model: Model, _ search: CaseContext) {
    let found = StateShape(model)
    guard found != shape else { return }
    shape = found
    if search.note(found, of: Coverage.Subject(machine)) { draw.isNews() }
  }

  /// Draws commands that run at the same time as another; mostly none.
  private func drawOthers(_ model: Model, of turn: inout Turn) throws {
    for _ in 1..<atOnce where try draw.flip(0.4) {
      if let step = try drawStep(model) { turn.others.append(step) }
    }
  }

  /// True if a command may come now.
  func may(_ number: Int, _ model: Model) -> Bool { commands[number].when(model) }

  /// Writes where another command came in, beside the first.
  func write(_ other: Step, at moment: String?, of turn: Turn) {
    guard draw.transcript != nil else { return }
    let call = "\(other.binding)try \(other.wait)system.\(other.call)"
    if let moment {
      draw.transcript?[turn.line] += "  // \(moment): \(call)"
    } else {
      write(call)
    }
  }

  /// Writes more beside a step.
  func write(_ text: String, beside turn: Turn) {
    if draw.transcript != nil { draw.transcript?[turn.line] += text }
  }

  /// Counts what a command did.
  func count(_ outcome: StepOutcome, of number: Int) {
    guard case .refused(let refusal) = outcome else {
      isChanged = true
      done[number] += 1
      return
    }
    refused[number] += 1
    refusals[EnumCases.name(of: refusal), default: 0] += 1
    refusalTypes[ObjectIdentifier(type(of: refusal))] = type(of: refusal)
  }

  /// Records the result of a step.
  ///
  /// The step lasts until ``end(_:)`` and includes the invariant.
  func note(_ outcome: StepOutcome, of turn: Turn) {
    count(outcome, of: turn.step.number)
    if case .refused(let refusal) = outcome, draw.transcript != nil {
      // The program continues after a refusal.
      draw.transcript?[turn.line] = "_ = try? \(turn.step.wait)system.\(turn.step.call)  // refused: \(refusal)"
      log[log.count - 1].outcome = "refused: \(refusal)"
    }
  }

  func end(_ turn: Turn, _ model: Model) {
    draw.close(turn.span)
    record(model)
  }

  /// Records the state that the run begins with.
  func begin(_ model: Model) { record(model) }

  /// Records a state, if shrinking asks for it.
  private func record(_ model: Model) {
    if draw.recordsStates { draw.note(state: model) }
  }

  /// Ends the run before there are no more steps.
  func finish() { tallyOutcomes() }

  /// Ends a step that failed.
  ///
  /// The check looks for such steps, so the span is kept unless there is no verdict.
  private func fail(_ error: any Error, in turn: Turn) {
    if draw.transcript != nil { log[log.count - 1].outcome = "fails: \(error)" }
    fail(error, in: turn.span)
  }

  /// Ends a step that failed, and returns the error of the case: that of the system, if its model does not know of it.
  func failure(_ error: any Error, in turn: Turn) -> any Error {
    let cause = (error as? UnexpectedError)?.error ?? error
    if error is UnexpectedError, !(cause is Discarded), !(cause is Unmet) {
      AnnalsTesting.note("the system refused \(turn.step.call) with \(cause), and its model did it")
    }
    fail(cause, in: turn)
    return cause
  }

  private func fail(_ error: any Error, in span: Int32) {
    draw.closeAll(from: span)
    draw.keepSpan(span, isDiscarded: error is Discarded)
  }

  /// Writes the log of the run if the case is described.
  func writeLog(_ store: (any EventStore)?) {
    guard draw.transcript != nil else { return }
    draw.log = store.map { RunLog.lines(of: $0) } ?? RunLog.lines(of: log)
  }

  /// The commands that this case uses; all of them is the simplest.
  private func drawSwarm() throws -> [Bool] {
    let share = try draw.choose(through: 7) { $0.next() & 1 == 0 ? 0 : $0.next(below: 8) }
    let probability = Double(share) / 8
    let enabled = try commands.map { _ in try !draw.flip(probability) }
    return enabled.contains(true) ? enabled : enabled.map { _ in true }
  }

  /// Draws from all commands and discards those that may not be drawn now.
  ///
  /// If it drew only from the permitted ones, the same choice would mean another command once an earlier step is
  /// removed.
  private func drawStep(_ model: Model) throws -> Step? {
    for _ in 0..<(10 + 4 * commands.count) {
      let span = draw.open(.attempt)
      do {
        let number = Int(try draw.choose(through: UInt64(commands.count - 1)) { $0.index(weights: weights) })
        let command = commands[number]
        if enabled[number], command.when(model) {
          let step = try command.draw(model, draw, references)
          step.number = number
          draw.close(span)
          return step
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

  private func tallyOutcomes() {
    for number in commands.indices {
      if done[number] > 0 { tally(commands[number].name) }
      if refused[number] > 0 { tally("\(commands[number].name) refused") }
    }
    guard CaseContext.current != nil else { return }
    var answers = Coverage.Answers(kind: "machine", commands: commands.map { $0.name }, refusals: refusals)
    for number in commands.indices {
      let name = commands[number].name
      if done[number] > 0 { answers.done[name, default: 0] += done[number] }
      if refused[number] > 0 { answers.refused[name, default: 0] += refused[number] }
    }
    if refusalTypes.count == 1 { answers.allRefusals = refusalTypes.first.flatMap { EnumCases.names(of: $0.value) } }
    Coverage.note(machine: machine, answers)
  }

  private func write(_ line: @autoclosure () -> String) {
    if draw.transcript != nil { draw.transcript?.append(line()) }
  }
}

extension Command.Step {
  /// The text before a call of an asynchronous system.
  fileprivate var wait: String {
    if case .later = run { "await " } else { "" }
  }
}

extension Draw {
  /// Says whether a span that ended with an error was discarded.
  ///
  /// A failing step is not, because the check looks for it.
  func keepSpan(_ span: Int32, isDiscarded: Bool) {
    spans[Int(span)].isDiscarded = isDiscarded
  }
}
