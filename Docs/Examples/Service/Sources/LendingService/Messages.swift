public import Foundation

/// A request of any HTTP framework, or of a test.
public struct ServiceRequest: Sendable {
  public var method: String
  public var path: String
  public var query: [String: String]
  /// The header fields by their names in lowercase.
  public var headers: [String: String]
  public var body: Data

  /// Creates a request from the request line's target, such as `/things?limit=10`.
  public init(_ method: String, _ target: String, headers: [String: String] = [:], body: Data = Data()) {
    let components = URLComponents(string: target)
    self.method = method
    path = components?.path ?? target
    query = Dictionary((components?.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
    self.headers = headers
    self.body = body
  }

  /// Returns a number of 0 or more from the query, or nil if the query doesn't contain the name.
  func number(_ name: String) throws -> Int? {
    guard let text = query[name] else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw RequestProblem(status: 400, "\(name) must be a number of 0 or more (was \(text))")
    }
    return number
  }
}

/// A response for any HTTP framework.
public struct ServiceResponse: Sendable {
  public enum Body: Sendable {
    case json(Data)
    /// Server-sent events. The sequence waits until the list changes, and ends when the service shuts down.
    case events(EventMessages)
  }

  public var status: Int
  public var headers: [String: String]
  public var body: Body

  init(_ status: Int, _ value: some Encodable, headers: [String: String] = [:]) throws {
    self.status = status
    self.headers = headers.merging(["content-type": "application/json"]) { $1 }
    body = .json(try JSONCoding.encode(value))
  }

  init(_ events: EventMessages) {
    status = 200
    headers = ["content-type": "text/event-stream", "cache-control": "no-store"]
    body = .events(events)
  }
}

/// A request that can't be served, with its status and a sentence for the client.
struct RequestProblem: Error {
  let status: Int
  let message: String

  init(status: Int, _ message: String) { (self.status, self.message) = (status, message) }
}

enum JSONCoding {
  static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value)
  }
}
