import Annals
import AnnalsLog

/// Finds values that a redaction hides in one place and that are still in another.
///
/// A redaction hides named fields. The same text can also be in a field of another name, in an event's id, or in the
/// name of an author or a stream.
struct RedactionLeaks {
  /// Shorter values are in too many other words.
  private static let shortest = 4

  /// The hidden values by their first four bytes, so that a text is searched for all of them in one pass.
  private(set) var values: [UInt32: Set<[UInt8]>] = [:]
  /// The number of finds of every value by their places.
  var found: [[UInt8]: [String: Int]] = [:]

  var isEmpty: Bool { values.isEmpty }

  /// Takes the values that an event has and its redacted form doesn't have.
  mutating func collect(from event: StoredEvent, _ redacted: StoredEvent) {
    collect(Self.value(event.payload), Self.value(redacted.payload))
    for (name, json) in event.metadata.sorted {
      let rest = redacted.metadata.sorted.first { $0.name == name }
      collect(Self.value(json), Self.value(rest?.json))
    }
    if redacted.tags != event.tags { for tag in event.tags { add(tag.text) } }
  }

  private static func value(_ json: String?) -> JSONValue { json.flatMap { try? JSONValue(parsing: $0) } ?? .null }

  private mutating func collect(_ old: JSONValue, _ new: JSONValue?) {
    switch (old, new) {
    case (.object(let members), .object?): for member in members { collect(member.value, new?[member.name]) }
    case (.object(let members), _): for member in members { collect(member.value, nil) }
    case (.array(let elements), .array(let others)?) where elements.count == others.count:
      for (element, other) in zip(elements, others) { collect(element, other) }
    case (.array(let elements), _): for element in elements { collect(element, nil) }
    case (.string(let text), _): if old != new { add(text) }
    default: break
    }
  }

  mutating func add(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count >= Self.shortest else { return }
    values[Self.key(bytes[0], bytes[1], bytes[2], bytes[3]), default: []].insert(bytes)
  }

  private static func key(_ bytes: UInt8...) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

  /// Looks for the hidden values in the parts of a redacted event.
  mutating func search(_ event: StoredEvent) {
    if isEmpty { return }
    var places: Set<[String]> = []
    func look(_ text: String, in place: String) {
      for value in finds(in: Array(text.utf8)) { places.insert([String(decoding: value, as: UTF8.self), place]) }
    }
    func look(_ value: JSONValue, in place: String) {
      switch value {
      case .string(let text): look(text, in: place)
      case .array(let elements): for element in elements { look(element, in: place) }
      case .object(let members):
        for member in members { look(member.value, in: place.isEmpty ? member.name : "\(place).\(member.name)") }
      default: break
      }
    }
    look(Self.value(event.payload), in: "")
    for (name, json) in event.metadata.sorted { look(Self.value(json), in: name == "actor" ? "the author" : name) }
    look(event.stream.text, in: "the stream")
    look(event.id.id, in: "the event's id")
    for tag in event.tags { look(tag.text, in: "the tags") }
    for place in places { found[Array(place[0].utf8), default: [:]][place[1], default: 0] += 1 }
  }

  /// The values in a text, every occurrence once.
  func finds(in text: [UInt8]) -> [[UInt8]] {
    guard text.count >= Self.shortest else { return [] }
    var all: [[UInt8]] = []
    var key = Self.key(0, text[0], text[1], text[2])
    for end in Self.shortest - 1..<text.count {
      key = key << 8 | UInt32(text[end])
      guard let candidates = values[key] else { continue }
      let start = end - Self.shortest + 1
      for value in candidates where text[start...].starts(with: value) { all.append(value) }
    }
    return all
  }

  /// A sentence for every value that was found, the most frequent first, and at most ten.
  var sentences: [String] {
    let lines = found.map { value, places in
      let text = JSONValue.quoted(String(decoding: value, as: UTF8.self))
      let parts = places.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) (\($0.value))" }
      return (
        count: places.values.reduce(0, +), "a hidden value is still there: \(text) in \(parts.joined(separator: ", "))"
      )
    }.sorted { ($1.0, $0.1) < ($0.0, $1.1) }.map(\.1)
    let rest = lines.count - 10
    return lines.prefix(10) + (rest > 0 ? ["\(Text.counted(rest, "other hidden value")) are still there"] : [])
  }
}
