import Annals
import AnnalsRemote
import Foundation
import LendingDomain
import Testing

@testable import LendingService

/// A client of a service in this process.
struct Client: Sendable {
  let service: LendingService

  /// Executes a command, and returns the status and the position, or the error.
  func post(_ command: LendingCommand, key: String) async throws -> (status: Int, position: Int?, error: String?) {
    struct Answer: Decodable {
      var position: Int?
      var error: String?
    }
    let (response, data) = try await send(
      ServiceRequest("POST", "/commands", headers: ["idempotency-key": key], body: try JSONCoding.encode(command)))
    let answer = try JSONDecoder().decode(Answer.self, from: data)
    return (response.status, answer.position, answer.error)
  }

  func page(_ target: String) async throws -> ListPage<Thing> {
    let (response, data) = try await send(ServiceRequest("GET", target))
    try #require(response.status == 200, "\(String(decoding: data, as: UTF8.self))")
    return try JSONDecoder().decode(ListPage<Thing>.self, from: data)
  }

  /// Loads all pages of the list.
  func list(after position: Int, limit: Int = 500) async throws -> ListPage<Thing> {
    var list = try await page("/things?after=\(position)&limit=\(limit)")
    while let next = list.next { try list.append(await page("/things?cursor=\(next)&limit=\(limit)")) }
    return list
  }

  func status(_ method: String, _ target: String, headers: [String: String] = [:], body: String = "") async -> Int {
    await service.respond(to: ServiceRequest(method, target, headers: headers, body: Data(body.utf8))).status
  }

  /// Waits for a status of `/ready`.
  func waitUntilReady(_ status: Int = 200) async throws {
    while await self.status("GET", "/ready") != status {
      // A server in memory notifies the copy only of commits. So on a slow machine, its last response could be too old.
      if status == 200, case .remote(let replica) = service.log { _ = try? await replica.catchUp() }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  func changes(after position: Int) async throws -> Reader {
    let request = ServiceRequest("GET", "/changes", headers: ["last-event-id": "\(position)"])
    let response = await service.respond(to: request)
    guard case .events(let messages) = response.body else {
      throw RequestProblem(status: response.status, "expected a stream of changes")
    }
    return Reader(messages.makeAsyncIterator())
  }

  private func send(_ request: ServiceRequest) async throws -> (ServiceResponse, Data) {
    let response = await service.respond(to: request)
    guard case .json(let data) = response.body else { throw RequestProblem(status: response.status, "expected JSON") }
    return (response, data)
  }
}

/// A reader of server-sent events, as a browser's `EventSource` reads them.
struct Reader {
  private var messages: EventMessages.Iterator

  init(_ messages: EventMessages.Iterator) { self.messages = messages }

  /// Returns the next changes, or nil when the stream has ended.
  mutating func next() async throws -> ListChanges<Thing>? {
    guard let text = try await messages.next() else { return nil }
    let lines = text.split(separator: "\n")
    let changes = try JSONDecoder().decode(ListChanges<Thing>.self, from: Data(lines[1].dropFirst(6).utf8))
    #expect(lines.count == 2 && lines[0] == "id: \(changes.position)" && lines[1].hasPrefix("data: "))
    return changes
  }

  /// Applies all changes to a list until it shows a position.
  mutating func follow(_ shown: inout ListPage<Thing>, through end: Int) async throws {
    while shown.position < Position(end) {
      try shown.apply(try #require(try await next(), "the stream has ended"))
    }
  }
}

/// Runs a test with a service, which ends with the test.
func withService(
  _ log: ServiceLog, patience: Duration = .seconds(60), _ body: (Client) async throws -> Void
) async throws {
  let service = LendingService(log: log, patience: patience)
  let running = Task { try await service.run() }
  do {
    let client = Client(service: service)
    try await client.waitUntilReady()
    try await body(client)
    running.cancel()
    try await running.value
  } catch {
    running.cancel()
    throw error
  }
}
