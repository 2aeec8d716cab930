/// The maintenance of a log on a server: its migration to the library's format, and its diagnosis.
///
/// The methods need no open store, so they also work if the log can't be opened. The tool's subcommands `migrate` and
/// `doctor` use them.
public protocol RemoteMaintenance: Sendable {
  /// Returns the migration that the log needs, without changing the log.
  ///
  /// - Returns: The migration, which has no steps if the log already has the library's format.
  /// - Throws: `EventStoreError` if the log can't be read, for example because it's missing or has a newer format.
  func migration() async throws -> LogMigration

  /// Returns a script that migrates the log, without changing the log.
  ///
  /// An administrator can read the script, and run it with the server's own client. The script changes either the whole
  /// log or no part of it. It fails if the log was changed in a way that makes the script wrong, for example by another
  /// migration.
  ///
  /// - Returns: The script, or `nil` if the log already has the library's format.
  /// - Throws: `EventStoreError` if the log can't be read, for example because it's missing or has a newer format.
  func migrationScript() async throws -> String?

  /// Migrates the log to the library's format.
  ///
  /// - Returns: The migration that was done. It has no steps if the log already had the library's format, for example
  ///   because another process has migrated it.
  /// - Throws: `EventStoreError` if the log can't be migrated, for example because the role has too few privileges. The
  ///   log is unchanged.
  func migrate() async throws -> LogMigration

  /// Checks the log and its server, without changing them.
  ///
  /// - Returns: A finding per check, including the checks without a problem.
  /// - Throws: `EventStoreError` if the server can't be reached, or if it contains no log.
  func findings() async throws -> [LogFinding]
}

/// A migration of a log on a server to the library's format.
public struct LogMigration: Sendable, Hashable {
  /// A step of a migration.
  public struct Step: Sendable, Hashable {
    /// The log's format after the step.
    public let format: Int
    /// A short description of the step's effect.
    public let summary: String

    /// Creates a step.
    ///
    /// - Parameters:
    ///   - format: The log's format after the step.
    ///   - summary: A short description of the step's effect.
    public init(format: Int, summary: String) {
      self.format = format
      self.summary = summary
    }
  }

  /// The number of the log's format before the migration.
  public let format: Int
  /// The number of the library's format.
  public let newFormat: Int
  /// The steps, in the order in which they are done.
  public let steps: [Step]

  /// Creates a migration.
  ///
  /// - Parameters:
  ///   - format: The number of the log's format before the migration.
  ///   - newFormat: The number of the library's format.
  ///   - steps: The steps, in the order in which they are done.
  public init(format: Int, newFormat: Int, steps: [Step]) {
    self.format = format
    self.newFormat = newFormat
    self.steps = steps
  }
}

/// A result of a check of a log or its server.
public struct LogFinding: Sendable, Hashable {
  /// The result of a check.
  public enum State: Sendable, Hashable {
    /// The check found no problem.
    case healthy
    /// The check couldn't see everything that it needs.
    ///
    /// `remedy` is a sentence about how to make the check complete.
    case incomplete(remedy: String)
    /// The check found a problem.
    ///
    /// `remedy` is a sentence about how to solve the problem.
    case problem(remedy: String)
  }

  /// The name of the check, such as `lock`.
  public let check: String
  /// The result.
  public let state: State
  /// The finding in one sentence, without a period.
  public let message: String

  /// Creates a finding.
  ///
  /// - Parameters:
  ///   - check: The name of the check, such as `lock`.
  ///   - state: The result.
  ///   - message: The finding in one sentence, without a period.
  public init(_ check: String, _ state: State, _ message: String) {
    self.check = check
    self.state = state
    self.message = message
  }
}
