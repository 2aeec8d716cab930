import Annals
import LendingDomain

/// A page of the list, with the sections of its rows.
struct ThingsPage: Codable, Equatable {
  struct Section: Codable, Equatable {
    let title: String
    let things: [Thing]
  }

  let position: Int
  let total: Int
  let sections: [Section]
  /// The target of the next page, which shows the list at the same position.
  let next: String?

  init(of list: Results<Thing>, at position: Position, offset: Int, limit: Int) {
    var (start, sections) = (offset, [Section]())
    var rest = limit
    for section in list where rest > 0 {
      let things = section.dropFirst(start).prefix(rest)
      if !things.isEmpty { sections.append(Section(title: section.title, things: Array(things))) }
      start = max(0, start - section.count)
      rest -= things.count
    }
    self.position = position.rawValue
    total = list.rows.count
    self.sections = sections
    next = offset + limit < total ? "/things?at=\(position)&offset=\(offset + limit)&limit=\(limit)" : nil
  }
}

extension LendingService {
  func things(_ request: ServiceRequest) async throws -> ServiceResponse {
    let (offset, limit) = (try request.number("offset") ?? 0, try request.number("limit") ?? 50)
    guard (1...500).contains(limit) else {
      throw RequestProblem(status: 400, "limit must be from 1 to 500 (was \(limit))")
    }
    if let after = try request.number("after") { try await wait(for: Position(after)) }
    let (list, position) = try await list(at: try request.number("at").map { Position($0) })
    return try ServiceResponse(
      200, ThingsPage(of: list, at: position, offset: offset, limit: limit), headers: ["position": "\(position)"])
  }

  func changes(_ request: ServiceRequest) async throws -> ServiceResponse {
    guard let text = request.headers["last-event-id"] ?? request.query["after"], let number = Int(text), number >= 0
    else {
      throw RequestProblem(status: 400, "pass the position of the list that you have as Last-Event-ID or ?after=")
    }
    let known = Position(number)
    let old = try await list(at: known).list
    if feed.list(at: known) != nil {
      return ServiceResponse(EventMessages(feed: feed, position: known, first: ":\n\n"))
    }
    let (latest, position) = try await list(at: nil)
    let changes = ListChanges(Changes(from: old, to: latest), at: position)
    return ServiceResponse(EventMessages(feed: feed, position: position, first: changes.message))
  }

  /// Waits until the list shows all events up to a position.
  private func wait(for position: Position) async throws {
    guard await feed.wait(for: position, limit: patience) else {
      throw RequestProblem(status: 503, "this instance hasn't reached position \(position) yet")
    }
  }

  /// Returns the list at a position, or the latest list with the position up to which it is current.
  private func list(at position: Position?) async throws -> (list: Results<Thing>, position: Position) {
    guard let position else {
      guard let latest = feed.latest else { throw RequestProblem(status: 503, "this instance is starting") }
      return (latest.list, latest.position)
    }
    try await wait(for: position)
    if let list = feed.list(at: position) { return (list, position) }
    // The feed has forgotten this position, or another instance sent it to the client. Reads all events up to it.
    do { return (try await log.reading.list(of: Things(), .shelves, at: position), position) } catch let error
      as SeekError
    {
      throw RequestProblem(
        status: 410, "the list at position \(position) isn't available any more, so load the list again: \(error)")
    }
  }
}
