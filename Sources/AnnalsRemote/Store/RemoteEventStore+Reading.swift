public import AnnalsLog

extension RemoteEventStore {
  /// Returns the position of the last event, or 0 for an empty log.
  ///
  /// - Returns: The position.
  /// - Throws: `EventStoreError`.
  public func head() async throws -> Position { try await ask([]).head }

  /// Returns the log's revision, which changes with every erasure and every compaction.
  ///
  /// - Returns: The revision.
  /// - Throws: `EventStoreError`.
  public func revision() async throws -> LogRevision { try await ask([]).revision }

  /// Returns a stream's version: the number of events ever appended to the stream, or 0 if the stream doesn't exist.
  ///
  /// - Parameter stream: The stream.
  /// - Returns: The stream's version.
  /// - Throws: `EventStoreError`.
  public func version(of stream: StreamName) async throws -> Int {
    guard case .version(let version) = try await answer(.version(of: stream)) else { throw wrongAnswer }
    return version
  }

  /// Returns the position of the event with a given identity.
  ///
  /// - Parameter id: The event's identity.
  /// - Returns: The event's position, or `nil` if the log never contained the event.
  /// - Throws: `EventStoreError`.
  public func position(of id: EventID) async throws -> Position? {
    guard case .position(let position) = try await answer(.position(of: id)) else { throw wrongAnswer }
    return position
  }

  /// Reads the events that match a query, in the order of their positions.
  ///
  /// - Parameters:
  ///   - query: The query that selects the events.
  ///   - after: The position after which to start, or 0 for the first event.
  ///   - through: The last position to read, or `nil` for the log's end.
  ///   - limit: The maximum number of events to return, at least 1.
  /// - Returns: The events. If there are fewer than `limit`, no more exist.
  /// - Throws: `EventStoreError`, for example if an event in the range is damaged.
  public func events(
    _ query: EventQuery, after: Position, through: Position? = nil, limit: Int
  ) async throws -> [StoredEvent] {
    let question = LogQuery.events(query, after: after, through: through, limit: limit)
    guard case .events(let events) = try await answer(question) else { throw wrongAnswer }
    return events
  }

  /// Reads the events that match a query, newest first.
  ///
  /// - Parameters:
  ///   - query: The query that selects the events.
  ///   - after: The position at which to stop, without returning its event. Pass 0 to include the log's first event.
  ///   - through: The position at which to start, including its event, or `nil` for the log's end.
  ///   - limit: The maximum number of events to return, at least 1.
  /// - Returns: The events. If there are fewer than `limit`, no more exist.
  /// - Throws: `EventStoreError`, for example if an event in the range is damaged.
  public func eventsBackwards(
    _ query: EventQuery, after: Position = 0, through: Position? = nil, limit: Int
  ) async throws -> [StoredEvent] {
    let question = LogQuery.eventsBackwards(query, after: after, through: through, limit: limit)
    guard case .events(let events) = try await answer(question) else { throw wrongAnswer }
    return events
  }

  /// Returns the receipt of the command that was committed under an id.
  ///
  /// - Parameter commandID: The command's id.
  /// - Returns: The receipt, or `nil` if no such command was committed.
  /// - Throws: `EventStoreError`.
  public func receipt(ofCommand commandID: String) async throws -> Receipt? {
    guard case .receipt(let receipt) = try await answer(.receipt(ofCommand: commandID)) else { throw wrongAnswer }
    return receipt
  }

  /// Returns statistics of the log's contents, by reading all events.
  public func statistics(streamLimit: Int) async throws -> LogStatistics {
    let first = try await ask([])
    var (counts, position) = (LogCounter(), 0 as Position)
    while position < first.head {
      let page = try await ask([.events(.all, after: position, through: first.head, limit: 4_096)])
      guard page.revision == first.revision else { throw EventStoreError.rewritten }
      guard case .events(let events)? = page.answers.first else { throw wrongAnswer }
      for event in events { try counts.add(event) }
      guard let last = events.last else { break }
      position = last.position
    }
    return counts.statistics(first.revision, streamLimit: streamLimit)
  }

  /// Returns statistics of the log's contents, with at most 20 streams.
  ///
  /// - Returns: The statistics.
  /// - Throws: `EventStoreError`.
  public func statistics() async throws -> LogStatistics { try await statistics(streamLimit: 20) }

  /// Commits an append, and wakes the store's subscriptions.
  ///
  /// - Parameter append: The append to commit.
  /// - Returns: A receipt with the positions of the appended events.
  /// - Throws: `EventStoreError`. In that case the log is unchanged.
  @discardableResult
  public func append(_ append: Append) async throws -> Receipt {
    let receipt = try await environment.monitored(.appending(append)) { try await commit(append) }
    if receipt.count > 0, !receipt.isRepeated {
      commands.runtime.announceOthers()
      environment.note(.appendedEvents, .count(receipt.count))
    }
    return receipt
  }

  private func answer(_ question: LogQuery) async throws -> LogResult? { try await ask([question]).answers.first }

  private var wrongAnswer: EventStoreError {
    EventStoreError(
      .corrupt, "\(Self.self) returned a response that doesn't match the query. Correct the store's `ask(_:)`")
  }
}
