public import Annals

extension FaultyStore {
  /// A step of a program that is tried while calls of its store fail.
  public struct Step<System> {
    let name: String
    let run: (System) throws -> Void

    /// Names a step.
    ///
    /// - Parameters:
    ///   - name: What the report calls it.
    ///   - run: Does it. It is run again, after an error, once the store works again.
    public init(_ name: String, _ run: @escaping (System) throws -> Void) { (self.name, self.run) = (name, run) }
  }

  /// How much was tried.
  public struct Report: Hashable, Sendable {
    /// How many calls of the store the program has.
    public let calls: Int
    /// How many faults were tried: each call in each way, once and until the end of its step.
    public let faults: Int
  }

  /// Runs a program once for each of its calls of the store, and lets that call fail in each way.
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
  /// After each step the answer must be what it is in a run in which nothing fails. If the step threw, it may also be
  /// the answer of before; the step is then run again, on a store that works, and must lead to the answer. So these
  /// are found: an update that is lost because its error was swallowed, one that is done twice when its answer was
  /// lost, a list that is wrong afterwards, and an app that does not go on. The first fault that shows one is reported;
  /// calls that come sooner are tried first.
  ///
  /// - Parameters:
  ///   - makeStore: Makes an empty store; by default one in memory.
  ///   - ways: How calls fail; by default in every way.
  ///   - steps: What is done, in order.
  ///   - fileID: The file of the call.
  ///   - line: The line of the call.
  ///   - start: Makes the system. If that fails, it is made again on a store that works.
  ///   - answer: What the system shows; no call fails meanwhile. Refresh lists here.
  /// - Returns: How much was tried.
  /// - Throws: ``Unmet`` with the fault and the step; ``CheckError`` if the program fails although nothing else does.
  /// - Complexity: O(n²) for n calls.
  @discardableResult
  public static func check<System, Answer: Equatable>(
    on makeStore: () throws -> any EventStore = { MemoryEventStore() },
    ways: [StoreFault.Way] = StoreFault.Way.allCases,
    steps: [Step<System>], fileID: String = #fileID, line: UInt = #line,
    start: (FaultyStore) throws -> System, answer: @escaping (System) throws -> Answer
  ) throws -> Report {
    var answers: [Answer] = []
    let plain = FaultyStore(try makeStore())
    do {
      let system = try start(plain)
      answers.append(try plain.paused { try answer(system) })
      for step in steps {
        try step.run(system)
        answers.append(try plain.paused { try answer(system) })
      }
    } catch {
      throw CheckError(
        description: "expected the program to succeed while the store works, found \(error) in "
          + (answers.isEmpty ? "its start" : "the step \(steps[min(answers.count, steps.count) - 1].name)"))
    }
    let calls = plain.calls
    guard !calls.isEmpty else {
      throw CheckError(description: "the program calls nothing of its store; hand the store that it gets to the system")
    }
    var faults = 0
    for (index, call) in calls.enumerated() {
      for way in ways where way != .answerLost || call != .read {
        for lasts in [false, true] {
          let fault = StoreFault(call, number: index + 1, way: way, lasts: lasts)
          let trial = FaultTrial(steps: steps, answers: answers, answer: answer, fault: fault)
          if let failure = try trial.failure(FaultyStore(makeStore()), start) {
            throw Unmet(description: "\(fault): \(failure)", fileID: fileID, line: line)
          }
          faults += 1
        }
      }
    }
    return Report(calls: calls.count, faults: faults)
  }
}

/// One run of a program while a call fails.
private struct FaultTrial<System, Answer: Equatable> {
  let steps: [FaultyStore.Step<System>]
  /// The answers after the start and after each step, in a run in which nothing fails.
  let answers: [Answer]
  let answer: (System) throws -> Answer
  let fault: StoreFault

  /// What is wrong; nil if nothing is.
  func failure(_ store: FaultyStore, _ start: (FaultyStore) throws -> System) throws -> String? {
    store.fail(fault)
    let system: System
    do {
      system = try start(store)
    } catch {
      store.mend()
      do { system = try start(store) } catch { return "the start fails again although the store works: \(error)" }
    }
    for (index, step) in steps.enumerated() {
      if let failure = failure(of: step, index, system, store) { return failure }
      // A fault lasts until the end of its step.
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
      case .failure(let other): return "after the step \(step.name) the system does not answer: \(other)"
      case .success(let found) where found != before && found != after:
        return "the step \(step.name) threw an error (\(error)), expected \(text(before)) or \(text(after)), found "
          + text(found)
      case .success: break
      }
      store.mend()
      let again = Result { try step.run(system) }
      guard case .success(let found) = shown() else { return "after \(step.name) again the system does not answer" }
      guard found != after else { return nil }
      if case .failure(let other) = again {
        return "the step \(step.name) fails again although the store works: \(other)"
      }
      return "the step \(step.name) threw an error (\(error)) and was run again, expected \(text(after)), found "
        + text(found)
    }
    switch shown() {
    case .failure(let error): return "after the step \(step.name) the system does not answer: \(error)"
    case .success(let found) where found != after:
      return "the step \(step.name) returned as if it were done, expected \(text(after)), found \(text(found))"
    case .success: return nil
    }
  }

  /// An append that was answered and is not in the store; compactions may take events.
  private func lost(_ faulty: FaultyStore) throws -> String? {
    let store = faulty.store
    guard try store.revision().compacted.count == 0 else { return nil }
    for (append, receipt) in faulty.answered where receipt.count > 0 && !receipt.isRepeated {
      let first = Position(receipt.position.rawValue - receipt.count)
      let found = try store.events(.all, after: first, through: receipt.position, limit: receipt.count)
      if found.map(\.type) != append.entries.map(\.event.type) {
        return "the append at \(receipt.position) was answered, and is not in the store"
      }
    }
    return nil
  }
}
