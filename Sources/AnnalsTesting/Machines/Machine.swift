public import Annals

/// A system, a simple model of the system, and the commands that run on both the system and the model.
///
/// `check(_:)` runs random commands on the system and the model, and compares all results. The model is a value that
/// describes the expected behavior: it returns the expected result, or throws the expected error. A failing run is
/// shrunk to the shortest program with the simplest arguments, and printed as Swift code.
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
  /// The type of the model, which is a value that describes the expected behavior.
  ///
  /// Make this type `Hashable` if you can. Shrinking can then detect equal states, and finds shorter programs sooner.
  associatedtype Model
  /// The type of the system under test, which must be a class, so that commands can change the system.
  associatedtype System

  /// Creates a model and a system that are in the same initial state.
  ///
  /// - Returns: The model and the system.
  /// - Throws: An error if the system can't be created. The case then fails.
  func start() throws -> (model: Model, system: System)

  /// The commands, always in the same order.
  ///
  /// Shrinking prefers earlier commands.
  @CommandBuilder<Model, System> var commands: [Command<Model, System>] { get }

  /// Throws if the model and the system differ, or if the system's state is invalid.
  ///
  /// The check calls this function at the start and after every step. The default implementation accepts every state.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - system: The system.
  /// - Throws: An error that describes the problem.
  func invariant(_ model: Model, _ system: System) throws

  /// The Swift code at the start of the program that a failing check prints.
  ///
  /// The code must define the constant `system`.
  var setup: String { get }

  /// The maximum number of steps in a run, by default 50.
  var maxSteps: Int { get }

  /// Returns the store whose events become the log of a failing run, or `nil` (the default) to log the machine's steps.
  ///
  /// - Parameter system: The system, after the run.
  /// - Returns: The store, or `nil`.
  func store(of system: System) -> (any EventStore)?
}

extension Machine {
  /// Accepts every state of the model and the system.
  public func invariant(_ model: Model, _ system: System) throws {}

  /// The default code at the start of the program that a failing check prints.
  ///
  /// The code creates and starts the machine, and defines the constant `system`.
  public var setup: String { "let system = try \(Self.self)().start().system" }

  /// The default maximum number of steps in a run, which is 50.
  public var maxSteps: Int { 50 }

  /// Returns `nil`, so that the log of a failing run contains the machine's steps.
  public func store(of system: System) -> (any EventStore)? { nil }
}

/// A result builder that collects commands in a list.
@resultBuilder
public enum CommandBuilder<Model, System> {
  /// Converts a command to a list that contains only this command.
  public static func buildExpression(_ command: Command<Model, System>) -> [Command<Model, System>] { [command] }

  /// Returns a list of commands unchanged.
  public static func buildExpression(_ commands: [Command<Model, System>]) -> [Command<Model, System>] { commands }

  /// Concatenates lists of commands.
  public static func buildBlock(_ lists: [Command<Model, System>]...) -> [Command<Model, System>] {
    lists.flatMap { $0 }
  }
}

/// Checks that a system behaves like its model for any sequence of commands.
///
/// Half of the cases omit some commands. In these cases, the other commands occur more often, for example many times in
/// a row.
///
/// For every command, the report's ``CheckReport/occurrences`` contains the number of cases in which the command was
/// executed, and the number of cases in which it was refused. A command that never ran has no entry.
///
/// - Parameters:
///   - machine: The machine, which creates the system and its model, and defines the commands.
///   - settings: The number of cases, the seed and the limits.
///   - fileID: The file that contains the call.
///   - function: The function that contains the call.
///   - line: The line of the call.
/// - Returns: A report of the cases.
/// - Throws: ``PropertyFailure`` if the check fails, or ``CheckError`` for invalid settings.
@discardableResult
public func check<M: Machine>(
  _ machine: M, settings: CheckSettings = .current,
  fileID: String = #fileID, function: String = #function, line: UInt = #line
) throws -> CheckReport {
  try Session.run(PropertyName(file: fileID, function: function, line: line), settings) { draw in
    try machine.run(draw)
  }
}
