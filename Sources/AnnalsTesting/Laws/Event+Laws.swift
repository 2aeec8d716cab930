public import Annals

// A law for events of older versions: they read as today's events.
//
//     try BookEvent.checkReads(oldEvents) { old in [today's events of old] }

extension Event {
  /// Verifies that stored events read as today's.
  ///
  /// They are read as a log's events are: by their names and former names, converted by the type's upcasters. Events
  /// are compared in their stored form.
  ///
  /// - Parameters:
  ///   - old: The events as they were stored, in order, each with its schema.
  ///   - new: The events as they would be recorded today.
  ///   - fileID: The file of the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet``, or why an event cannot be read.
  public static func ensureReads(
    _ old: [NewEvent], as new: [Self], fileID: String = #fileID, line: UInt = #line
  ) throws {
    Coverage.note(new)
    let found = try LawHistory<Self>(stored: old).recorded.map(\.event)
    let coder = try EventCoder<Self>()
    let isEqual = try found.map { try coder.encode($0) } == new.map { try coder.encode($0) }
    try ensure(
      isEqual, "the old events read as \(swiftSource(of: found)), expected \(swiftSource(of: new))", fileID: fileID,
      line: line)
  }

  /// Verifies that events of an older type, as they were stored, read as today's.
  ///
  /// - Parameters:
  ///   - old: The events, in order, of the type that recorded them; it has today's prefix and the former schema.
  ///   - new: The events as they would be recorded today.
  ///   - fileID: The file of the call.
  ///   - line: The line of the call.
  /// - Throws: ``Unmet``, or why an event cannot be stored or read.
  public static func ensureReads<Old: Event>(
    _ old: [Old], as new: [Self], fileID: String = #fileID, line: UInt = #line
  ) throws {
    try ensureReads(LawHistory(old).entries, as: new, fileID: fileID, line: line)
  }

  /// Checks that generated histories of an older type read as today's, and makes a failing one as small as possible.
  ///
  /// - Parameters:
  ///   - old: Makes events of the type that recorded them; it has today's prefix and the former schema.
  ///   - settings: The number of cases, the seed and the limits.
  ///   - fileID: The file of the call.
  ///   - function: The function of the call.
  ///   - line: The line of the call.
  ///   - new: The events that an old event should read as: none, one or several.
  /// - Returns: A report of the cases.
  /// - Throws: ``PropertyFailure``, or ``CheckError`` for invalid settings.
  @discardableResult
  public static func checkReads<Old: Event>(
    _ old: Generator<Old>, settings: CheckSettings = CheckSettings(),
    fileID: String = #fileID, function: String = #function, line: UInt = #line, as new: (Old) throws -> [Self]
  ) throws -> CheckReport {
    try check(.array(of: old), settings: settings, fileID: fileID, function: function, line: line) { events in
      try ensureReads(events, as: events.flatMap(new), fileID: fileID, line: line)
    }
  }
}
