import Annals
import AnnalsRemote
import LendingDomain

extension LendingService {
  func things(_ request: ServiceRequest) async throws -> ServiceResponse {
    let cursor = try request.query["cursor"].map { try ListPage<Thing>.Cursor($0) }
    if let after = try request.number("after") { try await wait(for: Position(after)) }
    let list = try await list(at: cursor?.position)
    let page = try ListPage(of: list, from: cursor, limit: try request.number("limit") ?? 50, maximum: 500)
    return try ServiceResponse(200, page, headers: ["position": "\(list.position)"])
  }

  func changes(_ request: ServiceRequest) async throws -> ServiceResponse {
    guard let text = request.headers["last-event-id"] ?? request.query["after"], let number = Int(text), number >= 0
    else {
      throw RequestProblem(status: 400, "pass the position of the list that you have as Last-Event-ID or ?after=")
    }
    let known = try await list(at: Position(number))
    return ServiceResponse(EventMessages(messages: feed.messages(after: known, heartbeat: .seconds(15))))
  }

  /// Waits until the list shows all events up to a position.
  private func wait(for position: Position) async throws {
    guard await feed.wait(for: position, limit: patience) else {
      throw RequestProblem(status: 503, "this instance hasn't reached position \(position) yet")
    }
  }

  /// Returns the list at a position, or the latest list.
  private func list(at position: Position?) async throws -> Results<Thing> {
    guard let position else {
      guard let latest = feed.latest else { throw RequestProblem(status: 503, "this instance is starting") }
      return latest
    }
    try await wait(for: position)
    if let list = feed.list(at: position) { return list }
    // The feed has forgotten this position, or another instance sent it to the client. Reads all events up to it.
    do { return try await log.reading.list(of: Things(), .shelves, at: position) } catch let error as SeekError {
      throw RequestProblem(
        status: 410, "the list at position \(position) isn't available any more, so load the list again: \(error)")
    }
  }
}

/// A reader's stream of changes, as server-sent events.
public struct EventMessages: AsyncSequence, Sendable {
  let messages: ListFeed<Thing>.Messages

  public func makeAsyncIterator() -> Iterator { Iterator(messages: messages.makeAsyncIterator()) }

  public struct Iterator: AsyncIteratorProtocol {
    var messages: ListFeed<Thing>.Messages.Iterator

    public mutating func next() async throws -> String? {
      try await messages.next().map { "id: \($0.position)\ndata: \($0.json)\n\n" }
    }
  }
}
