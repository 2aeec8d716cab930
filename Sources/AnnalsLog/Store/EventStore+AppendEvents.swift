extension EventStore {
  /// Appends events in one transaction without calling a decider, for example for an import or a migration.
  ///
  ///     try store.append([CardEvent.added(card), .renamed(id: card.id, to: "Buy milk")], to: "Board-7")
  ///
  /// To append to a decider's stream, get the stream's name from `Decider.stream(_:)`. To append to several streams,
  /// or to set an event's time or identity, create an ``Append``, add the events to it, and pass it to
  /// `append(_:isolation:)`.
  ///
  /// Controllers in the caller's isolation deliver their changes before the call returns. Controllers in other
  /// isolations are notified asynchronously.
  ///
  /// - Parameters:
  ///   - events: The events to append, in order. With an empty array, the call only checks the expected version.
  ///   - stream: The name of the stream to which to append.
  ///   - expected: The version that the stream must have before the append.
  ///   - commandID: An id that is unique in the log, or `nil`. If you repeat the call with this id, no events are
  ///     appended, and you get the receipt of the first call. If the id was already used for other events or for a
  ///     different call, the call throws ``EventStoreError`` (`.commandReused`). `CommandUse` describes which calls
  ///     are different. The id is also the events' causation and correlation, unless the metadata contains other ids.
  ///   - metadata: Metadata to store with every event, such as `actor`.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: ``EventCodingError`` if an event can't be encoded, or ``EventStoreError``. The log is then unchanged.
  @discardableResult
  public func append<E: Event>(
    _ events: [E], to stream: StreamName, expecting expected: ExpectedVersion = .any, commandID: String? = nil,
    metadata: Metadata = [:], isolation: isolated (any Actor)? = #isolation
  ) throws -> Receipt {
    try runtime.names.use(E.self)
    return try append(
      Append(events, to: stream, expecting: expected, commandID: commandID, metadata: metadata), isolation: isolation)
  }

  /// Appends events of a type to a stream on the store's own threads, and notifies watchers, such as controllers.
  ///
  /// The events are also encoded on these threads, so an import of thousands of events doesn't block your actor. In all
  /// other respects, the call works like the awaited `append(_:isolation:)`. Several waiting calls share one disk sync,
  /// and controllers in the caller's isolation deliver their changes before the call returns. If the task is cancelled
  /// before the commit begins, no events are appended.
  ///
  /// - Parameters:
  ///   - events: The events to append, in order. With an empty array, the call only checks the expected version.
  ///   - stream: The name of the stream to which to append.
  ///   - expected: The version that the stream must have before the append.
  ///   - commandID: An id that is unique in the log, or `nil`. If you repeat the call with this id, no events are
  ///     appended, and you get the receipt of the first call.
  ///   - metadata: Metadata to store with every event, such as `actor`.
  ///   - isolation: The caller's isolation, which the compiler fills in. Pass no argument.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: ``EventCodingError`` if an event can't be encoded, ``EventStoreError``, or `CancellationError`. The log
  ///   is then unchanged.
  @discardableResult
  public func append<E: Event>(
    _ events: [E], to stream: StreamName, expecting expected: ExpectedVersion = .any, commandID: String? = nil,
    metadata: Metadata = [:], isolation: isolated (any Actor)? = #isolation
  ) async throws -> Receipt {
    try runtime.names.use(E.self)
    return try await committing(isolation: isolation) {
      try Append(events, to: stream, expecting: expected, commandID: commandID, metadata: metadata)
    }
  }
}

extension Append {
  /// Creates an append of events of a type to one stream.
  package init<E: Event>(
    _ events: [E], to stream: StreamName, expecting expected: ExpectedVersion, commandID: String?, metadata: Metadata
  ) throws {
    self.init(expectations: [stream: expected], commandID: commandID)
    try add(events, to: stream, metadata: metadata.with(commandID: commandID))
  }
}
