import Annals

/// A case of a machine, which draws commands and records their results.
final class MachineRun<Model, System> {
  typealias Step = Command<Model, System>.Step

  /// A step with a drawn command.
  struct Turn {
    let step: Step
    /// Additional commands that run at the same time.
    var others: [Step] = []
    fileprivate let span: Int32
    /// The line number in the printed program.
    fileprivate let line: Int
  }

  let draw: Draw
  private let commands: [Command<Model, System>]
  private let weights: [UInt64]
  private let maxSteps: Int
  private let references = References()
  /// The maximum number of commands that run at the same time.
  var atOnce = 1 { didSet { references.haveParts = atOnce > 1 } }
  /// The context that collects new states of the model, or `nil` if this case isn't searched.
  private let search: CaseContext?
  /// The shape of the model's last state.
  private var shape: StateShape?
  private var enabled: [Bool] = []
  /// Whether the model might have changed in the last step.
  private var isChanged = true
  private var steps = 0
  // The commands are counted once at the end, because a failing case isn't counted.
  private var done: [Int]
  private var refused: [[String: Int]]
  /// The types of the errors that the model threw.
  private var refusalTypes: [ObjectIdentifier: any Error.Type] = [:]
  private let machine: Any.Type
  /// The results of all steps, for the log of the run.
  private var log: [(call: String, outcome: String)] = []

  init(
    _ machine: Any.Type, _ commands: [Command<Model, System>], _ draw: Draw, maxSteps: Int,
    setup: @autoclosure () -> String
  ) throws {
    precondition(!commands.isEmpty, "\(machine).commands must contain at least one command (was empty)")
    self.machine = machine
    self.commands = commands
    self.draw = draw
    self.maxSteps = maxSteps
    search = CaseContext.current.flatMap { $0.isSearching ? $0 : nil }
    weights = commands.map { UInt64($0.weight) }
    done = Array(repeating: 0, count: commands.count)
    refused = commands.map { _ in [:] }
    enabled = try drawSwarm()
    write(setup())
  }

  /// Draws the next command and additional concurrent ones, or returns `nil` at the end of the run.
  ///
  /// A bit before every step indicates that the step exists, so that shrinking can remove a step with its choices. Runs
  /// are long, because shrinking shortens a failing run.
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
        let start = draw.count
        if let step = try drawStep(model) {
          if draw.transcript != nil {
            write("\(step.binding)try \(step.wait)system.\(step.call)")
            log.append((step.call, "done"))
          }
          var turn = Turn(step: step, span: span, line: (draw.transcript?.count ?? 0) - 1)
          if atOnce > 1 { try drawOthers(model, of: &turn, first: start..<draw.count) }
          return turn
        }
        draw.close(span, discarded: true)
      } catch {
        fail(error, in: span)
        throw error
      }
    }
  }

  /// Records the model's state if its shape has changed.
  private func look(at model: Model, _ search: CaseContext) {
    let found = StateShape(model)
    guard found != shape else { return }
    shape = found
    if search.note(found, of: Coverage.Subject(machine)) { draw.isNews() }
  }

  /// Draws additional commands that run at the same time, usually none.
  private func drawOthers(_ model: Model, of turn: inout Turn, first: Range<Int>) throws {
    var drawn = [first]
    for _ in 1..<atOnce where try draw.flip(0.4) {
      let start = draw.count
      guard let step = try drawStep(model) else { continue }
      turn.others.append(step)
      drawn.append(start..<draw.count)
    }
    if drawn.count > 1 { draw.note(ConcurrentTurn(span: Int(turn.span), commands: drawn, limit: atOnce)) }
  }

  /// Returns whether a command is permitted now.
  func may(_ number: Int, _ model: Model) -> Bool { commands[number].when(model) }

  /// Writes another command next to the first, with the point where it ran.
  func write(_ other: Step, at moment: String?, of turn: Turn) {
    guard draw.transcript != nil else { return }
    let call = "\(other.binding)try \(other.wait)system.\(other.call)"
    if let moment {
      draw.transcript?[turn.line] += "  // \(moment): \(call)"
    } else {
      write(call)
    }
  }

  /// Appends text to the line of a step.
  func write(_ text: String, beside turn: Turn) {
    if draw.transcript != nil { draw.transcript?[turn.line] += text }
  }

  /// Counts the outcome of a command.
  func count(_ outcome: StepOutcome, of number: Int) {
    guard case .refused(let refusal) = outcome else {
      isChanged = true
      done[number] += 1
      return
    }
    refused[number][EnumCases.name(of: refusal), default: 0] += 1
    refusalTypes[ObjectIdentifier(type(of: refusal))] = type(of: refusal)
  }

  /// Records the result of a step.
  ///
  /// The step continues with the invariant, and ends with ``end(_:_:)``.
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

  /// Records the initial state.
  func begin(_ model: Model) { record(model) }

  /// Records a state, if shrinking requests it.
  private func record(_ model: Model) {
    if draw.recordsStates { draw.note(state: model) }
  }

  /// Ends the run early.
  func finish() { tallyOutcomes() }

  /// Ends a step that failed.
  ///
  /// The check looks for failing steps, so the step's span counts as discarded only if the case has no verdict.
  private func fail(_ error: any Error, in turn: Turn) {
    if draw.transcript != nil { log[log.count - 1].outcome = "fails: \(error)" }
    fail(error, in: turn.span)
  }

  /// Ends a step that failed, and returns the error of the case.
  ///
  /// If only the system threw an error, the case has the same error.
  ///
  /// - Parameters:
  ///   - error: The error of the step.
  ///   - turn: The step.
  ///   - isInInvariant: Whether the step succeeded, but the invariant after it failed.
  /// - Returns: The error of the case.
  func failure(_ error: any Error, in turn: Turn, isInInvariant: Bool) -> any Error {
    let cause = (error as? UnexpectedError)?.error ?? error
    if error is UnexpectedError, !(cause is Discarded), !(cause is Unmet) {
      AnnalsTesting.note("the system refused \(turn.step.call) with \(cause), but its model accepted the command")
    }
    if isInInvariant { AnnalsTesting.note("the invariant failed after \(turn.step.call)") }
    fail(cause, in: turn)
    return cause
  }

  private func fail(_ error: any Error, in span: Int32) {
    draw.closeAll(from: span)
    draw.keepSpan(span, isDiscarded: error is Discarded)
  }

  /// Writes the log of the run if the case needs a description.
  func writeLog(_ store: (any EventStore)?) {
    guard draw.transcript != nil else { return }
    draw.log = store.map { RunLog.lines(of: $0) } ?? RunLog.lines(of: log)
  }

  /// Draws the commands that this case uses, where the simplest choice is to use all commands.
  private func drawSwarm() throws -> [Bool] {
    let share = try draw.choose(through: 7) { $0.next() & 1 == 0 ? 0 : $0.next(below: 8) }
    let probability = Double(share) / 8
    let enabled = try commands.map { _ in try !draw.flip(probability) }
    return enabled.contains(true) ? enabled : enabled.map { _ in true }
  }

  /// Draws from all commands, and discards the ones that aren't permitted now.
  ///
  /// If it drew only from permitted commands, the meaning of a choice would change when shrinking removes an earlier
  /// step.
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
      if !refused[number].isEmpty { tally("\(commands[number].name) refused") }
    }
    guard CaseContext.current != nil else { return }
    var answers = Coverage.Answers(kind: "machine", commands: commands.map { $0.name })
    for number in commands.indices {
      let name = commands[number].name
      if done[number] > 0 { answers.done[name, default: 0] += done[number] }
      if !refused[number].isEmpty {
        answers.refused[name, default: [:]].merge(refused[number], uniquingKeysWith: +)
      }
    }
    if refusalTypes.count == 1 { answers.allRefusals = refusalTypes.first.flatMap { EnumCases.names(of: $0.value) } }
    Coverage.note(machine: machine, answers)
  }

  private func write(_ line: @autoclosure () -> String) {
    if draw.transcript != nil { draw.transcript?.append(line()) }
  }
}

extension Command.Step {
  /// The source before a call of an asynchronous system.
  fileprivate var wait: String {
    if case .later = run { "await " } else { "" }
  }
}

extension Draw {
  /// Sets whether a span that ended with an error was discarded.
  ///
  /// A failing step isn't discarded, because the check looks for it.
  func keepSpan(_ span: Int32, isDiscarded: Bool) {
    spans[Int(span)].isDiscarded = isDiscarded
  }
}
