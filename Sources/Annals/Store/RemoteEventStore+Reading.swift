extension RemoteEventStore {
  /// The position of the last event, 0 in an empty log.
  ///
  /// - Returns: The position.
  /// - Throws: ``EventStoreError``.
  public func head() async throws -> Position { try await ask([]).head }

  /// Which of its histories the log has.
  ///
  /// - Returns: The revision.
  /// - Throws: ``EventStoreError``.
  public func revision() async throws -> LogRevision { try await ask([]).revision }

  /// The number of events that were appended to a stream, 0 if there is no such stream.
  ///
  /// - Parameter stream: The stream.
  /// - Returns: The version.
  /// - Throws: ``EventStoreError``.
  public func version(of stream: StreamName) async throws -> Int {
    guard case .version(let version) = try await answer(.version(of: stream)) else { throw wrongAnswer }
    return version
  }

  /// The position of the event with an identity.
  ///
  /// - Parameter id: The identity.
  /// - Returns: The position; nil if the log never had such an event.
  /// - Throws: ``EventStoreError``.
  public func position(of id: EventID) async throws -> Position? {
    guard case .position(let position) = try await answer(.position(of: id)) else { throw wrongAnswer }
    return position
  }

  /// Reads some events in the order of their positions.
  ///
  /// - Parameters:
  ///   - query: Which events.
  ///   - after: The position after which to start; 0 for the first event.
  ///   - through: The last position to read; nil for the log's end.
  ///   - limit: The largest number of events to return, 1 or more.
  /// - Returns: The events. Fewer than `limit` means that there are no more.
  /// - Throws: ``EventStoreError``, also when an event on the way is damaged.
  public func events(
    _ query: EventQuery, after: Position, through: Position? = nil, limit: Int
  ) async throws -> [StoredEvent] {
    let question = LogQuestion.events(query, after: after, through: through, limit: limit)
    guard case .events(let events) = try await answer(question) else { throw wrongAnswer }
    return events
  }

  /// Reads some events backwards: the last ones, the newest first.
  ///
  /// - Parameters:
  ///   - query: Which events.
  ///   - after: The position at which to end, which is not read; 0 to read the first event too.
  ///   - through: The position at which to begin; nil for the log's end.
  ///   - limit: The largest number of events to return, 1 or more.
  /// - Returns: The events. Fewer than `limit` means that there are no more.
  /// - Throws: ``EventStoreError``, also when an event on the way is damaged.
  public func eventsBackwards(
    _ query: EventQuery, after: Position = 0, through: Position? = nil, limit: Int
  ) async throws -> [StoredEvent] {
    let question = LogQuestion.eventsBackwards(query, after: after, through: through, limit: limit)
    guard case .events(let events) = try await answer(question) else { throw wrongAnswer }
    return events
  }

  /// The receipt of a command that was committed under an id.
  ///
  /// - Parameter commandID: The command's id.
  /// - Returns: The receipt, or nil if no such command was committed.
  /// - Throws: ``EventStoreError``.
  public func receipt(ofCommand commandID: String) async throws -> Receipt? {
    guard case .receipt(let receipt) = try await answer(.receipt(ofCommand: commandID)) else { throw wrongAnswer }
    return receipt
  }

  /// Commits an append, and wakes the store's subscriptions.
  ///
  /// - Parameter append: What to commit.
  /// - Returns: Where the events went.
  /// - Throws: ``EventStoreError``, and then nothing was added.
  @discardableResult
  public func append(_ append: Append) async throws -> Receipt {
    let operation = StoreOperation(.append, details: ["events": "\(append.entries.count)"])
    let receipt = try await environment.monitored(operation) { try await commit(append) }
    if receipt.count > 0, !receipt.isRepeated {
      commands.signal.announceOthers()
      environment.note(.appendedEvents, .count(receipt.count))
    }
    return receipt
  }

  private func answer(_ question: LogQuestion) async throws -> LogAnswer? { try await ask([question]).answers.first }

  private var wrongAnswer: EventStoreError {
    EventStoreError(.corrupt, "\(Self.self) answered another question than it was asked; correct its ask(_:)")
  }
}
