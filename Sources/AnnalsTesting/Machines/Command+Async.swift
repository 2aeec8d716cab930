// Commands of asynchronous systems in an `AsyncMachine`, with the same forms as the other commands.

extension Command {
  /// Creates a command that runs on an asynchronous system, and compares the system's result with the model's result.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method, with its argument labels.
  ///   - weight: The command's frequency relative to other commands, which must be at least 1.
  ///   - when: A function that returns whether the model permits the command now. By default, the model always permits
  ///     the command.
  ///   - arguments: A function that receives the model, and returns the generator of the command's arguments.
  ///   - model: A function that runs the command on the model, and returns the expected result.
  ///   - run: A function that runs the command on the system, in the isolation of the check.
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

  /// Creates a command without a result for an asynchronous system.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method, with its argument labels.
  ///   - weight: The command's frequency relative to other commands, which must be at least 1.
  ///   - when: A function that returns whether the model permits the command now. By default, the model always permits
  ///     the command.
  ///   - arguments: A function that receives the model, and returns the generator of the command's arguments.
  ///   - model: A function that runs the command on the model, or throws the expected error.
  ///   - run: A function that runs the command on the system, in the isolation of the check.
  public init<Arguments>(
    _ name: String, weight: Int = 1, when: @escaping (Model) -> Bool = { _ in true },
    arguments: @escaping (Model) -> Generator<Arguments>,
    model: @escaping (inout Model, Arguments) throws -> Void,
    run: nonisolated(nonsending) @escaping (System, Arguments) async throws -> Void
  ) {
    self.init(
      name, weight: weight, when: when, binding: "", arguments: arguments, model: model, later: run, judge: { _, _ in })
  }

  /// Creates a command with a function that compares its results, and with the source before the printed call.
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

  /// Creates a command that has no arguments, runs on an asynchronous system, and compares the system's result with the
  /// model's result.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method.
  ///   - weight: The command's frequency relative to other commands, which must be at least 1.
  ///   - when: A function that returns whether the model permits the command now. By default, the model always permits
  ///     the command.
  ///   - model: A function that runs the command on the model, and returns the expected result.
  ///   - run: A function that runs the command on the system, in the isolation of the check.
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

  /// Creates a command without arguments and without a result for an asynchronous system.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method.
  ///   - weight: The command's frequency relative to other commands, which must be at least 1.
  ///   - when: A function that returns whether the model permits the command now. By default, the model always permits
  ///     the command.
  ///   - model: A function that runs the command on the model, or throws the expected error.
  ///   - run: A function that runs the command on the system, in the isolation of the check.
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

  /// Creates an asynchronous command whose result later commands can use.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method, with its argument labels.
  ///   - word: The prefix of the names of constants that contain results, in the program that a failing check prints.
  ///     For example, `item` is the prefix of the constant `item1`.
  ///   - weight: The command's frequency relative to other commands, which must be at least 1.
  ///   - when: A function that returns whether the model permits the command now. By default, the model always permits
  ///     the command.
  ///   - arguments: A function that receives the model, and returns the generator of the command's arguments.
  ///   - model: A function that runs the command on the model and stores the command's ``Reference`` in the model, or
  ///     throws the expected error.
  ///   - run: A function that runs the command on the system, in the isolation of the check, and returns the result,
  ///     which becomes the value of the reference.
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

  /// Throws if the results of the model and the system differ.
  static func judge<Answer: Equatable>(_ name: String, _ expected: Answer, _ found: Answer) throws {
    guard expected != found else { return }
    throw StepFailure("\(name): expected \(swiftSource(of: expected)), found \(swiftSource(of: found))", at: name)
  }
}

extension Command.Step {
  /// Returns a function that runs a command only on a system, and then returns a function that compares the command's
  /// result with a model.
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
