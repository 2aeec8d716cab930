import Annals

/// What became of a step that may have two commands.
enum Interleaved {
  /// The step has one command, and nothing was done.
  case single
  /// An order of the two explains what they did.
  case explained
  /// No order that the model can judge explains it, and one cannot be judged: nothing is known of the system any more.
  case unknown
}

extension MachineRun {
  /// Runs a step's two commands, the second at a moment of the first, and finds the order that explains them.
  ///
  /// - Parameters:
  ///   - turn: The step.
  ///   - model: The model; afterwards that of the order that explains the results.
  ///   - system: The system.
  ///   - store: The system's store.
  ///   - invariant: Throws if a model and the system disagree.
  /// - Returns: What became of the step.
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
    // The first had no such moment: the other comes after it.
    let (one, two) = ((turn.step.number, judge), (other.number, judgeOther ?? performOther(system)))
    let orders: [(name: String, steps: [(number: Int, judge: Judge)])] = [
      ("the one that came in was first", [two, one]), ("the one that came in was second", [one, two]),
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

  /// Compares the answer of a command that has run with a model.
  typealias Judge = (inout Model) throws -> StepOutcome

  /// What a model says of commands that have run, in an order.
  ///
  /// - Returns: The model afterwards, and what became of each command.
  /// - Throws: How the answers differ from the model's; ``Discarded`` if the model cannot judge the order.
  func judged(
    _ steps: [(number: Int, judge: Judge)], _ model: Model
  ) throws -> (model: Model, outcomes: [(number: Int, outcome: StepOutcome)]) {
    var state = model
    var outcomes: [(Int, StepOutcome)] = []
    for step in steps {
      // A model may rely on its `when`. Then this order says nothing.
      guard may(step.number, state) else { throw Discarded.assumption }
      outcomes.append((step.number, try step.judge(&state)))
    }
    return (state, outcomes)
  }
}

/// Why no order of several commands explains what they did.
struct Explanation {
  private var reasons: [String] = []
  /// True if there is an order that the model cannot judge.
  private var isOpen = false

  /// Adds why one order explains nothing.
  mutating func add(_ error: any Error, _ order: String) {
    if error is Discarded {
      isOpen = true
    } else {
      reasons.append("if \(order): \((error as? UnexpectedError)?.error ?? error)")
    }
  }

  /// The answer after all orders were tried.
  ///
  /// - Parameter count: How many commands there are, in words.
  /// - Returns: That nothing is known of the system any more.
  /// - Throws: ``StepFailure`` if none can be the one.
  func missing(_ count: String = "two") throws -> Interleaved {
    // An order that the model does not know may be the one: what came before was right.
    if isOpen { return .unknown }
    throw StepFailure(
      "what \(count) commands did at the same time is what no order of them does: " + reasons.joined(separator: "; "),
      at: "interleaving")
  }
}
