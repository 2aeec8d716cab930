public import AnnalsLog

extension RemoteFollower {
  /// The position up to which the follower has handled or quarantined all events, including the event at this position.
  ///
  /// - Throws: `EventStoreError`.
  public var position: Position {
    get async throws { try await state?.position ?? 0 }
  }

  /// The follower's progress, with its partitions, workers and quarantined streams, or `nil` if the follower never ran.
  ///
  /// - Throws: `EventStoreError`.
  public var state: FollowerState? {
    get async throws {
      try await settings.checkpoints.states(ofFollowersNamed: name).first { $0.follower == settings.id }
    }
  }

  /// The streams that the follower has quarantined, sorted by name.
  ///
  /// - Throws: `EventStoreError`.
  public var quarantine: [QuarantinedStream] {
    get async throws { try await state?.quarantine ?? [] }
  }

  /// Retries a quarantined stream, starting at the event that failed.
  ///
  /// The worker of the stream's partition resumes the stream. If this worker is in another process, it resumes the
  /// stream at its next heartbeat, which is its next regular request to the store. If the event fails again, the stream
  /// returns to the quarantine.
  ///
  /// - Parameter stream: The name of the quarantined stream.
  /// - Returns: True if the stream will be retried, or false if it isn't quarantined.
  /// - Throws: `EventStoreError`.
  @discardableResult
  public func retry(_ stream: StreamName) async throws -> Bool {
    guard let found = try await quarantine.first(where: { $0.stream == stream }) else { return false }
    return try await resume(found, skipping: false)
  }

  /// Skips the event that failed in a quarantined stream, and resumes the stream after that event.
  ///
  /// - Parameter position: The event's position, from ``QuarantinedStream/position``. No other event is skipped.
  /// - Returns: True if the event is skipped, or false if no stream is quarantined because of this event.
  /// - Throws: `EventStoreError`.
  @discardableResult
  public func skip(_ position: Position) async throws -> Bool {
    guard let found = try await quarantine.first(where: { $0.position == position }) else { return false }
    return try await resume(found, skipping: true)
  }

  private func resume(_ stream: QuarantinedStream, skipping isSkipped: Bool) async throws -> Bool {
    let isResumed = try await settings.checkpoints.resume(
      stream.stream, of: settings.id, at: stream.position, skipping: isSkipped)
    workers.wake()
    return isResumed
  }
}

extension RemoteEventStore {
  /// Deletes the stored progress and quarantine of a ``RemoteFollower`` that you no longer use.
  ///
  /// If the follower runs later, it starts like a follower that never ran.
  ///
  /// - Parameters:
  ///   - name: The follower's name.
  ///   - version: The version of the follower's code.
  /// - Throws: `EventStoreError` (`.unsupported`) if the store doesn't support followers.
  public func forgetFollower(_ name: String, version: Int) async throws {
    guard let checkpoints else { throw EventStoreError.unsupported("checkpoints", by: Self.self) }
    try await checkpoints.forget(FollowerID(name, version: version))
  }
}
