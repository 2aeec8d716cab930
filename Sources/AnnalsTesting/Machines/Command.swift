/// One operation of a system, with the result that its model expects.
///
/// The name is that of the system's method, `"rename(_:to:)"`, and is printed with its arguments.
public struct Command<Model, System> {
  /// A step with drawn arguments: ready to run, with its code.
  ///
  /// It is an object, because a run hands it from hand to hand: its parts are closures, which cost a step 200 ns.
  final class Step {
    /// Runs the step: first on the model, then on the system.
    ///
    /// Throws if the results differ.
    enum Run {
      case now((inout Model, System) throws -> StepOutcome)
      /// The system is asynchronous.
      case later(Later)
    }

    typealias Later = nonisolated(nonsending) (inout Model, System) async throws -> StepOutcome

    /// Runs the step on the system alone, and returns what compares the result with a model.
    typealias Perform = (System) -> (inout Model) throws -> StepOutcome
    /// The same for an asynchronous system.
    typealias PerformLater = nonisolated(nonsending) (System) async -> (inout Model) throws -> StepOutcome

    let run: Run
    /// Nil if the system is asynchronous, or if no command of the run comes in between.
    let perform: Perform?
    /// Nil if the system is not asynchronous.
    let performLater: PerformLater?
    /// The call, `rename(item1, to: "")`.
    let call: String
    /// The text before the call: `let item1 = ` if the step makes something, `_ = ` if it returns something.
    let binding: String
    /// The command's number in the machine; set when it was drawn.
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
  /// How often it is drawn, compared with others.
  let weight: Int
  let when: (Model) -> Bool
  /// Draws the arguments.
  let draw: (Model, Draw, References) throws -> Step

  init(
    name: String, weight: Int, when: @escaping (Model) -> Bool,
    draw: @escaping (Model, Draw, References) throws -> Step
  ) {
    precondition(weight > 0, "`weight` must be at least 1 (was \(weight))")
    self.name = name
    self.weight = weight
    self.when = when
    self.draw = draw
  }

  /// Creates a command whose results are compared.
  ///
  /// If the model throws, the system must throw an error of the same type with the same description, and the model
  /// stays unchanged. If the system throws and the model does not, the case fails.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method, with its labels.
  ///   - weight: How often it is drawn, compared with others; 1 or more.
  ///   - when: Whether it may be drawn now; by default always.
  ///   - arguments: Makes the arguments, which may depend on the model. If a generator has no value, such as
  ///     `element(of:)` of nothing, another command is drawn.
  ///   - model: Runs the command on the model, and returns what the system should return.
  ///   - run: Runs the command on the system.
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

  /// Creates a command that returns nothing.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method, with its labels.
  ///   - weight: How often it is drawn, compared with others; 1 or more.
  ///   - when: Whether it may be drawn now; by default always.
  ///   - arguments: Makes the arguments, which may depend on the model.
  ///   - model: Runs the command on the model, or throws what the system should throw.
  ///   - run: Runs the command on the system.
  public init<Arguments>(
    _ name: String, weight: Int = 1, when: @escaping (Model) -> Bool = { _ in true },
    arguments: @escaping (Model) -> Generator<Arguments>,
    model: @escaping (inout Model, Arguments) throws -> Void,
    run: @escaping (System, Arguments) throws -> Void
  ) {
    self.init(
      name, weight: weight, when: when, binding: "", arguments: arguments, model: model, run: run, judge: { _, _ in })
  }

  /// Creates a command whose results are judged, and written with a binding before the call.
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

  /// Creates a command without arguments whose results are compared.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method.
  ///   - weight: How often it is drawn, compared with others; 1 or more.
  ///   - when: Whether it may be drawn now; by default always.
  ///   - model: Runs the command on the model, and returns what the system should return.
  ///   - run: Runs the command on the system.
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

  /// Creates a command without arguments that returns nothing.
  ///
  /// - Parameters:
  ///   - name: The name of the system's method.
  ///   - weight: How often it is drawn, compared with others; 1 or more.
  ///   - when: Whether it may be drawn now; by default always.
  ///   - model: Runs the command on the model, or throws what the system should throw.
  ///   - run: Runs the command on the system.
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
