/// One thing that can be asked of a system, and what its model says to it.
///
/// The name is that of the system's method, `"rename(_:to:)"`, and is printed with its arguments.
public struct Command<Model, System> {
  /// A step that was drawn: ready to be run, and its code.
  struct Step {
    /// What runs it: the model's answer comes first, then the system's; throws if they differ.
    enum Run {
      case now((inout Model, System) throws -> StepOutcome)
      /// The system has to be waited for.
      case later(Later)
    }

    typealias Later = nonisolated(nonsending) (inout Model, System) async throws -> StepOutcome

    let run: Run
    /// The call, `rename(item1, to: "")`.
    let call: String
    /// What stands before the call: `let item1 = ` if it makes something, `_ = ` if it answers.
    let binding: String
  }

  /// The name of the system's method.
  public let name: String
  /// How often it comes, compared with others.
  let weight: Int
  let when: (Model) -> Bool
  /// Draws the arguments.
  let draw: (Model, Draw, References) throws -> Step

  init(
    name: String, weight: Int, when: @escaping (Model) -> Bool,
    draw: @escaping (Model, Draw, References) throws -> Step
  ) {
    precondition(weight > 0, "a command's weight is 1 or more, \(weight) is not")
    self.name = name
    self.weight = weight
    self.when = when
    self.draw = draw
  }

  /// Creates a command whose answers are compared.
  ///
  /// If the model throws, the system must throw an error of the same type with the same description, and the model stays
  /// as it was. If the system throws and the model does not, the case fails.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method, with its labels.
  ///   - weight: How often it comes, compared with others, 1 or more.
  ///   - when: Whether it may come now; by default always.
  ///   - arguments: Makes the arguments, which may depend on the model. A generator that finds none, such as
  ///     `element(of:)` of nothing, lets another command come.
  ///   - model: Does it to the model, and answers what the system should answer.
  ///   - run: Does it to the system.
  public init<Arguments, Answer: Equatable>(
    _ name: String, weight: Int = 1, when: @escaping (Model) -> Bool = { _ in true },
    arguments: @escaping (Model) -> Generator<Arguments>,
    model: @escaping (inout Model, Arguments) throws -> Answer,
    run: @escaping (System, Arguments) throws -> Answer
  ) {
    self.init(name: name, weight: weight, when: when) { state, draw, _ in
      let arguments = try draw(arguments(state))
      let step: (inout Model, System) throws -> StepOutcome = { state, system in
        try StepOutcome.compare(&state) {
          try model(&$0, arguments)
        } run: {
          try run(system, arguments)
        } judge: {
          try Self.judge(name, $0, $1)
        }
      }
      return Step(run: .now(step), call: draw.transcript == nil ? "" : callSource(name, arguments), binding: "_ = ")
    }
  }

  /// Creates a command that answers nothing.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method, with its labels.
  ///   - weight: How often it comes, compared with others, 1 or more.
  ///   - when: Whether it may come now; by default always.
  ///   - arguments: Makes the arguments, which may depend on the model.
  ///   - model: Does it to the model, or throws what the system should throw.
  ///   - run: Does it to the system.
  public init<Arguments>(
    _ name: String, weight: Int = 1, when: @escaping (Model) -> Bool = { _ in true },
    arguments: @escaping (Model) -> Generator<Arguments>,
    model: @escaping (inout Model, Arguments) throws -> Void,
    run: @escaping (System, Arguments) throws -> Void
  ) {
    self.init(name: name, weight: weight, when: when) { state, draw, _ in
      let arguments = try draw(arguments(state))
      let step: (inout Model, System) throws -> StepOutcome = { state, system in
        try StepOutcome.compare(&state) {
          try model(&$0, arguments)
        } run: {
          try run(system, arguments)
        } judge: { _, _ in
        }
      }
      return Step(run: .now(step), call: draw.transcript == nil ? "" : callSource(name, arguments), binding: "")
    }
  }

  /// Creates a command without arguments whose answers are compared.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method.
  ///   - weight: How often it comes, compared with others, 1 or more.
  ///   - when: Whether it may come now; by default always.
  ///   - model: Does it to the model, and answers what the system should answer.
  ///   - run: Does it to the system.
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

  /// Creates a command without arguments that answers nothing.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method.
  ///   - weight: How often it comes, compared with others, 1 or more.
  ///   - when: Whether it may come now; by default always.
  ///   - model: Does it to the model, or throws what the system should throw.
  ///   - run: Does it to the system.
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

/// The arguments of a command that has none.
struct NoArguments {}
