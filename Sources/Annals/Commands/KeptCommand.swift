/// A store that keeps the commands beside the events that they led to.
protocol CommandKeeper: EventStore {
  /// Commits what commands led to, and keeps the commands.
  ///
  /// - Parameters:
  ///   - append: What they led to.
  ///   - commands: The commands, in order.
  /// - Returns: Where the events went.
  /// - Throws: ``EventStoreError``, and then nothing was added.
  func commit(_ append: Append, keeping commands: [KeptCommand]) throws -> Receipt
}

/// A command, and how to decide it again.
///
/// `@unchecked Sendable`: the store that keeps it lets one transaction at a time decide it. A command says what someone
/// wanted, so the one who gave it away does not change it.
struct KeptCommand: @unchecked Sendable {
  /// How it is decided.
  enum Form {
    /// On a stream, which must be something; in a transaction of its own after some events of the stream.
    case stream(StreamName, ExpectedVersion, after: Int)
    /// Within the boundary that it names.
    case boundary
    /// Not at all: events are appended as they are.
    case events([Append.Entry])
    /// By what is asked of the log, which only this process knows.
    case question
    /// It was kept in a store, and cannot be read.
    case unreadable
  }

  /// The decider's type; nil for events that were appended as they are.
  let decider: (any Decider.Type)?
  /// The command, or the events.
  let command: Any
  let form: Form
  /// What the command's events say of themselves.
  let metadata: Metadata
  private let run: (inout CommandTransaction) throws -> Void

  /// Keeps a command on a stream.
  init<D: Decider>(
    _ command: D.Command, of decider: D.Type, in stream: StreamName, expecting expected: ExpectedVersion,
    _ metadata: Metadata, after own: Int
  ) {
    (self.decider, self.command, self.metadata) = (decider, command, metadata)
    form = .stream(stream, expected, after: own)
    run = {
      _ = try $0.execute(command, on: decider, in: stream, expecting: expected, metadata: metadata, after: own)
    }
  }

  /// Keeps a command within its boundary.
  init<D: BoundaryDecider>(_ command: D.Command, of decider: D.Type, _ metadata: Metadata) {
    (self.decider, self.command, self.metadata, form) = (decider, command, metadata, .boundary)
    run = { _ = try $0.execute(command, on: decider, metadata: metadata) }
  }

  init(_ entries: [Append.Entry]) {
    (decider, command, metadata, form) = (nil, entries.map(\.event), [:], .events(entries))
    run = { $0.add(entries) }
  }

  /// Keeps what is asked of the log, and of what was decided before.
  init(_ question: some Sendable, _ run: @escaping (inout CommandTransaction) throws -> Void) {
    (decider, command, metadata, form) = (nil, question, [:], .question)
    self.run = run
  }

  /// Stands for a command that cannot be read: it is refused wherever it is decided.
  init(unreadable what: some Sendable, _ error: some Error) {
    (decider, command, metadata, form) = (nil, what, [:], .unreadable)
    run = { _ in throw error }
  }

  /// Decides the command as part of a transaction.
  func decide(in transaction: inout CommandTransaction) throws { try run(&transaction) }
}
