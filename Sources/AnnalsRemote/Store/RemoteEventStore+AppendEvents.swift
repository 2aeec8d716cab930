public import AnnalsLog

extension RemoteEventStore {
  /// Appends events in one transaction without calling a decider, for example for an import or a migration.
  ///
  ///     try await store.append([CardEvent.added(card), .renamed(id: card.id, to: "Buy milk")], to: "Board-7")
  ///
  /// To append to a decider's stream, get the stream's name from `Decider.stream(_:)`. To append to several streams, or
  /// to set an event's time or identity, create an `Append`, add the events to it, and pass it to ``append(_:)``.
  ///
  /// - Parameters:
  ///   - events: The events to append, in order. With an empty array, the call only checks the expected version.
  ///   - stream: The name of the stream to which to append.
  ///   - expected: The version that the stream must have before the append.
  ///   - commandID: An id that is unique in the log, or `nil`. If you repeat the call with this id, no events are
  ///     appended, and you get the receipt of the first call. If the id was already used for other events or for a
  ///     different call, the call throws `EventStoreError` (`.commandReused`). The id is also the events' causation and
  ///     correlation, unless the metadata contains other ids.
  ///   - metadata: Metadata to store with every event, such as `actor`.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: `EventCodingError` if an event can't be encoded, or `EventStoreError`. The log is then unchanged, except
  ///   after the error `.unknownOutcome`.
  @discardableResult
  public func append<E: Event>(
    _ events: [E], to stream: StreamName, expecting expected: ExpectedVersion = .any, commandID: String? = nil,
    metadata: Metadata = [:]
  ) async throws -> Receipt {
    try commands.runtime.names.use(E.self)
    return try await append(
      Append(events, to: stream, expecting: expected, commandID: commandID, metadata: metadata))
  }
}
