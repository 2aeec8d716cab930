public import Annals

extension FaultyStore {
  /// A step of a program that ``FaultyStore/check(on:ways:steps:fileID:line:start:answer:)`` tests with a failing
  /// store.
  public struct Step<System> {
    let name: String
    let run: (System) throws -> Void

    /// Creates a step with a name.
    ///
    /// - Parameters:
    ///   - name: The name of the step in reports.
    ///   - run: A function that performs the step. If the function throws, it is rerun while the store works normally.
    public init(_ name: String, _ run: @escaping (System) throws -> Void) {
      self.name = name
      self.run = run
    }
  }

  /// The number of store calls and faults that a check tested.
  public struct Report: Hashable, Sendable {
    /// The number of calls that the program makes to the store.
    public let calls: Int
    /// The number of tested faults.
    ///
    /// For every call and every way in which the call can fail, the check tests two faults. In the first fault, only
    /// this call fails. In the second fault, all later calls fail, too, until the step ends. For a call of the kind
    /// ``StoreFault/Call/read``, the check omits ``StoreFault/Way/answerLost``, because a read has no effect.
    public let faults: Int
  }

  /// Checks that a program recovers if a call to its store fails.
  ///
  /// The check first runs the program without failures. Then it reruns the program once for every fault
  /// (``FaultyStore/Report/faults``). A fault makes one call to the store fail in one of the given ways, or this call
  /// and all later calls in the step.
  ///
  ///     try FaultyStore.check(steps: [
  ///       .init("pay 5") { try $0.pay(5, commandID: "a") },
  ///       .init("give 2") { try $0.give(2, commandID: "b") },
  ///     ]) { store in
  ///       Till(store)
  ///     } answer: { till in
  ///       try till.money()
  ///     }
  ///
  /// After every step, `answer` must return the same value as in a run without failures. If the step throws, the value
  /// from before the step is also valid. In that case, the check reruns the step on a working store. The step must then
  /// succeed, and `answer` must return the expected value.
  ///
  /// So the check finds updates that are lost because the program ignored an error. It finds commands without an ID:
  /// after a lost response, such a command is executed twice, or it is refused although it was executed. The check also
  /// finds lists that are wrong after an error, and apps that don't recover. The check starts with faults of the
  /// earliest calls, and reports the first fault that reveals a problem. Lists and followers on the store don't report
  /// their failures to `StoreEnvironment.report`, because the check causes these failures.
  ///
  /// - Parameters:
  ///   - makeStore: A function that creates an empty store. By default, the store is in memory.
  ///   - ways: The ways in which calls fail, by default all of them.
  ///   - steps: The program's steps, in order.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  ///   - start: A function that creates the system on a store. If the function throws, it is rerun on a working store.
  ///   - answer: A function that returns the system's visible state. While it runs, no calls fail. Refresh lists in
  ///     this function.
  /// - Returns: The number of calls and faults that the check tested.
  /// - Throws: ``Unmet`` with the fault and the step if a fault reveals a problem, or ``CheckError`` if the program
  ///   fails even without a fault.
  /// - Complexity: O(n²) for n calls.
  @discardableResult
  public static func check<System, Answer: Equatable>(
    on makeStore: () throws -> any EventStore = { MemoryEventStore() },
    ways: [StoreFault.Way] = StoreFault.Way.allCases,
    steps: [Step<System>], fileID: String = #fileID, line: UInt = #line,
    start: (FaultyStore) throws -> System, answer: @escaping (System) throws -> Answer
  ) throws -> Report {
    var answers: [Answer] = []
    let plain = FaultyStore(try makeStore(), isQuiet: true)
    do {
      let system = try start(plain)
      answers.append(try plain.paused { try answer(system) })
      for step in steps {
        try step.run(system)
        answers.append(try plain.paused { try answer(system) })
      }
    } catch {
      throw CheckError(
        description: "the program must succeed if no call to the store fails, but it threw the error \(error) in "
          + (answers.isEmpty ? "`start`" : "the step \(steps[min(answers.count, steps.count) - 1].name)"))
    }
    let calls = plain.calls
    guard !calls.isEmpty else {
      throw CheckError(
        description: "the system made no call to the store; in `start`, create the system with the store that `start` "
          + "receives")
    }
    var faults = 0
    for (index, call) in calls.enumerated() {
      for way in ways where way != .answerLost || call != .read {
        for lasts in [false, true] {
          let fault = StoreFault(call, number: index + 1, way: way, lasts: lasts)
          let trial = FaultTrial(steps: steps, answers: answers, answer: answer, fault: fault)
          if let failure = try trial.failure(FaultyStore(makeStore(), isQuiet: true), start) {
            throw Unmet(description: "\(fault): \(failure)", fileID: fileID, line: line)
          }
          faults += 1
        }
      }
    }
    return Report(calls: calls.count, faults: faults)
  }
}

/// A run of a program during which a call fails.
private struct FaultTrial<System, Answer: Equatable> {
  let steps: [FaultyStore.Step<System>]
  /// The results after the start and after every step, in a run without failures.
  let answers: [Answer]
  let answer: (System) throws -> Answer
  let fault: StoreFault

  /// Returns a description of the problem, or `nil`.
  func failure(_ store: FaultyStore, _ start: (FaultyStore) throws -> System) throws -> String? {
    store.fail(fault)
    let system: System
    do {
      system = try start(store)
    } catch {
      store.mend()
      do { system = try start(store) } catch {
        return "`start` was repeated without a failing call to the store, but threw an error: \(error)"
      }
    }
    for (index, step) in steps.enumerated() {
      if let failure = failure(of: step, index, system, store) { return failure }
      // A fault lasts at most until the end of its step.
      if store.failed > 0 { store.mend() }
    }
    return try lost(store)
  }

  private func failure(
    of step: FaultyStore.Step<System>, _ index: Int, _ system: System, _ store: FaultyStore
  ) -> String? {
    let (before, after) = (answers[index], answers[index + 1])
    func shown() -> Result<Answer, any Error> { store.paused { Result { try answer(system) } } }
    func text(_ answer: Answer) -> String { swiftSource(of: answer) }
    do {
      try step.run(system)
    } catch let error {
      switch shown() {
      case .failure(let other): return "after the step \(step.name), `answer` threw an error: \(other)"
      case .success(let found) where found != before && found != after:
        return
          "after the step \(step.name) threw an error (\(error)), `answer` must return \(text(before)) or "
          + "\(text(after)), but it returned \(text(found))"
      case .success: break
      }
      store.mend()
      let again = Result { try step.run(system) }
      guard case .success(let found) = shown() else {
        return "after the step \(step.name) threw an error (\(error)) and was repeated, `answer` threw an error, too"
      }
      if found == after {
        guard case .failure(let other) = again else { return nil }
        return
          "the step \(step.name) was executed although it threw an error (\(error)), but it was refused when it was "
          + "repeated: \(other). Execute the step's command with a `commandID`, so that the repeated command succeeds "
          + "without an effect"
      }
      if case .failure(let other) = again {
        return "the step \(step.name) was repeated without a failing call to the store, but threw an error: \(other)"
      }
      return "after the step \(step.name) threw an error (\(error)) and was repeated, `answer` must return "
        + "\(text(after)), but it returned \(text(found))"
    }
    switch shown() {
    case .failure(let error): return "after the step \(step.name), `answer` threw an error: \(error)"
    case .success(let found) where found != after:
      return "after the step \(step.name) returned without an error, `answer` must return \(text(after)), but it "
        + "returned \(text(found))"
    case .success: return nil
    }
  }

  /// Returns a description of an acknowledged append whose events are missing from the store, or `nil`.
  ///
  /// After a compaction, this function returns `nil`, because the compaction could have removed the events.
  private func lost(_ faulty: FaultyStore) throws -> String? {
    let store = faulty.wrapped
    guard try store.revision().compacted.count == 0 else { return nil }
    for (append, receipt) in faulty.answered where receipt.count > 0 && !receipt.isRepeated {
      let first = Position(receipt.position.rawValue - receipt.count)
      let found = try store.events(.all, after: first, through: receipt.position, limit: receipt.count)
      if found.map(\.type) != append.entries.map(\.event.type) {
        return "the append at position \(receipt.position) was acknowledged, but isn't in the store"
      }
    }
    return nil
  }
}
