import Annals
import AnnalsRemote
import Foundation
import LendingDomain

/// The service, independent of an HTTP framework: it turns requests into responses.
///
/// | request | response |
/// |---|---|
/// | `POST /commands` with an `Idempotency-Key` | 201 with the position, or 200 if it was executed before |
/// | `GET /things?cursor=&limit=&after=` | a page of the list with its sections |
/// | `GET /changes?after=`, or with a `Last-Event-ID` | the list's changes as server-sent events |
/// | `GET /health` | 200 while the process works |
/// | `GET /ready` | 200 if the log takes appends and the list is current, otherwise 503 |
public final class LendingService: Sendable {
  let log: ServiceLog
  let feed = ListFeed<Thing>()
  /// How long a request waits for a position that the list hasn't reached.
  let patience: Duration
  private let report: @Sendable (any Error) -> Void

  /// Creates a service.
  ///
  /// - Parameters:
  ///   - log: The log of the service.
  ///   - patience: How long a request waits for a position that the list hasn't reached.
  ///   - report: A closure that logs errors that clients get as status 500.
  public init(
    log: ServiceLog, patience: Duration = .seconds(5), report: @escaping @Sendable (any Error) -> Void = { _ in }
  ) {
    (self.log, self.patience, self.report) = (log, patience, report)
  }

  /// Keeps the list current until the task is cancelled.
  ///
  /// - Throws: The error of the replica if it can't continue, for example because the server's log was replaced. End
  ///   the process then, so that it starts with a new copy.
  public func run() async throws {
    let keeper = ListKeeper()
    defer { withExtendedLifetime(keeper) {} }
    switch log {
    case .remote(let replica):
      try await replica.catchUp()
      try await keeper.load(replica.log, into: feed)
      try await replica.run()
    case .local(let store):
      try await keeper.load(store, into: feed)
      // The list follows the log by itself, until the task is cancelled.
      try? await Task.sleep(for: .seconds(1 << 30))
    }
  }

  /// Ends the streams of changes, so that a server that waits for its requests can shut down.
  public func endStreams() { feed.close() }

  /// Responds to a request.
  public func respond(to request: ServiceRequest) async -> ServiceResponse {
    do {
      do {
        switch (request.method, request.path) {
        case ("POST", "/commands"): return try await execute(request)
        case ("GET", "/things"): return try await things(request)
        case ("GET", "/changes"): return try await changes(request)
        case ("GET", "/health"): return try ServiceResponse(200, ["status": "ok"])
        case ("GET", "/ready"): return try await ready()
        default: throw RequestProblem(status: 404, "there is no \(request.method) \(request.path)")
        }
      } catch { return try failure(error) }
    } catch { preconditionFailure("responses consist of strings and numbers, which JSON can always hold: \(error)") }
  }
}

extension LendingService {
  private func execute(_ request: ServiceRequest) async throws -> ServiceResponse {
    guard let id = request.headers["idempotency-key"], !id.isEmpty else {
      throw RequestProblem(
        status: 400, "a command needs the header Idempotency-Key, so that a retry isn't executed twice")
    }
    let command: LendingCommand
    do { command = try JSONDecoder().decode(LendingCommand.self, from: request.body) } catch {
      throw RequestProblem(
        status: 400, "expected a command such as {\"lend\":{\"thing\":\"drill\",\"member\":\"ann\"}}: \(error)")
    }
    let receipt = try await log.execute(command, id: id)
    return try ServiceResponse(
      receipt.isRepeated ? 200 : 201, ["position": receipt.position.rawValue],
      headers: ["position": "\(receipt.position)"])
  }

  private func ready() async throws -> ServiceResponse {
    var problems = await log.problems()
    if feed.latest == nil { problems.append("the list isn't loaded yet") }
    if let failure = feed.failure { problems.append("the list has stopped: \(failure)") }
    if feed.isClosed { problems.append("the service shuts down") }
    return try ServiceResponse(problems.isEmpty ? 200 : 503, ["problems": problems])
  }

  /// Turns an error into a response.
  ///
  /// 503 means that the same request can succeed later, and all other statuses mean that it can't.
  private func failure(_ error: any Error) throws -> ServiceResponse {
    switch error {
    case let refusal as Lending.Refusal: return try ServiceResponse(409, ["error": refusal.rawValue])
    case let problem as RequestProblem:
      let headers = problem.status == 503 ? ["retry-after": "1"] : [:]
      return try ServiceResponse(problem.status, ["error": problem.message], headers: headers)
    case let error as ListFeedError:
      return try ServiceResponse(error.code == .otherList ? 410 : 400, ["error": error.message])
    case let error as EventStoreError where error.code == .commandReused:
      return try ServiceResponse(422, ["error": "the Idempotency-Key was used for another command"])
    // For example, a tag can't contain the NUL character of a thing's id.
    case let error as EventStoreError where error.code == .invalidAppend:
      return try ServiceResponse(400, ["error": error.message])
    case let error as EventStoreError where error.isTransient:
      return try ServiceResponse(503, ["error": "\(error.code)"], headers: ["retry-after": "1"])
    case is CancellationError: return try ServiceResponse(503, ["error": "cancelled"], headers: ["retry-after": "1"])
    default:
      report(error)
      return try ServiceResponse(500, ["error": "internal error"])
    }
  }
}
