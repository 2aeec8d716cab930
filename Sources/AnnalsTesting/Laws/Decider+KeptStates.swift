public import Annals
import AnnalsLog

// A law for the decider states that a store keeps in memory.

extension Decider {
  /// Verifies that a decider's decisions don't depend on whether a store keeps the decider's state in memory or replays
  /// the state from all events.
  ///
  /// The commands are executed one after the other on one stream, both in a store that keeps states in memory and in a
  /// store that doesn't. Before every command, a transaction executes the same command twice and is rolled back. This
  /// transaction must have no effect on later decisions. The decisions in both stores must be equal. If the decider is
  /// `Equatable`, the states must be equal, too.
  ///
  /// The check also fails if a state contains a class instance or a closure. A store doesn't keep such a state in
  /// memory, so the store would replay all events for every command.
  ///
  /// - Parameters:
  ///   - commands: The commands, in order. The decider can refuse some of them.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if decisions or states differ. Another error if an event can't be stored.
  /// - Complexity: O(n²) for n commands.
  public static func ensureStatesHold(
    _ commands: [Command], fileID: String = #fileID, line: UInt = #line
  ) throws {
    let run = LawRun("ensureStatesHold", of: Self.self)
    defer { run.end() }
    try KeptStatesLaw<Self>(fileID: fileID, line: line).ensure(commands) { transaction, command in
      try transaction.execute(command, on: Self["law"])
    } state: { store in
      try store.state(of: Self["law"])
    }
  }
}

extension BoundaryDecider {
  /// Verifies that a decider's decisions don't depend on whether a store keeps a boundary's state in memory or replays
  /// the state from all events.
  ///
  /// This is the same check as for a decider on a stream, except that every command is executed on its own boundary
  /// instead of on one stream.
  ///
  /// - Parameters:
  ///   - commands: The commands, in order. The decider can refuse some of them.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if decisions or states differ. Another error if an event can't be stored.
  /// - Complexity: O(n²) for n commands.
  public static func ensureStatesHold(
    _ commands: [Command], fileID: String = #fileID, line: UInt = #line
  ) throws {
    let run = LawRun("ensureStatesHold", of: Self.self)
    defer { run.end() }
    try KeptStatesLaw<Self>(fileID: fileID, line: line).ensure(commands) { transaction, command in
      try transaction.execute(command, on: .boundary(Self.self))
    } state: { _ in
      nil
    }
  }
}

private struct KeptStatesLaw<D: Decider> {
  private struct GivenUp: Error {}

  let fileID: String
  let line: UInt
  private let keeping = Self.store(budget: 1_000)
  private let plain = Self.store(budget: 0)

  init(fileID: String, line: UInt) {
    self.fileID = fileID
    self.line = line
  }

  private static func store(budget: Int) -> MemoryEventStore {
    MemoryEventStore(source: "laws", environment: StoreEnvironment(stateBudget: budget))
  }

  func ensure(
    _ commands: [D.Command], _ execute: (inout CommandTransaction, D.Command) throws -> [D.Event],
    state: (MemoryEventStore) throws -> D?
  ) throws {
    for (index, command) in commands.enumerated() {
      do {
        try keeping.transaction { transaction in
          for _ in 0..<2 { _ = try execute(&transaction, command) }
          throw GivenUp()
        }
      } catch {
        // The transaction is rolled back, even if the command was refused.
      }
      let (kept, fresh) = (try answer(keeping, command, execute), try answer(plain, command, execute))
      try ensureEqual(kept, fresh, "the result of", after: index + 1)
      fresh.note(D.self, command)
      guard let (kept, fresh) = try zip(state(keeping), state(plain)) else { continue }
      if let path = StateValues.object(in: fresh) {
        throw Unmet(
          description: "the state \(path.isEmpty ? "is" : "contains") an object or a closure"
            + "\(path.isEmpty ? "" : " in \(path)"). A store can't cache such a state in memory, and must replay all "
            + "events for every command. Use only value types in the state", fileID: fileID, line: line)
      }
      if let kept = kept as? any Equatable, !isEqual(kept, fresh) {
        throw unmet("the state after", after: index + 1, swiftSource(of: kept), swiftSource(of: fresh))
      }
    }
  }

  private func answer(
    _ store: MemoryEventStore, _ command: D.Command,
    _ execute: (inout CommandTransaction, D.Command) throws -> [D.Event]
  ) throws -> DeciderAnswer {
    let coder = try EventCoder<D.Event>()
    do {
      return .events(try store.transaction { try execute(&$0, command) }.map { try coder.encode($0) })
    } catch let error as EventCodingError {
      throw error
    } catch {
      return .refusal(describedWhole(error), name: EnumCases.name(of: error))
    }
  }

  private func ensureEqual(_ kept: DeciderAnswer, _ fresh: DeciderAnswer, _ what: String, after count: Int) throws {
    if kept != fresh { throw unmet(what, after: count, "\(kept)", "\(fresh)") }
  }

  private func unmet(_ what: String, after count: Int, _ kept: String, _ fresh: String) -> Unmet {
    Unmet(
      description: "\(what) command \(count) is \(fresh) if the store replays all events, but \(kept) if the store "
        + "uses the state that is cached in memory", fileID: fileID, line: line)
  }

  private func zip(_ left: D?, _ right: D?) -> (D, D)? { left.flatMap { left in right.map { (left, $0) } } }

  private func isEqual<Value: Equatable>(_ left: Value, _ right: Any) -> Bool { left == right as? Value }
}
