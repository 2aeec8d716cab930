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

  func page(_ target: String) async throws -> ThingsPage {
    let (response, data) = try await send(ServiceRequest("GET", target))
    try #require(response.status == 200, "\(String(decoding: data, as: UTF8.self))")
    return try JSONDecoder().decode(ThingsPage.self, from: data)
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

/// A reader of server-sent events, which keeps a list by applying the changes to it.
struct Reader {
  private var messages: EventMessages.Iterator
  private(set) var position = 0

  init(_ messages: EventMessages.Iterator) { self.messages = messages }

  /// Returns the next changes, without comments, or nil when the stream has ended.
  mutating func next() async throws -> [ListChanges]? {
    while let text = await messages.next() {
      let lines = text.split(separator: "\n").filter { !$0.hasPrefix(":") }
      if lines.isEmpty { continue }
      for line in lines where line.hasPrefix("id: ") { position = Int(line.dropFirst(4)) ?? -1 }
      return try lines.filter { $0.hasPrefix("data: ") }.map {
        try JSONDecoder().decode(ListChanges.self, from: Data($0.dropFirst(6).utf8))
      }
    }
    return nil
  }

  /// Applies all changes to a list until it shows a position.
  mutating func follow(_ shown: inout ShownList, through end: Int) async throws {
    while shown.position < end {
      for changes in try #require(try await next(), "the stream has ended") { shown.apply(changes) }
    }
  }
}

/// The list as a client shows it.
struct ShownList: Equatable {
  var position = 0
  var sections: [(title: String, things: [Thing])] = []

  init() {}

  init(_ page: ThingsPage) {
    (position, sections) = (page.position, page.sections.map { ($0.title, $0.things) })
  }

  static func == (left: ShownList, right: ShownList) -> Bool {
    left.position == right.position && left.sections.map(\.title) == right.sections.map(\.title)
      && left.sections.map(\.things) == right.sections.map(\.things)
  }

  /// Applies changes: takes all rows and sections with `from` out of the old list, and puts all rows and sections
  /// with `to` into the new list.
  mutating func apply(_ changes: ListChanges) {
    for place in changes.rows.compactMap(\.from).sorted(by: { $1.lexicographicallyPrecedes($0) }) {
      sections[place[0]].things.remove(at: place[1])
    }
    var taken: [Int: (title: String, things: [Thing])] = [:]
    for index in changes.sections.compactMap(\.from).sorted(by: >) { taken[index] = sections.remove(at: index) }
    for change in changes.sections.sorted(by: { ($0.to ?? 0) < ($1.to ?? 0) }) {
      guard let to = change.to else { continue }
      let old = change.from.flatMap { taken[$0] }
      sections.insert((change.title ?? old?.title ?? "", old?.things ?? []), at: to)
    }
    for row in changes.rows.sorted(by: { ($0.to ?? []).lexicographicallyPrecedes($1.to ?? []) }) {
      if let to = row.to, let thing = row.thing { sections[to[0]].things.insert(thing, at: to[1]) }
    }
    position = changes.position
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
