import AnnalsLog

/// A store that keeps commands in addition to their events, and re-decides them on top of another store.
///
/// Up to a position, the two stores have the same events, and therefore the same decider states.
protocol CommandKeeper: EventStore {
  /// The other store.
  var base: any EventStore { get }
  /// The object under which the decider states are kept in memory.
  var stateOwner: any StateOwner { get }
  /// Commits the events of commands, and keeps the commands.
  ///
  /// - Parameters:
  ///   - append: The append with the commands' events.
  ///   - commands: The commands, in order.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: ``EventStoreError``. In this case, no events were added.
  func commit(_ append: Append, keeping commands: [KeptCommand]) throws -> Receipt
  /// Converts the place of a state in the base to a place in this store, or returns nil if the state contains events
  /// that this store doesn't have.
  func place(ofBase place: StateVersion) -> StateVersion?
  /// Converts the place of a state in this store to a place in the base, or returns nil if the state contains events
  /// that the base doesn't have.
  func place(inBase place: StateVersion) -> StateVersion?
  /// Returns whether a state contains this store's own events of an earlier decision.
  func hasReplaced(_ place: StateVersion) -> Bool
}

/// A command that can be re-decided.
///
/// `@unchecked Sendable`: the store lets only one transaction at a time decide the command. A command is a value, or
/// its owner no longer changes it.
struct KeptCommand: @unchecked Sendable {
  /// The way in which the command is decided.
  enum Form {
    /// On a stream with an expected version.
    ///
    /// `after` is the number of the stream's events that the command's transaction had decided before the command.
    case stream(StreamName, ExpectedVersion, after: Int)
    /// Within the boundary of the command.
    case boundary
    /// Without a decision, because the events are appended unchanged.
    case events([Append.Entry])
    /// By a closure that queries the log, and that exists only in this process.
    case question
    /// Not at all, because the command was kept in a store and can't be read.
    case unreadable
  }

  /// The decider's type, or nil for events that were appended unchanged.
  let decider: (any Decider.Type)?
  /// The command, or the events.
  let command: Any
  let form: Form
  /// The metadata of the command's events.
  let metadata: Metadata
  private let run: (inout CommandTransaction) throws -> Void

  /// Keeps a command on a stream or within its boundary.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - subject: The stream or the boundary.
  ///   - metadata: The metadata of the command's events.
  ///   - own: The number of the stream's events that the command's transaction decided before the command.
  init<D: Decider>(_ command: D.Command, on subject: CommandSubject<D>, _ metadata: Metadata, after own: Int) {
    decider = D.self
    self.command = command
    self.metadata = metadata
    switch subject.kind {
    case .stream(let stream, let expected): form = .stream(stream, expected, after: own)
    case .boundary: form = .boundary
    }
    run = { _ = try $0.execute(command, on: subject, metadata: metadata, after: own) }
  }

  init(_ entries: [Append.Entry]) {
    decider = nil
    command = entries.map(\.event)
    metadata = [:]
    form = .events(entries)
    run = { $0.add(entries) }
  }

  /// Keeps a closure that queries the log and earlier decisions.
  init(_ question: some Sendable, _ run: @escaping (inout CommandTransaction) throws -> Void) {
    decider = nil
    command = question
    metadata = [:]
    form = .question
    self.run = run
  }

  /// Creates a placeholder for an unreadable command, which is refused wherever it is decided.
  init(unreadable what: some Sendable, _ error: some Error) {
    decider = nil
    command = what
    metadata = [:]
    form = .unreadable
    run = { _ in throw error }
  }

  /// Decides the command as part of a transaction.
  func decide(in transaction: inout CommandTransaction) throws { try run(&transaction) }
}
