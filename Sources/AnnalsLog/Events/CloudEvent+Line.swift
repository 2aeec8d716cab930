import Foundation

extension CloudEvent {
  /// Returns a stored event as a line of CloudEvents JSON, without a line end.
  ///
  /// If the event's metadata contain no transaction label, the line contains the label from the parameter
  /// `transaction`.
  package static func line(_ event: StoredEvent, transaction: String) -> String {
    var members: [(String, String)] = [
      ("specversion", "\"1.0\""), ("id", JSONValue.quoted(event.id.id)), ("source", JSONValue.quoted(event.id.source)),
      ("type", JSONValue.quoted(event.type)), ("subject", JSONValue.quoted(event.stream.text)),
    ]
    var kept = event.metadata.sorted
    func take(_ name: String) -> String? {
      kept.firstIndex { ExactString($0.name) == ExactString(name) }.map { kept.remove(at: $0).json }
    }
    let time = JSONValue.quoted(RFC3339.text(microseconds: event.time.microseconds))
    members.append(("time", hasWrittenTime(event) ? take("time") ?? time : time))
    members.append(("transaction", take("transaction") ?? JSONValue.quoted(transaction)))
    members.append(("position", String(event.position.rawValue)))
    if event.schema != 1 { members.append(("schemaversion", String(event.schema))) }
    if !event.tags.isEmpty { members.append(("tags", JSONValue.quoted(text(of: event.tags)))) }
    if !kept.isEmpty { members += renamed(kept, beside: members.map(\.0)) }
    if let payload = event.payload { members.append(("data", onOneLine(payload))) }
    return "{" + members.map { JSONValue.quoted($0.0) + ":" + $0.1 }.joined(separator: ",") + "}"
  }

  /// Returns JSON on one line.
  ///
  /// Line ends occur only between the tokens of JSON, so spaces can replace them.
  private static func onOneLine(_ json: String) -> String {
    var bytes = Array(json.utf8)
    let hasEnds = bytes.withUnsafeBytes { bytes in
      bytes.baseAddress.map { memchr($0, 0x0A, bytes.count) != nil || memchr($0, 0x0D, bytes.count) != nil } ?? false
    }
    guard hasEnds else { return json }
    for offset in bytes.indices where bytes[offset] == 0x0A || bytes[offset] == 0x0D { bytes[offset] = 0x20 }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the transaction label in an event's metadata, or nil if the metadata contain none.
  package static func ownLabel(of event: StoredEvent) -> JSONValue? {
    event.metadata.sorted.first { ExactString($0.name) == ExactString("transaction") }
      .flatMap { try? JSONValue(parsing: $0.json) }
  }

  /// Returns metadata sorted by name, with new names for members that an import would mistake for other attributes.
  ///
  /// A member of an app's own metadata can have the name of an attribute, but a line can't contain a name twice.
  private static func renamed(
    _ metadata: [(name: String, json: String)], beside written: [String]
  ) -> [(String, String)] {
    var taken = Set((written + attributes + ["time"] + metadata.map(\.name)).map { ExactString($0) })
    let names = metadata.map { member -> (String, String) in
      var name = member.name
      if written.contains(where: { ExactString($0) == ExactString(name) })
        || attributes.contains(where: { ExactString($0) == ExactString(name) }) || isTaken(member)
      {
        repeat { name = "metadata" + name } while taken.contains(ExactString(name))
        taken.insert(ExactString(name))
      }
      return (name, member.json)
    }
    return names.sorted { ExactString($0.0) < ExactString($1.0) }
  }

  /// Returns whether an import would mistake a member of the metadata for the event's tags or schema number.
  private static func isTaken(_ member: (name: String, json: String)) -> Bool {
    switch (member.name, try? JSONValue(parsing: member.json)) {
    case ("tags", .string(let text)): tags(text) != nil
    case ("schemaversion", .number(let number)): (number.int ?? 0) >= 1
    default: false
    }
  }

  /// Returns whether the metadata contain the original string of an imported time that still equals the event's time.
  private static func hasWrittenTime(_ event: StoredEvent) -> Bool {
    guard let text = event.metadata["time"] else { return false }
    // Compare as dates, because a distant date isn't exact to the microsecond.
    return RFC3339.date(of: text)?.microseconds == event.time.microseconds
  }
}
