import Annals
import AnnalsLog
import Foundation

/// The content of an event, as an import compares it with the content of another event of the same identity.
///
/// The position, the version and the transaction are not compared, because they depend on the log. So an export of a
/// log can be imported into the same log after a compaction, which may give a transaction another label.
struct EventContent {
  private let stream: StreamName
  private let type: String
  private let schema: Int
  private let time: Date?
  private let tags: Set<EventTag>
  private let payload: String?
  private let metadata: Metadata

  /// The content of a line of an import.
  init(_ event: CloudEvent) {
    (stream, type, schema) = (event.stream, event.event.type, event.event.schema)
    (time, tags, payload, metadata) = (event.event.time, event.event.tags, event.event.payload, event.event.metadata)
  }

  /// The content of an event of a log.
  init(_ event: StoredEvent) {
    (stream, type, schema) = (event.stream, event.type, event.schema)
    (time, tags, payload, metadata) = (event.time, event.tags, event.payload, event.metadata)
  }

  /// The attributes in which an event of a log differs from this line.
  ///
  /// A line may be an export of the event. An export renames metadata with the name of an attribute, so the event is
  /// also compared as an export writes it.
  ///
  /// - Parameter event: The event of the log.
  /// - Returns: The names of the attributes, as `Docs/Interchange.md` has them, or an empty array if the line repeats
  ///   the event.
  func differences(from event: StoredEvent) -> [String] {
    let found = differences(from: EventContent(event))
    if found.isEmpty { return [] }
    let exported = try? CloudEvent(line: CloudEvent.line(event, transaction: ""))
    return exported.map { differences(from: EventContent($0)).isEmpty } ?? false ? [] : found
  }

  /// The attributes in which another content differs.
  ///
  /// - Parameter other: The other content.
  /// - Returns: The names of the attributes, in the order of `Docs/Interchange.md`, or an empty array if the contents
  ///   are equal.
  func differences(from other: EventContent) -> [String] {
    var names: [String] = []
    if !ExactString.exactlyEqual(type, other.type) { names.append("type") }
    if stream != other.stream { names.append("subject") }
    if let time, let other = other.time, time.microseconds != other.microseconds { names.append("time") }
    if schema != other.schema { names.append("schemaversion") }
    if tags != other.tags { names.append("tags") }
    names += metadataDifferences(from: other)
    if !Self.areEqual(payload, other.payload) { names.append("data") }
    return names
  }

  private func metadataDifferences(from other: EventContent) -> [String] {
    if metadata == other.metadata { return [] }
    let (mine, others) = (comparedMetadata, other.comparedMetadata)
    return Set(mine.keys).union(others.keys).sorted()
      .filter { !Self.areEqual(mine[$0], others[$0]) }.map(\.text)
  }

  /// The metadata without the label of the transaction, and without a text of the event's own time.
  private var comparedMetadata: [ExactString: String] {
    var members: [ExactString: String] = [:]
    for member in metadata.sorted where !ExactString.exactlyEqual(member.name, "transaction") {
      if ExactString.exactlyEqual(member.name, "time"), let text = metadata["time"], let time,
        RFC3339.date(of: text)?.microseconds == time.microseconds
      {
        continue
      }
      members[ExactString(member.name)] = member.json
    }
    return members
  }

  /// Compares JSON by its value.
  ///
  /// A personal value that was erased on either side equals the value on the other side.
  private static func areEqual(_ json: String?, _ other: String?) -> Bool {
    if let json, let other, ExactString.exactlyEqual(json, other) { return true }
    guard let one = try? json.map({ try JSONValue(parsing: $0) }) ?? .null,
      let two = try? other.map({ try JSONValue(parsing: $0) }) ?? .null
    else { return false }
    return areEqual(one, two)
  }

  /// Compares values.
  ///
  /// An erased personal value equals every personal value of the same subject.
  static func areEqual(_ one: JSONValue, _ other: JSONValue) -> Bool {
    if one == other { return true }
    if let first = one.personal, let second = other.personal {
      return ExactString(first.subject) == ExactString(second.subject)
        && (first.value == .null || second.value == .null || areEqual(first.value, second.value))
    }
    switch (one, other) {
    case (.array(let first), .array(let second)):
      return first.count == second.count && zip(first, second).allSatisfy { areEqual($0, $1) }
    case (.object(let first), .object(let second)):
      return first.count == second.count
        && zip(first, second).allSatisfy { one, other in
          ExactString(one.name) == ExactString(other.name) && areEqual(one.value, other.value)
        }
    default: return false
    }
  }
}
