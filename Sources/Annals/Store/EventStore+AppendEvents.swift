extension EventStore {
  /// Appends events that were decided elsewhere, such as those of an import or a migration, as one transaction.
  ///
  ///     try store.append([CardEvent.added(card), .renamed(id: card.id, to: "Buy milk")], to: "Board-7")
  ///
  /// Nothing is decided: no decider sees them before they are there. The stream of a decider's id is
  /// ``Decider/stream(_:)``. For several streams, or events with a time or an identity of their own, fill an ``Append``
  /// with its `add`.
  ///
  /// Controllers in the caller's isolation have delivered before this returns, others are notified by a job in theirs.
  ///
  /// - Parameters:
  ///   - events: What happened, in order; with none, the expectation is checked and nothing is added.
  ///   - stream: The stream.
  ///   - expected: What the stream must be.
  ///   - commandID: The append's id, unique in the log, so that it is done once. If you repeat the call, it appends no
  ///     events and returns the first receipt. An id that was used for other events or another call is an error
  ///     (`commandReused`). ``CommandUse`` describes which calls differ. The events' causation and correlation are the
  ///     id, unless the metadata name other ids.
  ///   - metadata: What the events say of themselves.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: Where the events went.
  /// - Throws: ``EventCodingError`` if one of the events cannot be stored, ``EventStoreError``; nothing was added then.
  @discardableResult
  public func append<E: Event>(
    _ events: [E], to stream: StreamName, expecting expected: ExpectedVersion = .any, commandID: String? = nil,
    metadata: Metadata = [:], isolation: isolated (any Actor)? = #isolation
  ) throws -> Receipt {
    try signal.names.use(E.self)
    return try append(
      Append(events, to: stream, expecting: expected, commandID: commandID, metadata: metadata), isolation: isolation)
  }

  /// Commits events of a type to a stream on the store's own threads, and notifies those who watch the store.
  ///
  /// The events are encoded there too, so that an import of thousands does not hold your actor. It otherwise does what
  /// `append(_:isolation:)` does: several calls that wait share one sync, controllers in the caller's isolation have
  /// delivered before this returns, and a task that is cancelled before the commit begins adds nothing.
  ///
  /// - Parameters:
  ///   - events: What happened, in order; with none, the expectation is checked and nothing is added.
  ///   - stream: The stream.
  ///   - expected: What the stream must be.
  ///   - commandID: The append's id, unique in the log, so that it is done once.
  ///   - metadata: What the events say of themselves.
  ///   - isolation: The caller's isolation; leave it to its default.
  /// - Returns: Where the events went.
  /// - Throws: ``EventCodingError`` if one of the events cannot be stored, ``EventStoreError``, or `CancellationError`;
  ///   nothing was added then.
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
  /// Events of a type for one stream.
  fileprivate init<E: Event>(
    _ events: [E], to stream: StreamName, expecting expected: ExpectedVersion, commandID: String?, metadata: Metadata
  ) throws {
    self.init(expectations: [stream: expected], commandID: commandID)
    try add(events, to: stream, metadata: metadata.with(commandID: commandID))
  }
}
