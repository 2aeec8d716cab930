import Synchronization

/// A placeholder for an earlier command's result, before the command has run.
///
/// Take a command that makes something, such as an item with an identifier. It gives its model a reference to store.
/// Later commands take references from the model as arguments, and read the result when they run. In a printed program
/// a reference is a constant, `item1`.
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

  /// The system's result; available after the command has run, and so never to a model.
  public var value: Value {
    guard let value = box.value.withLock({ $0 }) else {
      preconditionFailure("\(name) has no value yet: read it only in code that runs on the system")
    }
    return value
  }

  func resolve(_ value: Value) { box.value.withLock { $0 = value } }

  /// The constant's name.
  public var swiftSource: String { name }

  /// Returns whether two references stand for the same result.
  public static func == (left: Reference, right: Reference) -> Bool { left.number == right.number }

  /// Hashes the reference.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// What the commands of one run share: it counts their references.
final class References {
  private var count = 0
  /// True if other commands come in between, so that a step runs on the system and on the model apart.
  ///
  /// Making what does so takes a step 5 % of its time.
  var haveParts = false

  func make<Value: Sendable>(_ word: String) -> Reference<Value> {
    count += 1
    return Reference(name: "\(word)\(count)", number: count)
  }
}

extension Command {
  /// Creates a command that makes something for later commands.
  ///
  ///     Command("add(title:)", makes: "item") { _ in .string() } model: { model, title, item in
  ///       model.items.append((item, title))
  ///     } run: { try $0.add(title: $1) }
  ///
  /// - Parameters:
  ///   - name: The name of the system's method, with its labels.
  ///   - word: The word that the constants of a printed program begin with.
  ///   - weight: How often it is drawn, compared with others; 1 or more.
  ///   - when: Whether it may be drawn now; by default always.
  ///   - arguments: Makes the arguments, which may depend on the model.
  ///   - model: Runs the command on the model, which keeps the reference, or throws what the system should throw.
  ///   - run: Runs the command on the system, and returns what the reference stands for.
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
