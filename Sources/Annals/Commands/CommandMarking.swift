import AnnalsLog

/// A type that marks the events of a transaction's commands, for example for an undo history.
protocol CommandMarking {
  /// Marks the metadata of a command's events.
  ///
  /// - Parameters:
  ///   - metadata: The metadata to store with the events.
  ///   - events: The events that the command decided, at least one.
  ///   - state: The state on which the command was decided.
  ///   - stream: The stream of the events.
  ///   - boundary: The command's boundary, or nil for a command on a stream.
  ///   - revision: The revision of the log from which the state was read.
  /// - Returns: The identity for the first event, or nil if the store generates one.
  mutating func mark<D: Decider>(
    _ metadata: inout Metadata, _ events: [D.Event], before state: D, in stream: StreamName, _ boundary: EventQuery?,
    _ revision: LogRevision
  ) -> EventID?
}
