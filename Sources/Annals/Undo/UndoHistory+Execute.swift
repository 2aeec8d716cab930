import AnnalsLog
import Foundation

extension UndoHistory {
  /// Executes a command as a step that can be undone.
  ///
  /// The command is executed in the same way as by the store's `execute` method. If a command produces no events, or if
  /// its decider can't reverse it, the command isn't a step, so it doesn't clear the steps to redo.
  ///
  /// - Parameters:
  ///   - command: The command to execute.
  ///   - subject: The stream, such as `Hall["a"]`, or ``CommandSubject/boundary(_:)``. The subject's decider must
  ///     be one of the deciders that you passed when you created the ``UndoHistory``. If you pass a subject of another
  ///     decider, the program traps.
  ///   - title: The step's title for the user interface, for example `"Take Seat"`. Erasing a person's data doesn't
  ///     erase the title, so don't include personal data in it.
  ///   - group: The key of a group, for example `"title"` for the typing in a title, or `nil` to make the command a new
  ///     step. If the author's last step has the same key, the command is added to that step, even after a restart.
  ///     After an undo or a redo, the command is a new step. The key is stored in the events' metadata, so don't
  ///     include personal data in it.
  ///   - interval: The longest time between two commands of a group, or `nil` for any time. Without a group, the value
  ///     has no effect. If the value is negative, the program traps.
  ///   - commandID: An id that is unique in the log, or `nil`. If you repeat the call with this id, the command isn't
  ///     executed a second time, and you get the first receipt.
  ///   - metadata: Metadata to store with every event. The history itself sets the events' ``Metadata/author``.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: The decider's error if the decider refuses the command, ``EventStoreError`` or ``EventCodingError``. In
  ///   these cases, no events were added.
  @discardableResult
  public func execute<D: UndoableDecider>(
    _ command: D.Command, on subject: CommandSubject<D>, named title: String? = nil, in group: String? = nil,
    within interval: Duration? = nil, commandID: String? = nil, metadata: Metadata = [:],
    isolation: isolated (any Actor)? = #isolation
  ) throws -> Receipt {
    try announcing(isolation) {
      try commit(title, group, within: interval, .execute(commandID, command, on: subject)) { transaction in
        _ = try transaction.execute(command, on: subject, metadata: metadata)
      }.receipt
    }
  }

  /// Executes several commands as one transaction, which can be undone as one step.
  ///
  /// The body can also execute commands whose decider doesn't support undo, but an undo doesn't reverse the effects of
  /// such commands.
  ///
  /// - Parameters:
  ///   - title: The step's title for the user interface. Erasing a person's data doesn't erase the title, so don't
  ///     include personal data in it.
  ///   - group: The key of a group, or `nil` to make the commands a new step. If the author's last step has the same
  ///     key, the commands are added to that step, in the same way as a command that you pass to `execute`.
  ///   - interval: The longest time between two transactions of a group, or `nil` for any time.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  ///   - body: A closure that executes commands on the transaction. If another writer causes a conflict, the closure
  ///     runs again.
  /// - Returns: The body's result.
  /// - Throws: The body's error, ``EventStoreError`` or ``EventCodingError``. In these cases, no events were added.
  @discardableResult
  public func transaction<T>(
    named title: String? = nil, in group: String? = nil, within interval: Duration? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (inout CommandTransaction) throws -> T
  ) throws -> T {
    var result: T?
    try announcing(isolation) {
      let answer = try commit(title, group, within: interval, nil, body)
      result = answer.result
      return answer.receipt
    }
    guard let result else {
      preconditionFailure("a transaction without a command id didn't run its closure. Please report this")
    }
    return result
  }

  @discardableResult
  private func announcing(_ isolation: (any Actor)?, _ commit: () throws -> Receipt) rethrows -> Receipt {
    let receipt = try commit()
    if receipt.count > 0, !receipt.isRepeated { store.runtime.announce(from: isolation) }
    return receipt
  }

  /// Finds the step that a command of a group continues.
  ///
  /// - Parameters:
  ///   - group: The key of the group.
  ///   - interval: The longest time since the step's last event, or nil for any time.
  ///   - window: The steps, which were just read from the log.
  /// - Returns: The step, or nil if the command begins a new step.
  private func step(continuedBy group: String, within interval: Duration?, in window: UndoWindow) -> Step? {
    let fold = window.fold
    // After an undo, the user expects a new step, which clears the steps to redo.
    guard fold.redo.isEmpty, let last = fold.undo.last, last.target == nil, let known = last.group,
      ExactString(known) == ExactString(group)
    else { return nil }
    guard let interval else { return last }
    // The clock might have been set back since the last event.
    let time = abs(store.environment.now().timeIntervalSince(last.time))
    return .seconds(time) <= interval ? last : nil
  }

  /// Runs a body, marks its events as a step, and commits its decisions without notifying watchers.
  ///
  /// - Returns: The body's result (nil if the command was committed before) and the receipt.
  func commit<T>(
    _ title: String?, _ group: String?, within interval: Duration?, _ command: IdentifiedCommand?,
    willCommit: () throws -> Void = {}, _ body: (inout CommandTransaction) throws -> T
  ) throws -> (result: T?, receipt: Receipt) {
    precondition(interval.map { $0 >= .zero } ?? true, "`within` must not be negative")
    if let first = try store.repeated(command) { return (nil, first) }
    let new = store.environment.makeID()
    var (mark, entries): (UndoMark?, [Append.Entry]) = (nil, [])
    let answer = try store.commitRetrying(command, willCommit: willCommit) { transaction in
      // Every attempt reads the steps, because another window of the author may have added or undone a step.
      var last: Step?
      if let group {
        let window = try self.window()
        last = step(continuedBy: group, within: interval, in: window)
        if last != nil { transaction.requireNoEvent(matching: window.query, after: window.position) }
      }
      transaction.mark = self.mark(
        last?.id ?? new, last.map(\.title) ?? title, in: group, count: last?.parts.last?.number ?? 0)
      let result = try body(&transaction)
      mark = transaction.mark as? UndoMark
      entries = transaction.entries
      return result
    }
    if let mark, !answer.receipt.isRepeated {
      var window: UndoWindow?
      keep(mark, entries, at: answer.receipt, after: &window)
    }
    return answer
  }
}
