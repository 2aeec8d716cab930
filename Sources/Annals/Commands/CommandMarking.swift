/// What marks the events of a transaction's commands, as an undo history does.
protocol CommandMarking {
  /// Marks the metadata of a command's events.
  ///
  /// - Parameters:
  ///   - metadata: What the events say of themselves.
  ///   - events: What the command led to; at least one.
  ///   - state: The state in which it was decided.
  ///   - stream: The stream that they go to.
  ///   - boundary: The boundary that it was decided on; nil for a stream.
  ///   - revision: The revision of the log that the state was read from.
  /// - Returns: The identity that the first event gets; nil if the store makes one.
  mutating func mark<D: Decider>(
    _ metadata: inout Metadata, _ events: [D.Event], before state: D, in stream: StreamName, _ boundary: EventQuery?,
    _ revision: LogRevision
  ) -> EventID?
}
