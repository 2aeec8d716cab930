/// Hears what stores in a server, followers and replicas do: how much, how long, how far behind; and runs their work
/// inside spans of your own.
///
///     let environment = StoreEnvironment(monitor: MyMonitor())
///
/// Annals brings none, so that it depends on no library for metrics or traces. `Docs/Operations.md` has one for each of
/// the common libraries, of some twenty lines. Both calls have a default that does nothing.
///
/// The calls come often, and on whatever thread the work is on. Do not wait in them, and do not use the store there.
public protocol StoreMonitor: Sendable {
  /// Notes a measurement.
  ///
  /// - Parameter measurement: What was measured.
  func note(_ measurement: StoreMeasurement)

  /// Runs the work of an operation, inside a span.
  ///
  /// Call the body once, and answer or throw what it does. Work inside of it has the same task, so that a task-local
  /// value that you set is there, also in the code of a follower.
  ///
  /// - Parameters:
  ///   - operation: What is done.
  ///   - isolation: The isolation of the caller.
  ///   - body: Does it.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  func span<T>(
    _ operation: StoreOperation, isolation: isolated (any Actor)?, _ body: () async throws -> T
  ) async throws -> T
}

extension StoreMonitor {
  /// Notes nothing.
  public func note(_ measurement: StoreMeasurement) {}

  /// Runs the body without a span.
  public func span<T>(
    _ operation: StoreOperation, isolation: isolated (any Actor)?, _ body: () async throws -> T
  ) async throws -> T {
    try await body()
  }
}

/// Something that takes time: a command, an append, a reading, a call of a follower's code, a replica's catching up.
public struct StoreOperation: Hashable, Sendable {
  /// What is done; later versions may add some.
  public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name, such as `execute`.
    public let rawValue: String

    /// Creates one that is none of those below.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The name.
    public var description: String { rawValue }

    /// A command or a transaction on a remote store, with all of its tries.
    public static let execute = Kind(rawValue: "execute")
    /// An append to a remote store, until it is committed.
    public static let append = Kind(rawValue: "append")
    /// Questions that PostgreSQL answers.
    public static let read = Kind(rawValue: "read")
    /// A call of a follower's code.
    public static let follow = Kind(rawValue: "follow")
    /// A replica's catching up.
    public static let replicate = Kind(rawValue: "replicate")
    /// An erasure in a remote store.
    public static let erase = Kind(rawValue: "erase")
    /// Events of a remote log are cut and replaced.
    public static let compact = Kind(rawValue: "compact")
  }

  /// What is done.
  public let kind: Kind
  /// What tells operations of a kind apart and has few values, such as the decider or the follower: for metrics and
  /// spans.
  public let labels: [String: String]
  /// What has many values, such as a stream or a position: for spans alone.
  public let details: [String: String]

  package init(_ kind: Kind, _ labels: [String: String] = [:], details: [String: String] = [:]) {
    (self.kind, self.labels, self.details) = (kind, labels, details)
  }

  /// The name of a span: `annals.execute`.
  public var name: String { "annals.\(kind)" }
}

extension StoreEnvironment {
  /// Runs an operation under the monitor, and notes how long it took and how it ended.
  package func monitored<T>(
    _ operation: @autoclosure () -> StoreOperation, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> T
  ) async throws -> T {
    guard let monitor else { return try await body() }
    let operation = operation()
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
      // A decider's refusal, or what a follower's code throws.
      default: note("refused")
      }
      throw error
    }
  }
}
