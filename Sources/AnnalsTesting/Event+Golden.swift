public import Annals
import Foundation

// Stored events that are kept in a file, a line each, for as long as somebody may have them in a log.

/// A stored event that a file keeps, and what it reads as.
public struct KeptEvent<Event: Annals.Event>: Sendable {
  /// The number of its line, from 1.
  public let line: Int
  /// The event as it was stored.
  public let stored: NewEvent
  /// What it reads as today: one event, or several or none where it is brought up.
  public let events: [Event]
}

extension Event {
  /// Demands that all stored events that a file keeps can still be read, and keeps those that it does not have.
  ///
  /// Each line is a stored event, `{"type":"BookInserted","schema":1,"payload":{…}}`. What a line says must be read: a
  /// member or a value of its payload that is gone when the event is written again, is a loss. A line that is brought up
  /// by upcasters must be read, and what came of it must bear to be written and read again.
  ///
  /// A sample whose stored form the file does not have is added at its end, and then this throws, so that nobody forgets to
  /// look at the line and to commit it. Lines are never changed or removed: they are what logs have.
  ///
  /// - Parameters:
  ///   - samples: Events of today, one at least of every case.
  ///   - file: The file, as an absolute path or beside the file that calls this: `"Fixtures/BookEvent.jsonl"`.
  ///   - filePath: Where this is written.
  ///   - fileID: Where this is written.
  ///   - line: Where this is written.
  /// - Returns: What the file keeps, in order, to be compared with what it should read as.
  /// - Throws: ``Unmet`` for what cannot be read, what is lost, and what was added; or why the file cannot be read or written.
  @discardableResult
  public static func ensureKept(
    _ samples: [Self], in file: String, filePath: String = #filePath, fileID: String = #fileID, line: UInt = #line
  ) throws -> [KeptEvent<Self>] {
    let url = URL(fileURLWithPath: file, relativeTo: URL(fileURLWithPath: filePath).deletingLastPathComponent())
    func unmet(_ message: String) -> Unmet { Unmet(description: message, fileID: fileID, line: line) }
    let text = FileManager.default.fileExists(atPath: url.path) ? try String(contentsOf: url, encoding: .utf8) : ""
    var coder = try EventCoder<Self>()
    var kept: [KeptEvent<Self>] = []
    for (index, text) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    where !text.allSatisfy(\.isWhitespace) {
      func place() -> String { "\(file), line \(index + 1): " }
      do {
        let stored = try GoldenLine.event(String(text))
        let events = try coder.read(type: stored.type, schema: stored.schema, payload: stored.payload).events
        try GoldenLine.compare(stored, events, &coder)
        kept.append(KeptEvent(line: index + 1, stored: stored, events: events))
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
    let count = new.count == 1 ? "1 event" : "\(new.count) events"
    throw unmet(
      "\(file) has \(count) more, in forms that were not kept: look at the end of the file, commit it, and run this again"
    )
  }
}

/// A stored event as a line of a file.
enum GoldenLine {
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  static func text(_ event: NewEvent) throws -> String {
    let payload = try JSONValue(parsing: event.payload ?? "{}").canonicalText
    return "{\"type\":\(JSONValue.quoted(event.type)),\"schema\":\(event.schema),\"payload\":\(payload)}"
  }

  static func event(_ text: String) throws -> NewEvent {
    let value = try JSONValue(parsing: text)
    guard let type = value["type"]?.string, let schema = value["schema"]?.int, schema >= 1 else {
      throw Problem(description: "expected a stored event with type, schema and payload, found \(text.prefix(60))")
    }
    // The payload's text as it is kept: as a value it would have lost its nulls.
    let payload = try JSON.members(ofObject: text).first { ExactString.exactlyEqual($0.name, "payload") }
    return NewEvent(type: type, schema: schema, payload: payload?.json)
  }

  /// Demands that what was read of an event says all that it says.
  static func compare<E: Event>(_ stored: NewEvent, _ events: [E], _ coder: inout EventCoder<E>) throws {
    let now = try events.map { try coder.encode($0) }
    let isRaised = coder.hasSteps(type: stored.type, schema: stored.schema)
    if !isRaised {
      guard let one = now.first, now.count == 1 else {
        throw Problem(description: "expected an event of \(E.self), found none: \(stored.type) is another type's")
      }
      let old = try JSONValue(parsing: stored.payload ?? "{}")
      if let lost = try loss(of: old, in: JSONValue(parsing: one.payload ?? "{}"), at: "payload") {
        throw Problem(
          description:
            "\(stored.type) schema \(stored.schema) loses \(lost); give the type what holds it, or raise the "
            + "schema and write an upcaster")
      }
    }
    for event in now {
      let again = try coder.read(type: event.type, schema: event.schema, payload: event.payload).events
      let forms = try again.map { try text(coder.encode($0)) }
      guard try forms == [text(event)] else {
        throw Problem(
          description:
            "\(stored.type) schema \(stored.schema) reads as \(event.payload ?? "nothing"), and that reads as "
            + "something else: \(forms.joined(separator: ", "))")
      }
    }
  }

  /// What a value says and another does not; nil if that one says all of it.
  private static func loss(of old: JSONValue, in new: JSONValue, at path: String) -> String? {
    switch (old, new) {
    case (.object(let members), .object):
      for member in members {
        let path = "\(path).\(member.name)"
        guard let value = new[member.name] else { return "\(path), which is \(member.value.text)" }
        if let lost = loss(of: member.value, in: value, at: path) { return lost }
      }
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
