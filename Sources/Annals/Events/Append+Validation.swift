import Foundation

extension Append {
  /// Throws if a store could not keep the append and give it back as it is.
  package func validate() throws {
    if let commandID { try Self.require(commandID, "the command's id") }
    for (index, entry) in entries.enumerated() {
      let event = entry.event
      // Put together only for a message.
      var place: String { "event \(index + 1) of \(entries.count)" }
      try Self.require(entry.stream.text, "\(place): the stream's name")
      try Self.require(event.type, "\(place): the type")
      if event.schema < 1 {
        throw EventStoreError.invalidAppend("\(place): expected a schema number of 1 or more, found \(event.schema)")
      }
      if let time = event.time, !RFC3339.moments.contains(time.microseconds) {
        let found = time.timeIntervalSince1970.isNaN ? "no number" : RFC3339.text(microseconds: time.microseconds)
        throw EventStoreError.invalidAppend(
          "\(place): expected a time of the years 0000 to 9999 in UTC, which RFC 3339 can write, found \(found)")
      }
      for tag in event.tags { try Self.require(tag.text, "\(place): a tag") }
      if let id = event.id {
        try Self.require(id.id, "\(place): the id")
        try Self.require(id.source, "\(place): the source")
      }
      if let payload = event.payload, !event.isKnownAsJSON {
        do {
          try JSON.check(payload)
        } catch {
          throw EventStoreError.invalidAppend("\(place): the payload is not JSON: \(error)")
        }
      }
    }
  }

  /// The payloads of the events without the values of their personal fields, and these fields, in the order of the
  /// entries.
  ///
  /// - Throws: ``EventStoreError`` if a personal field is not as it must be.
  package func personalFields() throws -> [(payload: String?, fields: [PersonalField])] {
    try entries.enumerated().map { index, entry in try Self.personalFields(of: entry.event, index, of: entries.count) }
  }

  /// The payload of an event without the values of its personal fields, and these fields.
  package static func personalFields(
    of event: NewEvent, _ index: Int, of count: Int
  ) throws -> (payload: String?, fields: [PersonalField]) {
    guard let payload = event.payload else { return (nil, []) }
    do {
      return try PersonalPayload.cut(payload).map { ($0.payload, $0.fields) } ?? (payload, [])
    } catch {
      throw EventStoreError.invalidAppend("event \(index + 1) of \(count): the payload: \(error)")
    }
  }

  private static func require(_ text: String, _ what: @autoclosure () -> String) throws {
    if text.isEmpty { throw EventStoreError.invalidAppend("\(what()) is empty; give it at least one character") }
    // SQLite's own functions end a text at its first NUL (sqlite.org/nulinstr.html).
    if text.utf8.contains(0) { throw EventStoreError.invalidAppend("\(what()) holds a NUL character; leave it out") }
  }
}
