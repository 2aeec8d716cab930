/// An operation on a ``Machine``'s system, and the same operation on the machine's model.
///
/// The operation on the model defines the expected result. The command has the name of the system's method, such as
/// `"rename(_:to:)"`. If a check fails, it prints a program that calls this method with the arguments.
public struct Command<Model, System> {
  /// A step with drawn arguments, ready to run, and its source code.
  ///
  /// It is a class because a run passes it around often. With a struct, copying its closures would cost 200 ns per
  /// step.
  final class Step {
    /// The function that runs the step, first on the model and then on the system.
    ///
    /// It throws if the results differ.
    enum Run {
      case now((inout Model, System) throws -> StepOutcome)
      /// For an asynchronous system.
      case later(Later)
    }

    typealias Later = nonisolated(nonsending) (inout Model, System) async throws -> StepOutcome

    /// A function that runs the step on the system alone, and returns a function that compares the result with a model.
    typealias Perform = (System) -> (inout Model) throws -> StepOutcome
    /// A `Perform` function for an asynchronous system.
    typealias PerformLater = nonisolated(nonsending) (System) async -> (inout Model) throws -> StepOutcome

    let run: Run
    /// The execution on the system alone, or `nil` if the system is asynchronous or if other commands can't run during
    /// this step.
    let perform: Perform?
    /// The asynchronous execution on the system alone, or `nil` if the system isn't asynchronous.
    let performLater: PerformLater?
    /// The call as source, for example `rename(item1, to: "")`.
    let call: String
    /// The source before the call: `let item1 = ` for a result that later steps can use, or `_ = ` for any other
    /// result.
    let binding: String
    /// The command's index in the machine, which is set after drawing.
    var number = 0

    init(
      run: Run, perform: Perform? = nil, performLater: PerformLater? = nil, call: String, binding: String
    ) {
      self.run = run
      self.perform = perform
      self.performLater = performLater
      self.call = call
      self.binding = binding
    }
  }

  /// The name of the system's method.
  public let name: String
  /// The relative frequency of the command.
  let weight: Int
  let when: (Model) -> Bool
  /// Draws the arguments, and returns the step.
  let draw: (Model, Draw, References) throws -> Step

  init(
    name: String, weight: Int, when: @escaping (Model) -> Bool,
    draw: @escaping (Model, Draw, References) throws -> Step
  ) {
    precondition(weight > 0, "`weight` of the command \(name) must be at least 1 (was \(weight))")
    self.name = name
    self.weight = weight
    self.when = when
    self.draw = draw
  }

  /// Creates a command that compares the system's result with the model's result.
  ///
  /// If the model throws, the system must throw an error of the same type with the same description, and the model
  /// doesn't change. If only the system throws, the case fails.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method, with its argument labels.
  ///   - weight: The command's frequency relative to other commands, which must be at least 1.
  ///   - when: A function that returns whether the model permits the command now. By default, the model always permits
  ///     the command.
  ///   - arguments: A function that receives the model, and returns the generator of the command's arguments. If the
  ///     generator has no values, such as `element(of:)` of an empty collection, the check chooses another command.
  ///   - model: A function that runs the command on the model, and returns the expected result.
  ///   - run: A function that runs the command on the system.
  public init<Arguments, Answer: Equatable>(
    _ name: String, weight: Int = 1, when: @escaping (Model) -> Bool = { _ in true },
    arguments: @escaping (Model) -> Generator<Arguments>,
    model: @escaping (inout Model, Arguments) throws -> Answer,
    run: @escaping (System, Arguments) throws -> Answer
  ) {
    self.init(
      name, weight: weight, when: when, binding: "_ = ", arguments: arguments, model: model, run: run,
      judge: { try Self.judge(name, $0, $1) })
  }

  /// Creates a command without a result.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method, with its argument labels.
  ///   - weight: The command's frequency relative to other commands, which must be at least 1.
  ///   - when: A function that returns whether the model permits the command now. By default, the model always permits
  ///     the command.
  ///   - arguments: A function that receives the model, and returns the generator of the command's arguments.
  ///   - model: A function that runs the command on the model, or throws the expected error.
  ///   - run: A function that runs the command on the system.
  public init<Arguments>(
    _ name: String, weight: Int = 1, when: @escaping (Model) -> Bool = { _ in true },
    arguments: @escaping (Model) -> Generator<Arguments>,
    model: @escaping (inout Model, Arguments) throws -> Void,
    run: @escaping (System, Arguments) throws -> Void
  ) {
    self.init(
      name, weight: weight, when: when, binding: "", arguments: arguments, model: model, run: run, judge: { _, _ in })
  }

  /// Creates a command with a function that compares its results, and with the source before the printed call.
  private init<Arguments, Answer>(
    _ name: String, weight: Int, when: @escaping (Model) -> Bool, binding: String,
    arguments: @escaping (Model) -> Generator<Arguments>,
    model: @escaping (inout Model, Arguments) throws -> Answer,
    run: @escaping (System, Arguments) throws -> Answer,
    judge: @escaping (Answer, Answer) throws -> Void
  ) {
    self.init(name: name, weight: weight, when: when) { state, draw, references in
      let arguments = try draw(arguments(state))
      let step: (inout Model, System) throws -> StepOutcome = { state, system in
        try StepOutcome.compare(&state) {
          try model(&$0, arguments)
        } run: {
          try run(system, arguments)
        } judge: {
          try judge($0, $1)
        }
      }
      let call = draw.transcript == nil ? "" : callSource(name, arguments)
      guard references.haveParts else { return Step(run: .now(step), call: call, binding: binding) }
      let perform: Step.Perform = { system in
        let result = Result { try run(system, arguments) }
        return { state in
          try StepOutcome.compare(&state) {
            try model(&$0, arguments)
          } run: {
            try result.get()
          } judge: {
            try judge($0, $1)
          }
        }
      }
      return Step(run: .now(step), perform: perform, call: call, binding: binding)
    }
  }

  /// Creates a command that has no arguments, and compares the system's result with the model's result.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method.
  ///   - weight: The command's frequency relative to other commands, which must be at least 1.
  ///   - when: A function that returns whether the model permits the command now. By default, the model always permits
  ///     the command.
  ///   - model: A function that runs the command on the model, and returns the expected result.
  ///   - run: A function that runs the command on the system.
  public init<Answer: Equatable>(
    _ name: String, weight: Int = 1, when: @escaping (Model) -> Bool = { _ in true },
    model: @escaping (inout Model) throws -> Answer, run: @escaping (System) throws -> Answer
  ) {
    self.init(name, weight: weight, when: when, arguments: { _ in Generator { _ in NoArguments() } }) { state, _ in
      try model(&state)
    } run: { system, _ in
      try run(system)
    }
  }

  /// Creates a command without arguments and without a result.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method.
  ///   - weight: The command's frequency relative to other commands, which must be at least 1.
  ///   - when: A function that returns whether the model permits the command now. By default, the model always permits
  ///     the command.
  ///   - model: A function that runs the command on the model, or throws the expected error.
  ///   - run: A function that runs the command on the system.
  public init(
    _ name: String, weight: Int = 1, when: @escaping (Model) -> Bool = { _ in true },
    model: @escaping (inout Model) throws -> Void, run: @escaping (System) throws -> Void
  ) {
    self.init(name, weight: weight, when: when, arguments: { _ in Generator { _ in NoArguments() } }) { state, _ in
      try model(&state)
    } run: { system, _ in
      try run(system)
    }
  }
}

/// The arguments of a command without arguments.
struct NoArguments {}
