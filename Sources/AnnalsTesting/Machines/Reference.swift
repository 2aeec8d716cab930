import Synchronization

/// A placeholder for the result of a ``Machine``'s command, created before the command runs.
///
/// For example, a command creates an item, and its result is the item's identifier. The command's model function
/// receives a reference, and stores the reference in the model. Later commands take references from the model as
/// arguments, and read the identifier when they run on the system. In the program that a failing check prints, a
/// reference is a constant, such as `item1`.
public struct Reference<Value: Sendable>: Hashable, Sendable, SourcePrintable {
  private final class Box: Sendable {
    let value = Mutex<Value?>(nil)
  }

  /// The constant's name.
  public let name: String
  private let number: Int
  private let box = Box()

  init(name: String, number: Int) {
    self.name = name
    self.number = number
  }

  /// The result that the command returned on the system under test.
  ///
  /// The result is available only after the command has run on the system, and never in a model.
  public var value: Value {
    guard let value = box.value.withLock({ $0 }) else {
      preconditionFailure(
        "the value of \(name) was read too early, because the command that creates the value had not run. Read `value` "
          + "only in closures that run commands on the system")
    }
    return value
  }

  func resolve(_ value: Value) { box.value.withLock { $0 = value } }

  /// The constant's name, as source code.
  public var swiftSource: String { name }

  /// Returns whether two references are placeholders for the same result.
  public static func == (left: Reference, right: Reference) -> Bool { left.number == right.number }

  /// Hashes the number that identifies the reference.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// The shared state of a run's commands, which counts their references.
final class References {
  private var count = 0
  /// Whether other commands can run during a step, so that a step runs on the system and the model separately.
  ///
  /// Creating the closures for this takes 5% of a step's time.
  var haveParts = false

  func make<Value: Sendable>(_ word: String) -> Reference<Value> {
    count += 1
    return Reference(name: "\(word)\(count)", number: count)
  }
}

extension Command {
  /// Creates a command whose result later commands can use.
  ///
  ///     Command("add(title:)", makes: "item") { _ in .string() } model: { model, title, item in
  ///       model.items.append((item, title))
  ///     } run: { try $0.add(title: $1) }
  ///
  /// - Parameters:
  ///   - name: The name of the system's method, with its argument labels.
  ///   - word: The prefix of the names of constants that contain results, in the program that a failing check prints.
  ///     For example, `item` is the prefix of the constant `item1`.
  ///   - weight: The command's frequency relative to other commands, which must be at least 1.
  ///   - when: A function that returns whether the model permits the command now. By default, the model always permits
  ///     the command.
  ///   - arguments: A function that receives the model, and returns the generator of the command's arguments.
  ///   - model: A function that runs the command on the model and stores the command's reference in the model, or
  ///     throws the expected error.
  ///   - run: A function that runs the command on the system, and returns the result, which becomes the value of the
  ///     reference.
  public init<Arguments, Made: Sendable>(
    _ name: String, makes word: String, weight: Int = 1, when: @escaping (Model) -> Bool = { _ in true },
    arguments: @escaping (Model) -> Generator<Arguments>,
    model: @escaping (inout Model, Arguments, Reference<Made>) throws -> Void,
    run: @escaping (System, Arguments) throws -> Made
  ) {
    self.init(name: name, weight: weight, when: when) { state, draw, references in
      let arguments = try draw(arguments(state))
      let reference: Reference<Made> = references.make(word)
      let step: (inout Model, System) throws -> StepOutcome = { state, system in
        try StepOutcome.compare(&state) {
          try model(&$0, arguments, reference)
        } run: {
          reference.resolve(try run(system, arguments))
        } judge: { _, _ in
        }
      }
      let call = draw.transcript == nil ? "" : callSource(name, arguments)
      let binding = "let \(reference.name) = "
      guard references.haveParts else { return Step(run: .now(step), call: call, binding: binding) }
      let perform: Step.Perform = { system in
        let result = Result { reference.resolve(try run(system, arguments)) }
        return { state in
          try StepOutcome.compare(&state) {
            try model(&$0, arguments, reference)
          } run: {
            try result.get()
          } judge: { _, _ in
          }
        }
      }
      return Step(run: .now(step), perform: perform, call: call, binding: binding)
    }
  }
}
