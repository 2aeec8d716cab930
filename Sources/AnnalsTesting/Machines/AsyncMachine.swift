public import Annals

/// A machine whose system has to be waited for, such as an actor.
///
/// All is as in ``Machine``, and `run` of a command, the start and the invariant may wait. The steps come one after the
/// other, in the isolation of the check.
public protocol AsyncMachine {
  /// What the system should do, as a value.
  associatedtype Model
  /// What is tested: an actor, or an object.
  associatedtype System

  /// Creates a model and a system that agree.
  ///
  /// - Returns: Both.
  /// - Throws: Why there is no system; the case then fails.
  nonisolated(nonsending) func start() async throws -> (model: Model, system: System)

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
  nonisolated(nonsending) func invariant(_ model: Model, _ system: System) async throws

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

extension AsyncMachine {
  /// Asks nothing.
  public nonisolated(nonsending) func invariant(_ model: Model, _ system: System) async throws {}

  /// Makes the machine and starts it.
  public var setup: String { "let system = try await \(Self.self)().start().system" }

  /// Fifty steps.
  public var maxSteps: Int { 50 }

  /// The log is that of the steps.
  public func store(of system: System) -> (any EventStore)? { nil }
}

/// Checks that a system that has to be waited for does what its model says, whatever commands it is given.
///
/// - Parameters:
///   - machine: The system, its model and the commands.
///   - settings: How many cases, from which seed.
///   - isolation: The caller's isolation, in which everything runs; leave it to its default.
///   - fileID: Where this is written.
///   - function: Where this is written.
///   - line: Where this is written.
/// - Returns: What was done.
/// - Throws: ``PropertyFailure``, ``CheckError`` for settings that cannot be, or `CancellationError`.
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
