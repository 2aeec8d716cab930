/// A command is committed in the remote log, and its replica does not have it yet.
///
/// Do not execute the command again: it is done.
public struct ReplicaBehind: Error, CustomStringConvertible {
  /// Where the command's events are in the remote log; nil after a transaction and after an erasure.
  public let receipt: Receipt?
  /// Why they could not be copied.
  public let reason: any Error

  /// What happened, and what to do.
  public var description: String {
    "the command is committed" + (receipt.map { " at position \($0.position)" } ?? "")
      + ", and this replica does not have it yet: \(reason); do not execute it again, let the replica catch up"
  }
}

extension Replica {
  /// Executes a command in the remote log, and waits until the copy has its events.
  ///
  /// - Parameters:
  ///   - command: What someone wants. It need not be `Sendable`, if you do not use it afterwards.
  ///   - decider: Who decides.
  ///   - id: Which of the decider's streams.
  ///   - commandID: What tells the command from every other, so that it is executed once.
  ///   - expected: What the stream must be.
  ///   - metadata: What the events say of themselves.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: Where the events went.
  /// - Throws: ``ReplicaBehind`` if the command is committed and could not be copied. Else what the remote store's
  ///   `execute` throws, and then nothing was added.
  @discardableResult
  public func execute<D: Decider>(
    _ command: sending D.Command, on decider: D.Type, id: String, commandID: String? = nil,
    expecting expected: ExpectedVersion = .any, metadata: Metadata = [:],
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Receipt {
    let receipt = try await remote.execute(
      command, on: decider, id: id, commandID: commandID, expecting: expected, metadata: metadata)
    return try await copied(receipt, isolation: isolation)
  }

  /// Executes a command on the events inside its boundary in the remote log, and waits until the copy has its events.
  ///
  /// - Parameters:
  ///   - command: What someone wants. It need not be `Sendable`, if you do not use it afterwards.
  ///   - decider: Who decides.
  ///   - commandID: What tells the command from every other, so that it is executed once.
  ///   - metadata: What the events say of themselves.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: Where the events went.
  /// - Throws: ``ReplicaBehind`` if the command is committed and could not be copied. Else what the remote store's
  ///   `execute` throws, and then nothing was added.
  @discardableResult
  public func execute<D: BoundaryDecider>(
    _ command: sending D.Command, on decider: D.Type, commandID: String? = nil, metadata: Metadata = [:],
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Receipt {
    let receipt = try await remote.execute(command, on: decider, commandID: commandID, metadata: metadata)
    return try await copied(receipt, isolation: isolation)
  }

  /// Commits an append in the remote log, and waits until the copy has its events.
  ///
  /// - Parameters:
  ///   - append: What to commit.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: Where the events went.
  /// - Throws: ``ReplicaBehind`` if the append is committed and could not be copied. Else ``EventStoreError``, and then
  ///   nothing was added.
  @discardableResult
  public func append(_ append: Append, isolation: isolated (any Actor)? = #isolation) async throws -> Receipt {
    let receipt = try await remote.append(append)
    return try await copied(receipt, isolation: isolation)
  }

  /// Executes several commands as one transaction of the remote log, and waits until the copy has their events.
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation; leave it to its default.
  ///   - body: Executes commands on the transaction; it may run several times.
  /// - Returns: What the body returned.
  /// - Throws: ``ReplicaBehind`` if the transaction is committed and could not be copied. Else what the remote store's
  ///   `transaction` throws, and then nothing was added.
  @discardableResult
  public func transaction<T: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: @Sendable (inout CommandTransaction) throws -> T
  ) async throws -> T {
    let result = try await remote.transaction(body)
    do { try await catchUp(isolation: isolation) } catch { throw ReplicaBehind(receipt: nil, reason: error) }
    return result
  }

  /// Erases what the events of the remote log say of a subject, and waits until the copy has done the same.
  ///
  /// - Parameters:
  ///   - subject: Whom to forget.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: What was done in the remote log.
  /// - Throws: ``ReplicaBehind`` if it is erased there and could not be erased from the copy. Else what the remote
  ///   store's `erase` throws, and then nothing was erased.
  @discardableResult
  public func erase(
    subject: String, isolation: isolated (any Actor)? = #isolation
  ) async throws -> ErasureReceipt {
    let receipt = try await remote.erase(subject: subject)
    do { try await catchUp(isolation: isolation) } catch { throw ReplicaBehind(receipt: nil, reason: error) }
    return receipt
  }

  private func copied(_ receipt: Receipt, isolation: isolated (any Actor)?) async throws -> Receipt {
    do { try await wait(for: receipt.position, isolation: isolation) } catch {
      throw ReplicaBehind(receipt: receipt, reason: error)
    }
    return receipt
  }
}
