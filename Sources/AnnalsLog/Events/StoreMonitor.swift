/// A type that receives measurements from remote stores, followers and replicas, and wraps their work in tracing spans.
///
/// The type also receives reports about a store's connections to its server.
///
///     let environment = StoreEnvironment(monitor: MyMonitor())
///
/// The package contains no implementation, so that it doesn't depend on a library for metrics or tracing.
/// `Docs/Operations.md` contains an implementation of about twenty lines for every common library. By default,
/// ``note(_:)`` ignores the measurement, ``report(_:)`` ignores the report, and ``span(_:isolation:_:)`` runs the body
/// without a span.
///
/// The functions are called often, and on the thread of the measured work. Don't wait in these functions, and don't use
/// the store in them.
public protocol StoreMonitor: Sendable {
  /// Records a measurement.
  ///
  /// - Parameter measurement: The measurement.
  func note(_ measurement: StoreMeasurement)

  /// Receives a report about a store's connection to its server.
  ///
  /// - Parameter report: The report.
  func report(_ report: ConnectionReport)

  /// Runs an operation inside a span.
  ///
  /// Call the body once, and return its result or throw its error. The body runs in the same task as this function. So
  /// a task-local value that you set is available in the body, and also in a follower's code.
  ///
  /// - Parameters:
  ///   - operation: A description of the operation, with its labels.
  ///   - isolation: The caller's isolation.
  ///   - body: A closure that runs the operation.
  /// - Returns: The body's result.
  /// - Throws: The body's error.
  func span<T>(
    _ operation: StoreOperation, isolation: isolated (any Actor)?, _ body: () async throws -> T
  ) async throws -> T
}

extension StoreMonitor {
  /// Ignores the measurement.
  public func note(_ measurement: StoreMeasurement) {}

  /// Ignores the report.
  public func report(_ report: ConnectionReport) {}

  /// Runs the body without a span.
  public func span<T>(
    _ operation: StoreOperation, isolation: isolated (any Actor)?, _ body: () async throws -> T
  ) async throws -> T {
    try await body()
  }
}

/// A description of an operation that takes time, such as a command, an append or a call to a follower's code.
public struct StoreOperation: Hashable, Sendable {
  /// The kind of an operation.
  ///
  /// Later versions may add more kinds.
  public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The kind's name, such as `execute`.
    public let rawValue: String

    /// Creates a custom operation kind.
    ///
    /// - Parameter rawValue: The kind's name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The kind's name.
    public var description: String { rawValue }

    /// The execution of a command or transaction on a remote store, including its retries.
    public static let execute = Kind(rawValue: "execute")
    /// An append to a remote store, measured until the append is committed.
    public static let append = Kind(rawValue: "append")
    /// A read of a log in PostgreSQL.
    public static let read = Kind(rawValue: "read")
    /// A call to a follower's code.
    public static let follow = Kind(rawValue: "follow")
    /// A replica's catch-up, which copies new events from the remote log.
    public static let replicate = Kind(rawValue: "replicate")
    /// An erasure in a remote store.
    public static let erase = Kind(rawValue: "erase")
    /// A compaction that removes and replaces events in a remote log.
    public static let compact = Kind(rawValue: "compact")
  }

  /// The operation's kind.
  public let kind: Kind
  /// The labels for metrics and spans, for example the decider or the follower.
  ///
  /// Every label has only a few different values, so that the labels are suitable for metrics.
  public let labels: [String: String]
  /// Additional labels for spans, such as a stream or a position.
  ///
  /// These labels have many different values, so they aren't used for metrics.
  public let details: [String: String]

  package init(_ kind: Kind, _ labels: [String: String] = [:], details: [String: String] = [:]) {
    self.kind = kind
    self.labels = labels
    self.details = details
  }

  /// Returns the operation with additional labels.
  fileprivate func adding(_ labels: [String: String]) -> StoreOperation {
    StoreOperation(kind, labels.merging(self.labels) { $1 }, details: details)
  }

  /// The name for the operation's span, for example `annals.execute`.
  public var name: String { "annals.\(kind)" }
}

extension StoreEnvironment {
  /// Runs an operation inside the monitor's span, and records the operation's duration and outcome.
  package func monitored<T>(
    _ operation: @autoclosure () -> StoreOperation, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> T
  ) async throws -> T {
    guard let monitor else { return try await body() }
    let operation = operation().adding(labels)
    let began = ContinuousClock.now
    func note(_ outcome: String) {
      let labels = operation.labels.merging(["operation": operation.kind.rawValue, "outcome": outcome]) { $1 }
      monitor.note(StoreMeasurement(.operation, .duration(.now - began), labels))
    }
    do {
      let result = try await monitor.span(operation, isolation: isolation, body)
      note("done")
      return result
    } catch {
      switch error {
      case let error as EventStoreError: note(error.code.rawValue)
      case is CancellationError: note("cancelled")
      // The error is a decider's refusal, or an error of a follower's code.
      default: note("refused")
      }
      throw error
    }
  }
}
