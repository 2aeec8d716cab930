public import Annals

/// A system, a simple model of it, and the commands that work on both.
///
/// `check(_:)` runs random commands on both and compares every result. The model is a value that says what the system
/// should do: it returns the expected result, or throws the expected error. A failing run is shrunk to the shortest
/// program with the simplest arguments, and printed as Swift code.
///
///     struct CounterMachine: Machine {
///       func start() -> (model: Int, system: Counter) { (0, Counter()) }
///
///       var commands: [Command<Int, Counter>] {
///         Command("add(_:)") { _ in .int(in: 1...9) } model: { $0 += $1 } run: { $0.add($1) }
///         Command("total()") { model in model } run: { $0.total() }
///       }
///     }
public protocol Machine {
  /// What the system should do, as a value.
  ///
  /// Make it `Hashable` if you can: then shrinking sees that two states are equal, and finds shorter programs sooner.
  associatedtype Model
  /// The system under test: an object, so that commands can change it.
  associatedtype System

  /// Creates a model and a system that agree.
  ///
  /// - Returns: Both.
  /// - Throws: Why there is no system; the case then fails.
  func start() throws -> (model: Model, system: System)

  /// The commands, always in the same order; the first ones are simpler.
  @CommandBuilder<Model, System> var commands: [Command<Model, System>] { get }

  /// Throws if the model and the system disagree, or if the system is in a wrong state.
  ///
  /// The check calls it at the start and after each step. By default it does nothing.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - system: The system.
  /// - Throws: What is wrong.
  func invariant(_ model: Model, _ system: System) throws

  /// The code that a printed program begins with; it names the system `system`.
  var setup: String { get }

  /// The largest number of steps, by default 50.
  var maxSteps: Int { get }

  /// The store whose events become the log of a failing run; nil, the default, for a log of the steps.
  ///
  /// - Parameter system: The system, after the run.
  /// - Returns: The store.
  func store(of system: System) -> (any EventStore)?
}

extension Machine {
  /// Checks nothing.
  public func invariant(_ model: Model, _ system: System) throws {}

  /// Makes the machine and starts it.
  public var setup: String { "let system = try \(Self.self)().start().system" }

  /// Fifty steps.
  public var maxSteps: Int { 50 }

  /// Uses the steps as the log.
  public func store(of system: System) -> (any EventStore)? { nil }
}

/// Collects commands in a list.
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

/// Checks that a system does what its model says, for any sequence of commands.
///
/// In half of the cases some commands are left out, so that the others come often enough to have an effect. If a
/// command never ran, or was always refused, you see it in the report's ``CheckReport/occurrences``.
///
/// - Parameters:
///   - machine: The system, its model and the commands.
///   - settings: The number of cases, the seed and the limits.
///   - fileID: The file of the call.
///   - function: The function of the call.
///   - line: The line of the call.
/// - Returns: A report of the cases.
/// - Throws: ``PropertyFailure``, or ``CheckError`` for invalid settings.
@discardableResult
public func check<M: Machine>(
  _ machine: M, settings: CheckSettings = CheckSettings(),
  fileID: String = #fileID, function: String = #function, line: UInt = #line
) throws -> CheckReport {
  try Session.run(PropertyName(file: fileID, function: function, line: line), settings) { draw in
    try machine.run(draw)
  }
}
