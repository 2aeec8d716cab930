public import Annals
import AnnalsLog
import Foundation

// A file keeps stored events, one per line, as long as a log could contain such events.

/// A stored event from a file, and the current events that result from reading it.
public struct GoldenEvent<Event: Annals.Event>: Sendable {
  /// The number of the event's line in the file, starting with 1.
  public let line: Int
  /// The event as it was stored.
  public let stored: NewEvent
  /// The events of the current type that result from reading the line.
  ///
  /// Upcasters can produce no event or several events.
  public let events: [Event]
}

extension Event {
  /// Verifies that all stored events in a file are still readable, and adds samples that the file lacks.
  ///
  /// Every line is a stored event, `{"type":"BookInserted","schema":1,"payload":{…}}`. For upcasters that use the
  /// ``Upcaster/Context``, add the members `stream`, `time` and `metadata` to a line, for example
  /// `"stream":"Book-7","time":"2024-02-29T12:00:00Z","metadata":{"actor":"ann"}`.
  ///
  /// Reading must not lose data. The function reads the event from a line and encodes the event with the current type.
  /// The encoded payload must have all members and values of the line's payload. If upcasters convert a line, reading
  /// must succeed, and the resulting events must be the same after they are written and read.
  ///
  /// The function compares the current stored form of every sample with the lines. If no line has this form, the
  /// function appends a line. Then it throws, so that you don't forget to review and commit the line. The function
  /// never changes or removes lines, because existing logs contain events in the form of these lines.
  ///
  /// - Parameters:
  ///   - samples: Events of the current type, with at least one for every case.
  ///   - file: The file, as an absolute path or relative to the calling file, for example `"Fixtures/BookEvent.jsonl"`.
  ///   - filePath: The path of the calling file.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Returns: The file's events, in order, for comparison with the expected events.
  /// - Throws: ``Unmet`` if an event can't be read or loses data, or if a line was added. Another error if the file
  ///   can't be read or written.
  @discardableResult
  public static func ensureKept(
    _ samples: [Self], in file: String, filePath: String = #filePath, fileID: String = #fileID, line: UInt = #line
  ) throws -> [GoldenEvent<Self>] {
    let url = URL(fileURLWithPath: file, relativeTo: URL(fileURLWithPath: filePath).deletingLastPathComponent())
    func unmet(_ message: String) -> Unmet { Unmet(description: message, fileID: fileID, line: line) }
    let text = FileManager.default.fileExists(atPath: url.path) ? try String(contentsOf: url, encoding: .utf8) : ""
    var coder = try EventCoder<Self>()
    var kept: [GoldenEvent<Self>] = []
    for (index, text) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    where !text.allSatisfy(\.isWhitespace) {
      func place() -> String { "\(file), line \(index + 1): " }
      do {
        let stored = try GoldenLine.event(String(text))
        let events = try coder.read(stored, at: GoldenLine.time).events
        try GoldenLine.compare(stored, events, &coder)
        kept.append(GoldenEvent(line: index + 1, stored: stored.event, events: events))
      } catch {
        throw unmet(place() + "\(error)")
      }
    }
    let forms = try Set(kept.map { try GoldenLine.text($0.stored) })
    var new: [String] = []
    for form in try samples.map({ try GoldenLine.text(coder.encode($0)) }) where !forms.contains(form) {
      if !new.contains(form) { new.append(form) }
    }
    guard !new.isEmpty else { return kept }
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    let start = text.isEmpty || text.hasSuffix("\n") ? text : text + "\n"
    try Data((start + new.joined(separator: "\n") + "\n").utf8).write(to: url, options: .atomic)
    let count = new.count == 1 ? "1 event in a new form was" : "\(new.count) events in new forms were"
    throw unmet(
      "\(count) added to \(file). Check the end of the file, commit the file, and rerun this test.")
  }
}

/// The format of a stored event as one line of a file.
enum GoldenLine {
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  static func text(_ event: NewEvent) throws -> String {
    let payload = try JSONValue(parsing: event.payload ?? "{}").canonicalText
    return "{\"type\":\(JSONValue.quoted(event.type)),\"schema\":\(event.schema),\"payload\":\(payload)}"
  }

  /// The time of an event whose line has no time.
  static let time = Date(timeIntervalSince1970: 1_700_000_000)

  static func event(_ text: String) throws -> Append.Entry {
    let value = try JSONValue(parsing: text)
    guard let type = value["type"]?.string, let schema = value["schema"]?.int, schema >= 1 else {
      throw Problem(description: "expected a stored event with type, schema and payload, found \(text.prefix(60))")
    }
    // The payload's original text, because a parsed value would lose nulls.
    let payload = try JSON.members(ofObject: text).first { ExactString.exactlyEqual($0.name, "payload") }
    var event = NewEvent(type: type, schema: schema, payload: payload?.json)
    if let time = value["time"] {
      guard let date = time.string.flatMap(RFC3339.date) else {
        throw Problem(description: "time: expected a time such as \"2024-02-29T12:00:00Z\", found \(time.text)")
      }
      event.time = date
    }
    if let metadata = value["metadata"] { event.metadata = try Metadata(json: metadata.text) }
    guard let stream = value["stream"] else { return Append.Entry(stream: "history", event: event) }
    guard let name = stream.string else {
      throw Problem(description: "stream: expected a string, found \(stream.text)")
    }
    return Append.Entry(stream: StreamName(name), event: event)
  }

  /// Verifies that the events from a line contain all of its data.
  static func compare<E: Event>(_ entry: Append.Entry, _ events: [E], _ coder: inout EventCoder<E>) throws {
    let stored = entry.event
    let now = try events.map { try coder.encode($0) }
    let isRaised = coder.hasSteps(type: stored.type, schema: stored.schema)
    if !isRaised {
      guard let one = now.first, now.count == 1 else {
        throw Problem(
          description:
            "expected the stored name of an event of \(E.self), found \(stored.type). Add the name to `formerNames`, "
            + "or move the line to the file of another event type that has this stored name")
      }
      let old = try JSONValue(parsing: stored.payload ?? "{}")
      if let lost = try loss(of: old, in: JSONValue(parsing: one.payload ?? "{}"), at: "payload") {
        throw Problem(
          description:
            "\(stored.type) with schema version \(stored.schema) loses a stored value: \(lost). Add a property for "
            + "this value to the type, or raise the schema version and write an upcaster")
      }
    }
    for event in now {
      let again = try coder.read(Append.Entry(stream: entry.stream, event: event), at: time).events
      let forms = try again.map { try text(coder.encode($0)) }
      guard try forms == [text(event)] else {
        throw Problem(
          description:
            "\(stored.type) with schema version \(stored.schema): the event must not change when it is written and "
            + "reread: expected \(event.payload ?? "no payload"), found \(forms.joined(separator: ", ")). Correct "
            + "the coding of \(E.self)")
      }
    }
  }

  /// Returns the path and value of data that is missing in another value, or `nil` if no data is missing.
  private static func loss(of old: JSONValue, in new: JSONValue, at path: String) -> String? {
    switch (old, new) {
    case (.object(let members), .object):
      for member in members {
        let path = "\(path).\(member.name)"
        guard let value = new[member.name] else { return "\(path), which is \(member.value.text)" }
        if let lost = loss(of: member.value, in: value, at: path) { return lost }
      }
      return nil
    // A date can have another form, such as a number or another time zone.
    case (_, .string) where new.storedTime != nil && old.storedTime.map { Date($0) } == new.storedTime.map { Date($0) }:
      return nil
    case (.array(let old), .array(let new)) where old.count == new.count:
      for (index, pair) in Swift.zip(old, new).enumerated() {
        if let lost = loss(of: pair.0, in: pair.1, at: "\(path)[\(index)]") { return lost }
      }
      return nil
    default: return old == new ? nil : "\(path): expected \(old.text), found \(new.text)"
    }
  }
}
