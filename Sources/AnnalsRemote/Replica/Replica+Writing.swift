public import Annals
public import AnnalsLog
public import Foundation

extension Replica {
  /// An error for a command that was committed to the remote log, but whose events couldn't be copied to the replica.
  ///
  /// Don't retry the command, because it is already committed. Call ``Replica/catchUp(isolation:progress:)`` instead.
  public struct BehindError: LocalizedError, CustomStringConvertible {
    /// The receipt from the remote log, with the positions of the command's events.
    ///
    /// The receipt is `nil` after ``Replica/transaction(isolation:_:)`` and ``Replica/erase(subject:isolation:)``.
    public let receipt: Receipt?
    /// The reason why the events couldn't be copied.
    public let reason: any Error

    /// A description of the error and how to fix it.
    public var description: String {
      "the command is committed" + (receipt.map { " at position \($0.position)" } ?? "")
        + ", but this replica doesn't contain the command's changes yet: \(reason). Don't retry the command, because "
        + "it is already committed. Call catchUp() instead"
    }

    /// The ``description``, which Foundation returns as the error's `localizedDescription`.
    public var errorDescription: String? { description }
  }
}

extension Replica {
  /// Executes a command on the remote log, and waits until the copy contains the command's events.
  ///
  /// - Parameters:
  ///   - command: The command to execute. It doesn't need to be `Sendable` if you don't use it afterwards.
  ///   - subject: The stream, such as `Hall["a"]`, or `CommandSubject.boundary(_:)` for a `BoundaryDecider`.
  ///   - commandID: An id for this call that is unique in the log, or `nil`. If you repeat the call with the same id,
  ///     the command isn't executed a second time, and the call returns the first receipt.
  ///   - metadata: Metadata to store with every event, such as `actor`.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: ``Replica/BehindError`` if the command is committed but its events couldn't be copied. All other errors
  ///   are thrown by the remote store's `execute`, and leave the log unchanged.
  @discardableResult
  public func execute<D: Decider>(
    _ command: sending D.Command, on subject: CommandSubject<D>, commandID: String? = nil, metadata: Metadata = [:],
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Receipt {
    let receipt = try await remote.execute(command, on: subject, commandID: commandID, metadata: metadata)
    return try await copied(receipt, isolation: isolation)
  }

  /// Commits an append (`Append`) to the remote log, and waits until the copy contains the append's events.
  ///
  /// - Parameters:
  ///   - append: The append to commit.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: ``Replica/BehindError`` if the append is committed but its events couldn't be copied. Otherwise
  ///   `EventStoreError`, with the log unchanged.
  @discardableResult
  public func append(_ append: Append, isolation: isolated (any Actor)? = #isolation) async throws -> Receipt {
    let receipt = try await remote.append(append)
    return try await copied(receipt, isolation: isolation)
  }

  /// Appends events to the remote log in one transaction, and waits until the copy contains them.
  ///
  /// - Parameters:
  ///   - events: The events to append, in order. With an empty array, the call only checks the expected version.
  ///   - stream: The name of the stream to which to append.
  ///   - expected: The version that the stream must have before the append.
  ///   - commandID: An id that is unique in the log, or `nil`. If you repeat the call with this id, no events are
  ///     appended, and you get the receipt of the first call.
  ///   - metadata: Metadata to store with every event, such as `actor`.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: ``Replica/BehindError`` if the append is committed but its events couldn't be copied. All other errors
  ///   are thrown by the remote store's `append`.
  @discardableResult
  public func append<E: Event>(
    _ events: [E], to stream: StreamName, expecting expected: ExpectedVersion = .any, commandID: String? = nil,
    metadata: Metadata = [:], isolation: isolated (any Actor)? = #isolation
  ) async throws -> Receipt {
    let receipt = try await remote.append(
      events, to: stream, expecting: expected, commandID: commandID, metadata: metadata)
    return try await copied(receipt, isolation: isolation)
  }

  /// Executes several commands as one transaction on the remote log, and waits until the replica's local copy contains
  /// their events.
  ///
  /// - Parameters:
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  ///   - body: A closure that executes commands on the transaction. The closure can be called several times.
  /// - Returns: The result of `body`.
  /// - Throws: ``Replica/BehindError`` if the transaction is committed but its events couldn't be copied. All other
  ///   errors are thrown by the remote store's `transaction`, and leave the log unchanged.
  @discardableResult
  public func transaction<T: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: @Sendable (inout CommandTransaction) throws -> T
  ) async throws -> T {
    let result = try await remote.transaction(body)
    do { try await catchUp(isolation: isolation) } catch { throw BehindError(receipt: nil, reason: error) }
    return result
  }

  /// Executes several commands as one transaction on the remote log, and waits until the replica's local copy contains
  /// their events.
  ///
  /// A transaction with the same id is executed only once.
  ///
  /// - Parameters:
  ///   - commandID: The transaction's id, unique in the log. If you repeat the call, no events are added, and you get
  ///     the receipt of the first call.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  ///   - body: A closure that executes commands on the transaction. The closure can be called several times.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: ``Replica/BehindError`` if the transaction is committed but its events couldn't be copied. All other
  ///   errors are thrown by the remote store's `transaction`, and leave the log unchanged.
  @discardableResult
  public func transaction(
    commandID: String, isolation: isolated (any Actor)? = #isolation,
    _ body: @Sendable (inout CommandTransaction) throws -> Void
  ) async throws -> Receipt {
    let receipt = try await remote.transaction(commandID: commandID, body)
    return try await copied(receipt, isolation: isolation)
  }

  /// Erases the data of a person (subject) from the remote log, and waits until the data is also erased from the copy.
  ///
  /// - Parameters:
  ///   - subject: The person's id, such as `guest-1`.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt from the remote log, with the number of erased values.
  /// - Throws: ``Replica/BehindError`` if the data was erased from the remote log but couldn't be erased from the copy.
  ///   All other errors are thrown by the remote store's `erase`. After such an error, no data was erased.
  @discardableResult
  public func erase(
    subject: String, isolation: isolated (any Actor)? = #isolation
  ) async throws -> ErasureReceipt {
    let receipt = try await remote.erase(subject: subject)
    do { try await catchUp(isolation: isolation) } catch { throw BehindError(receipt: nil, reason: error) }
    return receipt
  }

  private func copied(_ receipt: Receipt, isolation: isolated (any Actor)?) async throws -> Receipt {
    do { try await wait(for: receipt.position, isolation: isolation) } catch {
      throw BehindError(receipt: receipt, reason: error)
    }
    return receipt
  }
}
