// Commands of asynchronous systems, in an `AsyncMachine`. They have the same forms as `Command`.

extension Command {
  /// Creates a command of an asynchronous system whose results are compared.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method, with its labels.
  ///   - weight: How often it is drawn, compared with others; 1 or more.
  ///   - when: Whether it may be drawn now; by default always.
  ///   - arguments: Makes the arguments, which may depend on the model.
  ///   - model: Runs the command on the model, and returns what the system should return.
  ///   - run: Runs the command on the system, in the isolation of the check.
  public init<Arguments, Answer: Equatable>(
    _ name: String, weight: Int = 1, when: @escaping (Model) -> Bool = { _ in true },
    arguments: @escaping (Model) -> Generator<Arguments>,
    model: @escaping (inout Model, Arguments) throws -> Answer,
    run: nonisolated(nonsending) @escaping (System, Arguments) async throws -> Answer
  ) {
    self.init(
      name, weight: weight, when: when, binding: "_ = ", arguments: arguments, model: model, later: run,
      judge: { try Self.judge(name, $0, $1) })
  }

  /// Creates a command of an asynchronous system that returns nothing.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method, with its labels.
  ///   - weight: How often it is drawn, compared with others; 1 or more.
  ///   - when: Whether it may be drawn now; by default always.
  ///   - arguments: Makes the arguments, which may depend on the model.
  ///   - model: Runs the command on the model, or throws what the system should throw.
  ///   - run: Runs the command on the system, in the isolation of the check.
  public init<Arguments>(
    _ name: String, weight: Int = 1, when: @escaping (Model) -> Bool = { _ in true },
    arguments: @escaping (Model) -> Generator<Arguments>,
    model: @escaping (inout Model, Arguments) throws -> Void,
    run: nonisolated(nonsending) @escaping (System, Arguments) async throws -> Void
  ) {
    self.init(
      name, weight: weight, when: when, binding: "", arguments: arguments, model: model, later: run, judge: { _, _ in })
  }

  /// Creates a command whose results are judged, and written with a binding before the call.
  private init<Arguments, Answer>(
    _ name: String, weight: Int, when: @escaping (Model) -> Bool, binding: String,
    arguments: @escaping (Model) -> Generator<Arguments>,
    model: @escaping (inout Model, Arguments) throws -> Answer,
    later run: nonisolated(nonsending) @escaping (System, Arguments) async throws -> Answer,
    judge: @escaping (Answer, Answer) throws -> Void
  ) {
    self.init(name: name, weight: weight, when: when) { state, draw, _ in
      let arguments = try draw(arguments(state))
      let step: Step.Later = { state, system in
        try await StepOutcome.compare(&state) {
          try model(&$0, arguments)
        } run: {
          try await run(system, arguments)
        } judge: {
          try judge($0, $1)
        }
      }
      let perform = Step.performing {
        try model(&$0, arguments)
      } run: {
        try await run($0, arguments)
      } judge: {
        try judge($0, $1)
      }
      let call = draw.transcript == nil ? "" : callSource(name, arguments)
      return Step(run: .later(step), performLater: perform, call: call, binding: binding)
    }
  }

  /// Creates a command of an asynchronous system without arguments whose results are compared.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method.
  ///   - weight: How often it is drawn, compared with others; 1 or more.
  ///   - when: Whether it may be drawn now; by default always.
  ///   - model: Runs the command on the model, and returns what the system should return.
  ///   - run: Runs the command on the system, in the isolation of the check.
  public init<Answer: Equatable>(
    _ name: String, weight: Int = 1, when: @escaping (Model) -> Bool = { _ in true },
    model: @escaping (inout Model) throws -> Answer,
    run: nonisolated(nonsending) @escaping (System) async throws -> Answer
  ) {
    self.init(name, weight: weight, when: when, arguments: { _ in Generator { _ in NoArguments() } }) { state, _ in
      try model(&state)
    } run: { system, _ in
      try await run(system)
    }
  }

  /// Creates a command of an asynchronous system without arguments that returns nothing.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method.
  ///   - weight: How often it is drawn, compared with others; 1 or more.
  ///   - when: Whether it may be drawn now; by default always.
  ///   - model: Runs the command on the model, or throws what the system should throw.
  ///   - run: Runs the command on the system, in the isolation of the check.
  public init(
    _ name: String, weight: Int = 1, when: @escaping (Model) -> Bool = { _ in true },
    model: @escaping (inout Model) throws -> Void, run: nonisolated(nonsending) @escaping (System) async throws -> Void
  ) {
    self.init(name, weight: weight, when: when, arguments: { _ in Generator { _ in NoArguments() } }) { state, _ in
      try model(&state)
    } run: { system, _ in
      try await run(system)
    }
  }

  /// Creates a command of an asynchronous system that makes something for later commands.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method, with its labels.
  ///   - word: The word that the constants of a printed program begin with.
  ///   - weight: How often it is drawn, compared with others; 1 or more.
  ///   - when: Whether it may be drawn now; by default always.
  ///   - arguments: Makes the arguments, which may depend on the model.
  ///   - model: Runs the command on the model, which keeps the reference, or throws what the system should throw.
  ///   - run: Runs the command on the system, in the isolation of the check, and returns what the reference stands for.
  public init<Arguments, Made: Sendable>(
    _ name: String, makes word: String, weight: Int = 1, when: @escaping (Model) -> Bool = { _ in true },
    arguments: @escaping (Model) -> Generator<Arguments>,
    model: @escaping (inout Model, Arguments, Reference<Made>) throws -> Void,
    run: nonisolated(nonsending) @escaping (System, Arguments) async throws -> Made
  ) {
    self.init(name: name, weight: weight, when: when) { state, draw, references in
      let arguments = try draw(arguments(state))
      let reference: Reference<Made> = references.make(word)
      let step: Step.Later = { state, system in
        try await StepOutcome.compare(&state) {
          try model(&$0, arguments, reference)
        } run: {
          reference.resolve(try await run(system, arguments))
        } judge: { _, _ in
        }
      }
      let perform = Step.performing {
        try model(&$0, arguments, reference)
      } run: { system in
        reference.resolve(try await run(system, arguments))
      } judge: { _, _ in
      }
      let call = draw.transcript == nil ? "" : callSource(name, arguments)
      return Step(run: .later(step), performLater: perform, call: call, binding: "let \(reference.name) = ")
    }
  }

  /// Compares the results of the model and the system.
  static func judge<Answer: Equatable>(_ name: String, _ expected: Answer, _ found: Answer) throws {
    guard expected != found else { return }
    throw StepFailure("\(name): expected \(swiftSource(of: expected)), found \(swiftSource(of: found))", at: name)
  }
}

extension Command.Step {
  /// What runs a command on a system alone, and returns what compares the answer with a model afterwards.
  fileprivate static func performing<Answer>(
    _ model: @escaping (inout Model) throws -> Answer,
    run: nonisolated(nonsending) @escaping (System) async throws -> Answer,
    judge: @escaping (Answer, Answer) throws -> Void
  ) -> (nonisolated(nonsending) (System) async -> (inout Model) throws -> StepOutcome) {
    { system in
      let result: Result<Answer, any Error>
      do { result = .success(try await run(system)) } catch { result = .failure(error) }
      return { state in
        try StepOutcome.compare(&state) {
          try model(&$0)
        } run: {
          try result.get()
        } judge: {
          try judge($0, $1)
        }
      }
    }
  }
}
