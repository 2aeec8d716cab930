public import Annals

/// A machine (a system, its model, and commands for both) that tests an asynchronous system, such as an actor.
///
/// It works like ``Machine``, but `start`, `invariant` and a command's `run` can be asynchronous. The steps run one
/// after the other, in the isolation of the check.
public protocol AsyncMachine {
  /// The type of the model, which is a value that describes the expected behavior.
  ///
  /// Make this type `Hashable` if you can. Shrinking can then detect equal states, and finds shorter programs sooner.
  associatedtype Model
  /// The type of the system under test, which is an actor or another class.
  associatedtype System

  /// Creates a model and a system that are in the same initial state.
  ///
  /// - Returns: The model and the system.
  /// - Throws: An error if the system can't be created. The case then fails.
  nonisolated(nonsending) func start() async throws -> (model: Model, system: System)

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
  nonisolated(nonsending) func invariant(_ model: Model, _ system: System) async throws

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

extension AsyncMachine {
  /// Accepts every state of the model and the system.
  public nonisolated(nonsending) func invariant(_ model: Model, _ system: System) async throws {}

  /// The default code at the start of the program that a failing check prints.
  ///
  /// The code creates and starts the machine, and defines the constant `system`.
  public var setup: String { "let system = try await \(Self.self)().start().system" }

  /// The default maximum number of steps in a run, which is 50.
  public var maxSteps: Int { 50 }

  /// Returns `nil`, so that the log of a failing run contains the machine's steps.
  public func store(of system: System) -> (any EventStore)? { nil }
}

/// Checks that an asynchronous system behaves like its model for any sequence of commands.
///
/// - Parameters:
///   - machine: The machine, which creates the system and its model, and defines the commands.
///   - settings: The number of cases, the seed and the limits.
///   - isolation: The isolation in which all steps run. Pass no argument: the default is the caller's isolation.
///   - fileID: The file that contains the call.
///   - function: The function that contains the call.
///   - line: The line of the call.
/// - Returns: A report of the cases.
/// - Throws: ``PropertyFailure`` if the check fails, ``CheckError`` for invalid settings, or `CancellationError` if the
///   task is cancelled.
@discardableResult
public func check<M: AsyncMachine>(
  _ machine: M, settings: CheckSettings = .current, isolation: isolated (any Actor)? = #isolation,
  fileID: String = #fileID, function: String = #function, line: UInt = #line
) async throws -> CheckReport {
  let name = PropertyName(file: fileID, function: function, line: line)
  return try await Session.run(name, settings, isolation: isolation) { draw in
    try await machine.run(draw)
  }
}

/// Checks that an asynchronous system behaves like its model, even if several commands run at the same time.
///
/// For some steps, the check draws additional commands and starts all of them together. Between two `await`s, only one
/// command runs. At every `await`, the check randomly selects the command that continues. The results and the system's
/// final state must match a model that runs the commands one after the other (linearizability). It's sufficient if they
/// match for one order of the commands. For example, the check finds an actor that reads a value before an `await` and
/// writes the outdated value after the `await`.
///
///     try await check(TellerMachine(), concurrency: 2)
///
/// The check controls the order in which the commands, their child tasks, and the called actors make progress. The
/// check can't control a clock, a thread, an unstructured `Task`, the main actor, or an actor with a custom executor. A
/// run that waits for one of these might not be reproducible.
///
/// - Parameters:
///   - machine: The machine, which creates the system and its model, and defines the commands.
///   - concurrency: The maximum number of commands that run at the same time, from 2 through 4.
///   - settings: The number of cases, the seed and the limits.
///   - isolation: The isolation in which steps without additional commands run. Pass no argument: the default is the
///     caller's isolation.
///   - fileID: The file that contains the call.
///   - function: The function that contains the call.
///   - line: The line of the call.
/// - Returns: A report of the cases.
/// - Throws: ``PropertyFailure`` if the check fails, ``CheckError`` for invalid settings, or `CancellationError` if the
///   task is cancelled.
@discardableResult
public func check<M: AsyncMachine>(
  _ machine: M, concurrency: Int, settings: CheckSettings = .current,
  isolation: isolated (any Actor)? = #isolation, fileID: String = #fileID, function: String = #function,
  line: UInt = #line
) async throws -> CheckReport where M.System: Sendable {
  guard (2...4).contains(concurrency) else {
    throw CheckError(
      description: """
        `concurrency` must be from 2 to 4 (was \(concurrency)); omit it to run commands one after the other
        """)
  }
  let name = PropertyName(file: fileID, function: function, line: line)
  return try await Session.run(name, settings, isolation: isolation) { draw in
    try await machine.run(draw, atOnce: concurrency) { run, turn, model, system in
      try await run.runTogether(turn, &model, system) { try await machine.invariant($0, $1) }
    }
  }
}
