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
    guard let second = turn.second, let perform = turn.step.perform, let performSecond = second.step.perform else {
      return .single
    }
    typealias Judge = (inout Model) throws -> StepOutcome
    var (judge, judgeSecond): (Judge?, Judge?) = (nil, nil)
    let moment = store.letIn(after: second.moments) {
      judgeSecond = performSecond(system)
    } during: {
      judge = perform(system)
    }
    write(second.step, at: moment, of: turn)
    guard let judge else { return .explained }
    // The first had no such moment: the second comes after it.
    let last = judgeSecond ?? performSecond(system)
    let orders: [(name: String, steps: [(number: Int, judge: Judge)])] = [
      ("the one that came in was first", [(second.number, last), (turn.number, judge)]),
      ("the one that came in was second", [(turn.number, judge), (second.number, last)]),
    ]
    var reasons: [String] = []
    var isOpen = false
    for order in moment == nil ? Array(orders.suffix(1)) : orders {
      var state = model
      do {
        var outcomes: [(Int, StepOutcome)] = []
        for step in order.steps {
          // A model may rely on its `when`. Then this order says nothing.
          guard may(step.number, state) else { throw Discarded.assumption }
          outcomes.append((step.number, try step.judge(&state)))
        }
        try invariant(state, system)
        model = state
        for (number, outcome) in outcomes {
          if number == turn.number { note(outcome, of: turn) } else { count(outcome, of: number) }
        }
        return .explained
      } catch is Discarded {
        isOpen = true
      } catch {
        reasons.append("if \(order.name): \((error as? UnexpectedError)?.error ?? error)")
      }
    }
    // An order that the model does not know may be the one: what came before was right.
    if isOpen { return .unknown }
    throw StepFailure(
      "what two commands did at the same time is what no order of them does: " + reasons.joined(separator: "; "),
      at: "interleaving")
  }
}
