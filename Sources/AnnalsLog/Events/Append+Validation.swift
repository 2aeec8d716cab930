import Foundation

extension Append {
  /// Checks that a store can store all events of the append and return them unchanged.
  ///
  /// If you write a custom store, call this method first in ``EventStore/commit(_:)``. The method throws for empty
  /// names, strings with a NUL character, schema numbers below 1, times that RFC 3339 can't represent, and payloads
  /// that aren't JSON.
  ///
  /// - Throws: ``EventStoreError`` (`.invalidAppend`) with a message that describes the event and the problem.
  /// - Complexity: O(n) for n bytes of payloads. A payload that Annals has just encoded isn't parsed again.
  public func validate() throws {
    if let commandID { try Self.require(commandID, "the command's id") }
    for (index, entry) in entries.enumerated() {
      let event = entry.event
      // Computed, because only messages need it.
      var label: String { "event \(index + 1) of \(entries.count)" }
      try Self.require(entry.stream.text, "\(label): the stream's name")
      try Self.require(event.type, "\(label): the type")
      if event.schema < 1 {
        throw EventStoreError.invalidAppend("\(label): expected a schema version of at least 1, found \(event.schema)")
      }
      if let time = event.time, !RFC3339.moments.contains(time.microseconds) {
        let found = time.timeIntervalSince1970.isNaN ? "NaN" : RFC3339.text(microseconds: time.microseconds)
        throw EventStoreError.invalidAppend(
          "\(label): expected a time in the years 0000 to 9999 UTC, found \(found). RFC 3339 can't represent other "
            + "years")
      }
      for tag in event.tags { try Self.require(tag.text, "\(label): a tag") }
      if let id = event.id {
        try Self.require(id.id, "\(label): the event's id")
        try Self.require(id.source, "\(label): the source of the event's id")
      }
      if let payload = event.payload, !event.isKnownAsJSON {
        do {
          try JSON.check(payload)
        } catch {
          throw EventStoreError.invalidAppend("\(label): the payload is not JSON: \(error)")
        }
      }
    }
  }

  /// Splits every event's payload into a permanent part and the personal fields, whose values can be erased.
  ///
  /// A personal field contains a ``Personal`` value. A store that supports erasure stores the two parts separately. A
  /// store without that support also calls this method, so that all stores refuse a payload with malformed personal
  /// fields.
  ///
  /// - Returns: The split payloads, in the order of ``entries``, with `nil` for an event without a payload.
  /// - Throws: ``EventStoreError`` (`.invalidAppend` if a personal field is malformed).
  /// - Complexity: O(n) for n bytes of payloads.
  public func cutPersonalFields() throws -> [PersonalPayload?] {
    try entries.enumerated().map { index, entry in
      do {
        return try entry.event.payload.map { try PersonalPayload(cutting: $0) }
      } catch {
        throw EventStoreError.invalidAppend("event \(index + 1) of \(entries.count): the payload is invalid: \(error)")
      }
    }
  }

  /// Throws if a string can't be a name.
  package static func require(_ text: String, _ what: @autoclosure () -> String) throws {
    if text.isEmpty { throw EventStoreError.invalidAppend("\(what()) is empty; give it at least one character") }
    // SQLite's own functions end a string at its first NUL (sqlite.org/nulinstr.html).
    if text.utf8.contains(0) { throw EventStoreError.invalidAppend("\(what()) contains a NUL character; remove it") }
  }
}
