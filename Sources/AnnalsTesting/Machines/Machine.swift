public import Annals

/// A system, a simple model of it, and the commands that both understand.
///
/// `check(_:)` runs random commands against both at once and compares every answer. The model is a value that says what
/// the system should do: it answers, or throws what the system should throw. A failing run is shrunk to the shortest
/// program with the simplest arguments, and printed as Swift code.
///
///     struct CounterMachine: Machine {
///       func start() -> (model: Int, system: Counter) { (0, Counter()) }
///
///       var commands: [Command<Int, Counter>] {
///         Command("add(_:)", .int(in: 1...9)) { model, number in model += number } run: { $0.add($1) }
///         Command("total()") { model in model } run: { $0.total() }
///       }
///     }
public protocol Machine {
  /// What the system should do, as a value.
  associatedtype Model
  /// What is tested: an object, so that commands change it.
  associatedtype System

  /// Creates a model and a system that agree.
  ///
  /// - Returns: Both.
  /// - Throws: Why there is no system; the case then fails.
  func start() throws -> (model: Model, system: System)

  /// The commands, in an order that does not change; what comes first is simpler.
  @CommandBuilder<Model, System> var commands: [Command<Model, System>] { get }

  /// Throws if the model and the system disagree, or the system alone is wrong; called at the start and after each step.
  ///
  /// By default it asks nothing.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - system: The system.
  /// - Throws: What is wrong.
  func invariant(_ model: Model, _ system: System) throws

  /// The code that a printed program begins with; it names the system `system`.
  var setup: String { get }

  /// The largest number of steps; by default 50.
  var maxSteps: Int { get }

  /// The store whose events are the log of a failing run; nil, the default, for a log of its steps.
  ///
  /// - Parameter system: The system, after the run.
  /// - Returns: The store.
  func store(of system: System) -> (any EventStore)?
}

extension Machine {
  /// Asks nothing.
  public func invariant(_ model: Model, _ system: System) throws {}

  /// Makes the machine and starts it.
  public var setup: String { "let system = try \(Self.self)().start().system" }

  /// Fifty steps.
  public var maxSteps: Int { 50 }

  /// The log is that of the steps.
  public func store(of system: System) -> (any EventStore)? { nil }
}

/// Puts commands into a list.
@resultBuilder
public enum CommandBuilder<Model, System> {
  /// Takes a command.
  public static func buildExpression(_ command: Command<Model, System>) -> [Command<Model, System>] { [command] }

  /// Takes a list of commands.
  public static func buildExpression(_ commands: [Command<Model, System>]) -> [Command<Model, System>] { commands }

  /// Joins lists.
  public static func buildBlock(_ lists: [Command<Model, System>]...) -> [Command<Model, System>] {
    lists.flatMap { $0 }
  }
}

/// Checks that a system does what its model says, whatever commands it is given.
///
/// In half of the cases some commands are left out, so that others come often enough to get somewhere. A command that
/// was never run, or was only ever refused, shows in the report's ``CheckReport/occurrences``.
///
/// - Parameters:
///   - machine: The system, its model and the commands.
///   - settings: How many cases, from which seed.
///   - fileID: Where this is written.
///   - function: Where this is written.
///   - line: Where this is written.
/// - Returns: What was done.
/// - Throws: ``PropertyFailure``, or ``CheckError`` for settings that cannot be.
@discardableResult
public func check<M: Machine>(
  _ machine: M, settings: CheckSettings = CheckSettings(),
  fileID: String = #fileID, function: String = #function, line: UInt = #line
) throws -> CheckReport {
  try Session.run(PropertyName(file: fileID, function: function, line: line), settings) { draw in
    try machine.run(draw)
  }
}
