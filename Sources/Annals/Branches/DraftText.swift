import AnnalsLog
import Foundation

/// The encoded form of a call on a draft, with its id.
struct DraftText: Codable {
  /// A command, or events that are appended unchanged.
  struct Call: Codable {
    /// The decider's category, or nil for events.
    var decider: String?
    /// The stream, or nil within a boundary and for events.
    var stream: String?
    /// The expectation for the stream's version: `any`, `exists`, `doesNotExist`, or `exact` with `version`.
    var expecting: String?
    var version: Int?
    /// The number of the stream's events that the command's transaction had decided before the command.
    var after: Int?
    /// The events' metadata as JSON.
    var metadata: String?
    /// The command as JSON.
    var command: String?
    var events: [Entry]?
  }

  /// An event that is appended unchanged.
  struct Entry: Codable {
    var stream: String
    var type: String
    var schema: Int
    var payload: String?
    var tags: [String]
    var metadata: String
    var id: String?
    var source: String?
    /// The time in microseconds since 1970.
    var time: Int64?
  }

  /// An error for an invalid string.
  struct Problem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }

  /// The command's id, or nil for a command without an id.
  var id: String?
  /// The call for which the id was used, or nil in a draft that an older version of the library stored.
  var use: String?
  /// The call's `CommandUse.digest`.
  var digest: String?
  var calls: [Call]

  /// The command's id, and the call for which the id was used.
  ///
  /// An id that an older version of the library stored matches every call.
  var identified: IdentifiedCommand? {
    id.map { IdentifiedCommand(id: $0, use: CommandUse(call: use ?? "a command of a draft", digest: digest)) }
  }
}

extension DraftText.Call {
  /// The version that the command expects of its stream.
  var expectation: ExpectedVersion {
    get throws {
      switch (expecting, version) {
      case (nil, _), ("any", _): return .any
      case ("exists", _): return .exists
      case ("doesNotExist", _): return .doesNotExist
      case ("exact", let version?): return .exact(version)
      case (let found?, _):
        throw DraftText.Problem(
          "the stream version that the command requires cannot be read: expected `any`, `exists`, `doesNotExist`, or "
            + "`exact` with a number, found `\(found)`")
      }
    }
  }

  /// Sets the encoded form of an expectation.
  mutating func expect(_ expected: ExpectedVersion) {
    switch expected {
    case .any: expecting = nil
    case .exists: expecting = "exists"
    case .doesNotExist: expecting = "doesNotExist"
    case .exact(let version): (expecting, self.version) = ("exact", version)
    }
  }
}

extension DraftText.Entry {
  init(_ entry: Append.Entry) {
    let event = entry.event
    stream = entry.stream.text
    type = event.type
    schema = event.schema
    payload = event.payload
    tags = event.tags.map(\.text).sorted()
    metadata = event.metadata.json
    id = event.id?.id
    source = event.id?.source
    time = event.time?.microseconds
  }

  /// The event as it was appended.
  var entry: Append.Entry {
    get throws {
      var identity: EventID?
      if let id, let source { identity = EventID(source: source, id: id) }
      return Append.Entry(
        stream: StreamName(stream),
        event: NewEvent(
          type: type, schema: schema, payload: payload, tags: Set(tags.map { EventTag($0) }),
          metadata: try Metadata(json: metadata), id: identity, time: time.map { Date(microseconds: $0) }))
    }
  }
}
