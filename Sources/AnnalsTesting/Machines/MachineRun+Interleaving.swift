import Annals

extension MachineRun {
  /// Runs a step's two commands, the second at a moment of the first, and finds the order that explains them.
  ///
  /// - Parameters:
  ///   - turn: The step.
  ///   - model: The model; afterwards that of the order that explains the results.
  ///   - system: The system.
  ///   - store: The system's store.
  ///   - invariant: Throws if a model and the system disagree.
  /// - Returns: False if the step has one command, and nothing was done.
  /// - Throws: ``StepFailure`` if no order explains the results, a discard if one order cannot be judged.
  func interleave(
    _ turn: Turn, _ model: inout Model, _ system: System, _ store: InterleavingStore,
    _ invariant: (Model, System) throws -> Void
  ) throws -> Bool {
    guard let second = turn.second, let perform = turn.step.perform, let performSecond = second.step.perform else {
      return false
    }
    typealias Judge = (inout Model) throws -> StepOutcome
    var (judge, judgeSecond): (Judge?, Judge?) = (nil, nil)
    let moment = store.letIn(after: second.moments) {
      judgeSecond = performSecond(system)
    } during: {
      judge = perform(system)
    }
    write(second.step, at: moment, of: turn)
    guard let judge else { return true }
    // The first had no such moment: the second comes after it.
    let last = judgeSecond ?? performSecond(system)
    let orders: [(name: String, steps: [(number: Int, judge: Judge)])] = [
      ("the one that came in was first", [(second.number, last), (turn.number, judge)]),
      ("the one that came in was second", [(turn.number, judge), (second.number, last)]),
    ]
    var reasons: [String] = []
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
        for (number, outcome) in outcomes { count(outcome, second: number) }
        return true
      } catch let error as Discarded {
        throw error
      } catch {
        reasons.append("if \(order.name): \((error as? UnexpectedError)?.error ?? error)")
      }
    }
    throw StepFailure(
      "what two commands did at the same time is what no order of them does: " + reasons.joined(separator: "; "),
      at: "interleaving")
  }
}
