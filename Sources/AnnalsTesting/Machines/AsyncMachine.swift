public import Annals

/// A machine with an asynchronous system, such as an actor.
///
/// Everything works as in ``Machine``, but the start, the invariant and the `run` of a command may be asynchronous. The
/// steps run one after the other, in the isolation of the check.
public protocol AsyncMachine {
  /// What the system should do, as a value; make it `Hashable` if you can, for shorter programs.
  associatedtype Model
  /// The system under test: an actor, or an object.
  associatedtype System

  /// Creates a model and a system that agree.
  ///
  /// - Returns: Both.
  /// - Throws: Why there is no system; the case then fails.
  nonisolated(nonsending) func start() async throws -> (model: Model, system: System)

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
  nonisolated(nonsending) func invariant(_ model: Model, _ system: System) async throws

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

extension AsyncMachine {
  /// Checks nothing.
  public nonisolated(nonsending) func invariant(_ model: Model, _ system: System) async throws {}

  /// Makes the machine and starts it.
  public var setup: String { "let system = try await \(Self.self)().start().system" }

  /// Fifty steps.
  public var maxSteps: Int { 50 }

  /// Uses the steps as the log.
  public func store(of system: System) -> (any EventStore)? { nil }
}

/// Checks that an asynchronous system does what its model says, for any sequence of commands.
///
/// - Parameters:
///   - machine: The system, its model and the commands.
///   - settings: The number of cases, the seed and the limits.
///   - isolation: The caller's isolation, in which everything runs; leave it to its default.
///   - fileID: The file of the call.
///   - function: The function of the call.
///   - line: The line of the call.
/// - Returns: A report of the cases.
/// - Throws: ``PropertyFailure``, ``CheckError`` for invalid settings, or `CancellationError`.
@discardableResult
public func check<M: AsyncMachine>(
  _ machine: M, settings: CheckSettings = CheckSettings(), isolation: isolated (any Actor)? = #isolation,
  fileID: String = #fileID, function: String = #function, line: UInt = #line
) async throws -> CheckReport {
  let name = PropertyName(file: fileID, function: function, line: line)
  return try await Session.run(name, settings, isolation: isolation) { draw in
    try await machine.run(draw)
  }
}

/// Checks that an asynchronous system does what its model says, also if several commands run at the same time.
///
/// For some steps the check draws more commands, and starts them all. From one `await` to the next each runs alone;
/// which one goes on is drawn, as arguments are. What they answered, and the system afterwards, must be what the model
/// says of one of their orders (linearizability). So you find an actor that reads before an `await` and writes what it
/// has read after it.
///
///     try await check(TellerMachine(), concurrency: 2)
///
/// Tasks, their child tasks, and the actors that they call run in the drawn turns. What they wait for elsewhere comes
/// when it comes: a clock, a thread, an unstructured `Task`, the main actor, an actor with an executor of its own.
/// A run that depends on it may not be the same when it is repeated.
///
/// - Parameters:
///   - machine: The system, its model and the commands.
///   - concurrency: How many commands may run at the same time, 2 through 4.
///   - settings: The number of cases, the seed and the limits.
///   - isolation: The caller's isolation, in which all else runs; leave it to its default.
///   - fileID: The file of the call.
///   - function: The function of the call.
///   - line: The line of the call.
/// - Returns: A report of the cases.
/// - Throws: ``PropertyFailure``, ``CheckError`` for invalid settings, or `CancellationError`.
@discardableResult
public func check<M: AsyncMachine>(
  _ machine: M, concurrency: Int, settings: CheckSettings = CheckSettings(),
  isolation: isolated (any Actor)? = #isolation, fileID: String = #fileID, function: String = #function,
  line: UInt = #line
) async throws -> CheckReport where M.System: Sendable {
  guard (2...4).contains(concurrency) else {
    throw CheckError(
      description: """
        2 to 4 commands can run at the same time, found \(concurrency); for one after the other, leave `concurrency` out
        """)
  }
  let name = PropertyName(file: fileID, function: function, line: line)
  return try await Session.run(name, settings, isolation: isolation) { draw in
    try await machine.run(draw, atOnce: concurrency) { run, turn, model, system in
      try await run.runTogether(turn, &model, system) { try await machine.invariant($0, $1) }
    }
  }
}
