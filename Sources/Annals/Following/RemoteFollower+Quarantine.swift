extension RemoteFollower {
  /// The position up to which all events are done, or wait in quarantine.
  ///
  /// - Throws: ``EventStoreError``.
  public var position: Position {
    get async throws { try await state?.position ?? 0 }
  }

  /// How far the follower has come: its partitions, who has them, and what is set aside; nil if it never ran.
  ///
  /// - Throws: ``EventStoreError``.
  public var state: FollowerState? {
    get async throws {
      try await settings.checkpoints.states(ofFollowersNamed: name).first { $0.follower == settings.id }
    }
  }

  /// The streams that are set aside, by name.
  ///
  /// - Throws: ``EventStoreError``.
  public var quarantine: [QuarantinedStream] {
    get async throws { try await state?.quarantine ?? [] }
  }

  /// Lets the worker that has a stream's partition try the stream again, from the event on at which it stopped.
  ///
  /// A worker of another process sees it at its next heartbeat. If the event fails again, the stream is set aside
  /// again.
  ///
  /// - Parameter stream: The stream.
  /// - Returns: False if it is not set aside.
  /// - Throws: ``EventStoreError``.
  @discardableResult
  public func retry(_ stream: StreamName) async throws -> Bool {
    guard let found = try await quarantine.first(where: { $0.stream == stream }) else { return false }
    return try await resume(found, skipping: false)
  }

  /// Leaves out an event at which a stream was set aside, and goes on with the stream's later events.
  ///
  /// - Parameter position: The event's position, as ``QuarantinedStream/position`` says: another one is not left out.
  /// - Returns: True if it is left out, false if no stream is set aside at it.
  /// - Throws: ``EventStoreError``.
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
  /// Forgets how far a follower has come, and what it has set aside; for one that never comes again.
  ///
  /// If it runs again all the same, it begins as one that never ran.
  ///
  /// - Parameters:
  ///   - name: What the follower is called.
  ///   - version: The number of its code.
  /// - Throws: ``EventStoreError``, with the code `unsupported` if the store keeps no followers' positions.
  public func forgetFollower(_ name: String, version: Int) async throws {
    guard let checkpoints else { throw EventStoreError.unsupported("followers' positions", by: Self.self) }
    try await checkpoints.forget(FollowerID(name, version: version))
  }
}
