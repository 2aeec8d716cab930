public import Annals
import AnnalsLog

// A law for old events, which must be readable as current events.
//
//     try BookEvent.checkReads(oldEvents) { old in [today's events of old] }

extension Event {
  /// Verifies that stored events are read as the expected current events.
  ///
  /// The stored events are read in the same way as events in a log. They can have current or former names of the type's
  /// events, and the type's upcasters convert them. Events are compared in their stored form.
  ///
  /// - Parameters:
  ///   - old: The stored events, in order, with their schemas. Upcasters receive the metadata of every stored event,
  ///     and its time if the event has a time.
  ///   - new: The events as they would be recorded today.
  ///   - stream: The stream of the events, for upcasters that use the stream.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if the events differ. Another error if an event can't be read.
  public static func ensureReads(
    _ old: [NewEvent], as new: [Self], stream: StreamName = "history", fileID: String = #fileID, line: UInt = #line
  ) throws {
    Coverage.note(new)
    let found = try LawHistory<Self>(stored: old, in: stream).recorded.map(\.event)
    let coder = try EventCoder<Self>()
    let isEqual = try found.map { try coder.encode($0) } == new.map { try coder.encode($0) }
    try ensure(
      isEqual,
      "the old events must be read as \(swiftSource(of: new)), but they are read as \(swiftSource(of: found))",
      fileID: fileID, line: line)
  }

  /// Verifies that stored events of an older type are read as the expected current events.
  ///
  /// - Parameters:
  ///   - old: The events of the older type, in order. The older type must have the current type's prefix and a lower
  ///     schema number.
  ///   - new: The events as they would be recorded today.
  ///   - stream: The stream of the events, for upcasters that use the stream.
  ///   - fileID: The file that contains the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet`` if the events differ. Another error if an event can't be stored or read.
  public static func ensureReads<Old: Event>(
    _ old: [Old], as new: [Self], stream: StreamName = "history", fileID: String = #fileID, line: UInt = #line
  ) throws {
    try ensureReads(LawHistory(old).entries, as: new, stream: stream, fileID: fileID, line: line)
  }

  /// Checks that generated histories of an older event type are read as the expected current events, and shrinks a
  /// failing history.
  ///
  /// - Parameters:
  ///   - old: A generator of events of the older type, which must have the current type's prefix and a lower schema
  ///     number.
  ///   - stream: The stream of the events, for upcasters that use the stream.
  ///   - settings: The number of cases, the seed and the limits.
  ///   - fileID: The file that contains the call.
  ///   - function: The function that contains the call.
  ///   - line: The line of the call.
  ///   - new: A function that returns the events (none, one or several) that are expected for an old event.
  /// - Returns: A report of the cases.
  /// - Throws: ``PropertyFailure`` if the check fails, or ``CheckError`` for invalid settings.
  @discardableResult
  public static func checkReads<Old: Event>(
    _ old: Generator<Old>, stream: StreamName = "history", settings: CheckSettings = .current,
    fileID: String = #fileID, function: String = #function, line: UInt = #line, as new: (Old) throws -> [Self]
  ) throws -> CheckReport {
    try check(.array(of: old), settings: settings, fileID: fileID, function: function, line: line) { events in
      try ensureReads(events, as: events.flatMap(new), stream: stream, fileID: fileID, line: line)
    }
  }
}
