import AnnalsLog

extension PartitionWork {
  /// Calls the follower's code with some events, and saves that they are handled.
  ///
  /// If the code can't handle the events, their streams are quarantined, or this method throws the error that stops the
  /// follower.
  mutating func deliver(_ step: PartitionSteps<Event>.Step) async throws {
    guard let failure = try await call(step) else { return try await save(FollowerProgress(position: step.last)) }
    if step.stored.count > 1, settings.quarantine.limit > 0 { return try await deliverOneByOne(step, failure.attempts) }
    try await stop(at: step.first, failure.error, attempts: failure.attempts)
  }

  /// Finds the events of a batch that the code can't handle, with one more attempt for every event.
  private mutating func deliverOneByOne(_ step: PartitionSteps<Event>.Step, _ attempts: Int) async throws {
    var rest = step.stored[...]
    while held.mayHandle {
      let aside = aside
      guard case .handle(let one) = steps.take(&rest, limit: 1, passing: { aside[$0.stream] != nil }) else { return }
      if let failure = try await call(one, after: attempts) {
        try await stop(at: one.first, failure.error, attempts: failure.attempts)
      } else {
        try await save(FollowerProgress(position: one.last))
      }
    }
  }

  /// Calls the follower's code with some events, and retries until the code succeeds or no attempts are left.
  ///
  /// - Parameters:
  ///   - step: The events.
  ///   - failures: The number of earlier failures.
  /// - Returns: The reason why the code can't handle the events, or `nil` after success.
  /// - Throws: ``LeaseOver`` if the code must not be called any longer.
  private func call(
    _ step: PartitionSteps<Event>.Step, after failures: Int = 0
  ) async throws -> (error: ProjectionError, attempts: Int)? {
    var failures = failures
    while true {
      if !held.mayHandle { throw LeaseOver() }
      let context = RemoteFollower<Event>.Context(
        isReplay: step.isReplay, isLast: isLast(step.last), attempt: failures + 1, partition: held.lease.partition,
        fence: held.lease.fence)
      do {
        try await settings.store.environment.monitored(operation(step)) {
          try await turn.run(for: step.events) { try await settings.handle(step.events, context) }
        }
        note(.followedEvents, .count(step.stored.count))
        return nil
      } catch {
        if !held.mayHandle { throw LeaseOver() }
        failures += 1
        note(.followerFailures, .count(1))
        guard let delay = settings.retries.delay(after: failures) else {
          let error = ProjectionError(
            .refused, at: step.first, in: "The follower \"\(settings.id.name)\"", because: error)
          return (error, failures)
        }
        await held.delay.wait(for: delay, by: settings.store.environment.sleep)
      }
    }
  }

  private func operation(_ step: PartitionSteps<Event>.Step) -> StoreOperation {
    StoreOperation(
      .follow, ["follower": settings.id.name],
      details: [
        "partition": "\(held.lease.partition)", "position": "\(step.first.position)",
        "stream": step.first.stream.text, "events": "\(step.stored.count)",
      ])
  }

  /// Records a measurement of the partition.
  func note(_ name: StoreMeasurement.Name, _ value: StoreMeasurement.Value) {
    settings.store.environment.note(
      name, value, ["follower": settings.id.name, "partition": "\(held.lease.partition)"])
  }

  /// Quarantines the stream of an event that the code can't handle, or stops before the event.
  mutating func stop(at event: StoredEvent, _ error: ProjectionError, attempts: Int) async throws {
    let before = Position(event.position.rawValue - 1)
    let (source, environment) = (settings.store.source, settings.store.environment)
    guard aside[event.stream] != nil || aside.count < settings.quarantine.limit else {
      try await save(FollowerProgress(position: before))
      stops.report(error, source: source, environment)
      throw error
    }
    let stream = QuarantinedStream(
      stream: event.stream, position: event.position, after: before, attempts: attempts, error: error.message,
      time: environment.now())
    try await save(FollowerProgress(position: event.position, setAside: [stream]))
    aside[event.stream] = stream
    noteQuarantine()
    if attempts == 0 { note(.followerFailures, .count(1)) }
    stops.report(error, source: source, environment, effect: .quarantined)
  }

  /// Resumes the quarantined streams for which a retry or a skip was requested, and delivers their waiting events.
  mutating func deliverResumed() async throws {
    for stream in aside.values.filter(\.isResumed).sorted(by: { $0.position < $1.position }) {
      try await deliver(resumed: stream)
    }
  }

  private mutating func deliver(resumed: QuarantinedStream) async throws {
    var stream = resumed
    while held.mayHandle {
      let (after, through) = (stream.after, position)
      let events = try await patiently { [settings] in
        try await settings.store.events(.stream(resumed.stream), after: after, through: through, limit: 256)
      }
      if events.isEmpty {
        try await save(FollowerProgress(position: position, settled: [stream.stream]))
        (aside[stream.stream], settled[stream.stream]) = (nil, stream.after)
        noteQuarantine()
        return
      }
      var rest = events[...]
      while !rest.isEmpty {
        let next = steps.take(&rest, limit: 1, passing: { _ in false })
        if case .damaged(let event, let error)? = next { return try await stop(at: event, error, attempts: 0) }
        if case .handle(let step)? = next, let failure = try await call(step) {
          return try await stop(at: step.first, failure.error, attempts: failure.attempts)
        }
        let done: Position? = if case .handle(let step)? = next { step.last } else { events.last?.position }
        stream = stream.done(upTo: done ?? stream.after, isResumed: true)
        try await save(FollowerProgress(position: position, setAside: [stream]))
        aside[stream.stream] = stream
      }
    }
  }
}
