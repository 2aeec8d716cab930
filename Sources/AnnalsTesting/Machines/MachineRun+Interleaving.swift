import Annals

/// The outcome of a step that can have two commands.
enum Interleaved {
  /// The step has one command, which hasn't run yet.
  case single
  /// An order of the two commands explains their results.
  case explained
  /// No order explains the results, but the model can't judge all orders, so the system's state is unknown.
  case unknown
}

extension MachineRun {
  /// Runs a step's two commands, the second one during the first, and finds the order that explains their results.
  ///
  /// - Parameters:
  ///   - turn: The step.
  ///   - model: The model, which is updated according to the order that explains the results.
  ///   - system: The system.
  ///   - store: The system's store.
  ///   - invariant: A function that throws if a model and the system differ.
  /// - Returns: The outcome of the step.
  /// - Throws: ``StepFailure`` if no order explains the results.
  func interleave(
    _ turn: Turn, _ model: inout Model, _ system: System, _ store: InterleavingStore,
    _ invariant: (Model, System) throws -> Void
  ) throws -> Interleaved {
    guard let other = turn.others.first, let perform = turn.step.perform, let performOther = other.perform else {
      return .single
    }
    let moments = Int(try draw.choose(through: 5) { $0.next(below: 6) })
    var (judge, judgeOther): (Judge?, Judge?) = (nil, nil)
    let moment = store.letIn(after: moments) {
      judgeOther = performOther(system)
    } during: {
      judge = perform(system)
    }
    write(other, at: moment, of: turn)
    guard let judge else { return .explained }
    // If the first command had too few interleaving points, the second command runs after it.
    let (one, two) = ((turn.step.number, judge), (other.number, judgeOther ?? performOther(system)))
    let orders: [(name: String, steps: [(number: Int, judge: Judge)])] = [
      ("the interleaved command was first", [two, one]), ("the interleaved command was second", [one, two]),
    ]
    var explanation = Explanation()
    for order in moment == nil ? Array(orders.suffix(1)) : orders {
      do {
        let (state, outcomes) = try judged(order.steps, model)
        try invariant(state, system)
        model = state
        for (number, outcome) in outcomes {
          if number == turn.step.number { note(outcome, of: turn) } else { count(outcome, of: number) }
        }
        return .explained
      } catch {
        explanation.add(error, order.name)
      }
    }
    return try explanation.missing()
  }

  /// A function that compares the result of a command that already ran with a model.
  typealias Judge = (inout Model) throws -> StepOutcome

  /// Compares the results of commands that already ran with a model, in the given order.
  ///
  /// - Returns: The updated model, and the outcome of every command.
  /// - Throws: An error that describes the difference, or ``Discarded`` if the model can't judge the order.
  func judged(
    _ steps: [(number: Int, judge: Judge)], _ model: Model
  ) throws -> (model: Model, outcomes: [(number: Int, outcome: StepOutcome)]) {
    var state = model
    var outcomes: [(Int, StepOutcome)] = []
    for step in steps {
      // A model might depend on its `when` condition, so it can't judge this order.
      guard may(step.number, state) else { throw Discarded.assumption }
      outcomes.append((step.number, try step.judge(&state)))
    }
    return (state, outcomes)
  }
}

/// The reasons why no order of several commands explains their results.
struct Explanation {
  private var reasons: [String] = []
  /// Whether the model can't judge one of the orders.
  private var isOpen = false

  /// Adds the reason why an order doesn't explain the results.
  mutating func add(_ error: any Error, _ order: String) {
    if error is Discarded {
      isOpen = true
    } else {
      reasons.append("if \(order): \((error as? UnexpectedError)?.error ?? error)")
    }
  }

  /// Returns the outcome after all orders failed.
  ///
  /// - Parameter count: The number of commands, in words.
  /// - Returns: The unknown outcome, if the model couldn't judge one of the orders.
  /// - Throws: ``StepFailure`` if no order is possible.
  func missing(_ count: String = "two") throws -> Interleaved {
    // The order that can't be judged might be the right one, and the previous steps were correct.
    if isOpen { return .unknown }
    throw StepFailure(
      "no order of \(count) concurrent commands explains their results: " + reasons.joined(separator: "; "),
      at: "interleaving")
  }
}
