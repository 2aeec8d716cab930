import Foundation

/// An event as a line of CloudEvents 1.0 JSON.
package struct CloudEvent {
  /// An error for an invalid line, with the expected and the found value.
  package struct Problem: LocalizedError, CustomStringConvertible {
    package let description: String
    /// The names of the required attributes that the line lacks, or an empty array for another problem.
    package var missing: [String] = []

    package var errorDescription: String? { description }
  }

  /// The attribute `subject`, or the attribute `source` for a line without a subject.
  package let stream: StreamName
  package let event: NewEvent
  package let id: EventID
  /// The attribute `transaction`, or nil if the line has none.
  package let transaction: JSONValue?

  /// The names of a line's members that are never kept as metadata.
  static let attributes: Set<String> = [
    "specversion", "id", "source", "type", "subject", "position", "data",
  ]

  /// Parses a line.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - reader: The reader of the line's members. Reuse one reader for many lines to save memory.
  /// - Throws: ``Problem``.
  package init(line: String, _ reader: JSON.MemberReader = JSON.MemberReader()) throws {
    let members: [(name: String, json: String)]
    do {
      members = try reader.members(ofObject: line)
    } catch {
      throw Problem(description: error.description)
    }
    var (version, id, source, type, subject, data, label):
      (String?, String?, String?, String?, String?, String?, String?)
    var others: [(name: String, json: String)] = []
    for member in members {
      // Comparing with `==` is exact here, because an ASCII name isn't canonically equivalent to any other string.
      switch member.name {
      case "specversion": version = member.json
      case "id": id = member.json
      case "source": source = member.json
      case "type": type = member.json
      case "subject": subject = member.json
      case "data": data = member.json
      case "position": continue
      default:
        if member.name == "transaction" { label = member.json }
        others.append(member)
      }
    }
    guard let version = Self.present(version), let id = Self.present(id), let source = Self.present(source),
      let type = Self.present(type)
    else { throw Self.missing([("specversion", version), ("id", id), ("source", source), ("type", type)]) }
    func required(_ name: String, _ json: String) throws -> String {
      guard case .string(let value) = try JSONValue(parsing: json) else {
        throw Problem(description: "\(name): expected a string, found \(json.shortened(to: 40))")
      }
      if value.isEmpty { throw Problem(description: "\(name): expected a non-empty string, found \"\"") }
      if value.utf8.contains(0) { throw Problem(description: "\(name): the value contains a NUL character; remove it") }
      return value
    }
    let found = try required("specversion", version)
    guard ExactString(found) == ExactString("1.0") else {
      throw Problem(description: "specversion: expected \"1.0\", found \(JSONValue.quoted(found.shortened(to: 40)))")
    }
    self.id = EventID(source: try required("source", source), id: try required("id", id))
    // An event without a subject concerns its whole source, according to CloudEvents.
    stream = StreamName(try Self.present(subject).map { try required("subject", $0) } ?? self.id.source)
    let name = try required("type", type)
    // The whole line was checked, so its data are JSON.
    var event =
      if let data {
        NewEvent(type: name, schema: 1, writtenAs: data, tags: [])
      } else {
        NewEvent(type: name, payload: nil)
      }
    event.id = self.id
    event.metadata.reserveCapacity(others.count)
    for member in others { try Self.keep(member, in: &event) }
    let transaction = try label.map { try JSONValue(parsing: $0) }
    self.transaction = transaction == .null ? nil : transaction
    self.event = event
  }

  /// Returns an attribute's JSON, or nil for a null attribute, which counts as absent.
  private static func present(_ json: String?) -> String? { json == "null" ? nil : json }

  /// The error for a line that lacks some required attributes.
  private static func missing(_ attributes: [(name: String, json: String?)]) -> Problem {
    let names = attributes.filter { present($0.json) == nil }.map(\.name)
    let last = names.last ?? ""
    let list = names.count < 2 ? last : names.dropLast().joined(separator: ", ") + " and " + last
    return Problem(
      description: "expected the attribute\(names.count == 1 ? "" : "s") \(list), found none", missing: names)
  }

  /// The transaction label of a line that can't be parsed as an event, if the label is known.
  package enum Label {
    /// The value of the attribute `transaction`, or nil for a line without the attribute, which is a separate
    /// transaction.
    case known(JSONValue?)
    case unknown
  }

  /// Returns the transaction label of a line that may be malformed.
  package static func label(of line: String) -> Label {
    if let members = try? JSON.members(ofObject: line) {
      let json = members.first { ExactString($0.name) == ExactString("transaction") }?.json
      let value = json.flatMap { try? JSONValue(parsing: $0) }
      return .known(value == .null ? nil : value)
    }
    return writtenLabel(in: line).flatMap { try? JSONValue(parsing: $0) }.map { .known($0) } ?? .unknown
  }

  /// Returns the string after the name `transaction` and a colon, including the string's quotes.
  ///
  /// The function scans byte by byte. A regular expression would store a backtracking offset for every byte, which
  /// needed gigabytes of memory for a line of 40 MB.
  private static func writtenLabel(in line: String) -> String? {
    var line = line
    return line.withUTF8 { text in
      let (bytes, name) = (UnsafeRawBufferPointer(text), Array("\"transaction\"".utf8))
      func next(after offset: Int) -> Int {
        var offset = offset
        while offset < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) { offset += 1 }
        return offset
      }
      var start = 0
      while start + name.count < bytes.count {
        guard bytes[start] == name[0], bytes[start..<start + name.count].elementsEqual(name) else {
          start += 1
          continue
        }
        start += name.count
        let colon = next(after: start)
        guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { continue }
        let first = next(after: colon + 1)
        guard first < bytes.count, bytes[first] == UInt8(ascii: "\"") else { continue }
        var offset = first + 1
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
          offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
        }
        return offset < bytes.count ? String(decoding: bytes[first...offset], as: UTF8.self) : nil
      }
      return nil
    }
  }

  /// Stores an attribute as the event's time, schema number or tags, or as metadata if it is none of these.
  private static func keep(_ member: (name: String, json: String), in event: inout NewEvent) throws {
    if member.json == "null" { return }
    // Parse only these attributes, because a parsed value takes many times the memory of its string.
    let isKnown = ["time", "schemaversion", "tags"].contains { ExactString.exactlyEqual($0, member.name) }
    switch (member.name, isKnown ? try JSONValue(parsing: member.json) : .null) {
    case ("time", .string(let text)):
      guard let date = RFC3339.date(of: text) else {
        throw Problem(
          description: "time: expected a time such as 2026-01-31T12:00:00Z, in the years 0000 to 9999 UTC, found "
            + member.json.shortened(to: 60))
      }
      event.time = date
      // If the string differs from the canonical form of its time, also keep the string.
      if ExactString(RFC3339.text(microseconds: date.microseconds)) == ExactString(text) { return }
    case ("time", _): throw Problem(description: "time: expected a string, found \(member.json.shortened(to: 40))")
    case ("schemaversion", .number(let number)):
      if let schema = number.int, schema >= 1 {
        event.schema = schema
        return
      }
    case ("tags", .string(let text)):
      if let tags = Self.tags(text) {
        event.tags = tags
        return
      }
    default: break
    }
    event.metadata.set(member.name, json: member.json)
  }

  /// Parses tags in their exported form, or returns nil for a string in a different form.
  static func tags(_ text: String) -> Set<EventTag>? {
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map { $0.removingPercentEncoding }
    guard !words.contains(where: { $0?.isEmpty ?? true || $0?.utf8.contains(0) ?? false }) else { return nil }
    let tags = Set(words.compactMap { $0.map { EventTag($0) } })
    return ExactString(Self.text(of: tags)) == ExactString(text) ? tags : nil
  }

  static func text(of tags: Set<EventTag>) -> String {
    // Escape a space, which would end the tag, and a percent sign, which would begin an escape.
    tags.sorted().map {
      $0.text.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed.subtracting(.init(charactersIn: "%"))) ?? ""
    }.joined(separator: " ")
  }
}
