extension EventStore {
  /// Appends existing events in one transaction, for example the events of an import or a migration.
  ///
  ///     try store.append([CardEvent.added(card), .renamed(id: card.id, to: "Buy milk")], to: "Board-7")
  ///
  /// No decider is called. The stream of a decider's id is ``Decider/stream(_:)``. For several streams, or for events
  /// with a time or an identity, fill an ``Append`` with its `add`.
  ///
  /// Controllers in the caller's isolation deliver their changes before the call returns. Other controllers are
  /// notified by a job in their isolation.
  ///
  /// - Parameters:
  ///   - events: The events to append, in order. With an empty array, the call only checks the expectation.
  ///   - stream: The stream.
  ///   - expected: The expected version of the stream.
  ///   - commandID: The append's id, unique in the log, so that a repeated call appends only once. The repeated call
  ///     returns the first receipt. An id that was used for other events or another call is an error
  ///     (`commandReused`). ``CommandUse`` describes which calls differ. The id is also the events' causation and
  ///     correlation, unless the metadata specifies other ids.
  ///   - metadata: Metadata to store with every event, such as `actor`.
  ///   - isolation: The caller's isolation, which is the default.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: ``EventCodingError`` if an event can't be stored, or ``EventStoreError``. The log is then unchanged.
  @discardableResult
  public func append<E: Event>(
    _ events: [E], to stream: StreamName, expecting expected: ExpectedVersion = .any, commandID: String? = nil,
    metadata: Metadata = [:], isolation: isolated (any Actor)? = #isolation
  ) throws -> Receipt {
    try signal.names.use(E.self)
    return try append(
      Append(events, to: stream, expecting: expected, commandID: commandID, metadata: metadata), isolation: isolation)
  }

  /// Appends events of a type to a stream on the store's own threads, and notifies the store's watchers.
  ///
  /// The events are also encoded on these threads, so an import of thousands of events doesn't block your actor.
  /// Otherwise the call works like `append(_:isolation:)`. Waiting calls share one sync, and controllers in the
  /// caller's isolation have delivered before the call returns. A task that is cancelled before the commit begins
  /// doesn't append any events.
  ///
  /// - Parameters:
  ///   - events: The events to append, in order. With an empty array, the call only checks the expectation.
  ///   - stream: The stream.
  ///   - expected: The expected version of the stream.
  ///   - commandID: The append's id, unique in the log, so that a repeated call appends only once.
  ///   - metadata: Metadata to store with every event, such as `actor`.
  ///   - isolation: The caller's isolation, which is the default.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: ``EventCodingError`` if an event can't be stored, ``EventStoreError``, or `CancellationError`. The log
  ///   is then unchanged.
  @discardableResult
  public func append<E: Event>(
    _ events: [E], to stream: StreamName, expecting expected: ExpectedVersion = .any, commandID: String? = nil,
    metadata: Metadata = [:], isolation: isolated (any Actor)? = #isolation
  ) async throws -> Receipt {
    try signal.names.use(E.self)
    return try await committing(isolation: isolation) {
      try Append(events, to: stream, expecting: expected, commandID: commandID, metadata: metadata)
    }
  }
}

extension Append {
  /// Creates an append of events of a type to one stream.
  fileprivate init<E: Event>(
    _ events: [E], to stream: StreamName, expecting expected: ExpectedVersion, commandID: String?, metadata: Metadata
  ) throws {
    self.init(expectations: [stream: expected], commandID: commandID)
    try add(events, to: stream, metadata: metadata.with(commandID: commandID))
  }
}
