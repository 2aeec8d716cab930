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
  /// The decider's type; nil for events that were appended as they are.
  let decider: (any Decider.Type)?
  /// The command, or the events.
  let command: Any
  private let run: (inout CommandTransaction) throws -> Void

  init<D: Decider>(
    _ command: D.Command, of decider: D.Type, _ metadata: Metadata,
    _ run: @escaping (D.Command, Metadata, inout CommandTransaction) throws -> Void
  ) {
    (self.decider, self.command) = (decider, command)
    self.run = { try run(command, metadata, &$0) }
  }

  init(_ entries: [Append.Entry]) {
    (decider, command) = (nil, entries.map(\.event))
    run = { $0.add(entries) }
  }

  /// Keeps what is asked of the log, and of what was decided before.
  init(_ question: some Sendable, _ run: @escaping (inout CommandTransaction) throws -> Void) {
    (decider, command) = (nil, question)
    self.run = run
  }

  /// Decides the command as part of a transaction.
  func decide(in transaction: inout CommandTransaction) throws { try run(&transaction) }
}
