public import Annals
public import AnnalsRemote
import LendingDomain

/// The log of the service.
public enum ServiceLog: Sendable {
  /// A log in this process: a file, or the memory for tests.
  case local(any EventStore)
  /// A log on a server, and a copy of it for reading. Several instances of the service can use one such log.
  case remote(Replica)

  /// The events that the list reads.
  var reading: any EventStore {
    switch self {
    case .local(let store): store
    case .remote(let replica): replica.log
    }
  }

  /// Executes a command once per id.
  func execute(_ command: LendingCommand, id: String) async throws -> Receipt {
    switch self {
    case .local(let store): try await store.execute(command, on: .boundary(Lending.self), commandID: id)
    case .remote(let replica):
      // The call doesn't wait for the copy, because a client that wants to read its write passes `after`.
      try await replica.remote.execute(command, on: .boundary(Lending.self), commandID: id)
    }
  }
}
