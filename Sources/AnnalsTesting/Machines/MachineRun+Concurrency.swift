package import Dispatch
import Foundation
import Synchronization

extension MachineRun {
  /// Runs the commands of a step at the same time, and finds an order that explains their results.
  ///
  /// Every command is a task. The tasks run on a separate thread, one part at a time, and a random choice selects the
  /// next part. So a run can be repeated, and shrinking minimizes the number of switches between commands.
  ///
  /// - Parameters:
  ///   - turn: The step.
  ///   - model: The model, which is updated according to the order that explains the results.
  ///   - system: The system.
  ///   - invariant: A function that throws if a model and the system differ.
  /// - Returns: The outcome of the step.
  /// - Throws: ``StepFailure`` if no order explains the results, or if the commands don't end.
  nonisolated(nonsending) func runTogether(
    _ turn: Turn, _ model: inout Model, _ system: System,
    _ invariant: nonisolated(nonsending) (Model, System) async throws -> Void
  ) async throws -> Interleaved {
    guard !turn.others.isEmpty else { return .single }
    let commands = [turn.step] + turn.others
    let answers = Answers(count: commands.count)
    let changes = try draw(Schedule.Change.some)
    let schedule = await schedule(commands, system, changes, answers)
    for other in turn.others { write(other, at: "at the same time", of: turn) }
    write("; turns \(schedule.text)", beside: turn)
    if schedule.isStuck {
      throw StepFailure(
        "the concurrent commands are stuck: every unfinished command is waiting, and none has made progress for "
          + "several seconds. Find commands that wait for each other, or code that the check can't control",
        at: "stuck")
    }
    let steps = zip(commands, answers.all).map { (number: $0.number, judge: $1) }
    var explanation = Explanation()
    for order in schedule.orders {
      do {
        let (state, outcomes) = try judged(order.map { steps[$0] }, model)
        try await invariant(state, system)
        model = state
        for (place, outcome) in zip(order, outcomes) {
          if place == 0 { note(outcome.outcome, of: turn) } else { count(outcome.outcome, of: outcome.number) }
        }
        return .explained
      } catch {
        explanation.add(error, "the order is \(order.map { "\($0 + 1)" }.joined(separator: ", "))")
      }
    }
    return try explanation.missing(commands.count == 2 ? "two" : "\(commands.count)")
  }

  /// Runs commands in lanes, one part at a time.
  private nonisolated(nonsending) func schedule(
    _ steps: [Step], _ system: System, _ changes: [Schedule.Change], _ answers: Answers
  ) async -> Schedule {
    let news = DispatchSemaphore(value: 0)
    let lanes = steps.map { _ in Lane(news) }
    let tasks = zip(lanes, steps).enumerated().map { place, pair in
      let lane = pair.0
      let run = Run(step: pair.1, system: system)
      return Task(executorPreference: lane) {
        answers.set(place, await run())
        lane.end()
      }
    }
    let patience = MachinePatience.current
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let thread = Thread {
          let schedule = Schedule.run(lanes, news, patience: patience, changes: changes)
          // The tasks of unfinished commands stay suspended, and so their lanes must stay alive.
          if schedule.isStuck { for lane in lanes { _ = Unmanaged.passRetained(lane) } }
          continuation.resume(returning: schedule)
        }
        thread.stackSize = 8 << 20
        thread.start()
      }
    } onCancel: {
      for task in tasks { task.cancel() }
    }
  }

  /// A command that runs on the system alone.
  ///
  /// One thread runs the parts of all commands, one at a time, while the case that owns the system waits for them.
  private struct Run: @unchecked Sendable {
    let step: Step
    let system: System

    func callAsFunction() async -> Judge {
      if let perform = step.performLater { return await perform(system) }
      // A command of a synchronous system.
      guard let perform = step.perform else { preconditionFailure("a step must have a function that runs it") }
      return perform(system)
    }
  }

  /// The functions that compare the commands' results with a model.
  ///
  /// The single thread of the lanes sets them one after the other, and they are read after it has ended. So no access
  /// is concurrent.
  private final class Answers: @unchecked Sendable {
    private var judges: [Judge?]

    init(count: Int) { judges = Array(repeating: nil, count: count) }

    func set(_ place: Int, _ judge: @escaping Judge) { judges[place] = judge }

    var all: [Judge] { judges.compactMap { $0 } }
  }
}

/// The maximum time that concurrent commands can wait for external results.
package enum MachinePatience {
  @TaskLocal package static var current = DispatchTimeInterval.seconds(10)
}
