import Annals
import AnnalsLog

/// The work of a partition under one lease: it reads the events, calls the follower's code, and saves the progress.
struct PartitionWork<Event: Annals.Event> {
  /// An error that ends the work because the lease has expired or was released.
  ///
  /// The caller catches this error, so the follower doesn't fail.
  struct LeaseOver: Error {}

  let held: HeldLease
  let settings: FollowerSettings<Event>
  let turn: FollowerTurn
  let stops: StopReporter
  private let pages: FollowerPages
  /// The position at which the work ends, or `nil` for work without an end.
  private let end: Position?
  var steps: PartitionSteps<Event>
  var position: Position
  /// The partition's quarantined streams.
  var aside: [StreamName: QuarantinedStream] = [:]
  /// The streams that left the quarantine under this lease, with their handled positions at that time.
  var settled: [StreamName: Position] = [:]
  /// The last measured number of quarantined streams.
  private var measured = 0
  /// The log's end at the last read.
  private var head: Position = 0

  init(
    _ held: HeldLease, _ settings: FollowerSettings<Event>, _ pages: FollowerPages, _ turn: FollowerTurn,
    end: Position?, _ stops: StopReporter
  ) throws {
    self.held = held
    self.settings = settings
    self.pages = pages
    self.turn = turn
    self.end = end
    self.stops = stops
    steps = try PartitionSteps(settings, partition: held.lease.partition)
    position = held.lease.position
  }

  /// Handles events until the lease expires or is released, or until the task is cancelled.
  ///
  /// - Parameter onEnd: A closure to call when the work has reached its end.
  /// - Throws: The error that stops the follower.
  mutating func run(_ onEnd: @Sendable () -> Void) async throws {
    do {
      while held.mayHandle {
        know()
        noteQuarantine()
        try await deliverResumed()
        let page = try await patiently { [pages, position] in try await pages.page(after: position) }
        head = page.head
        note(.followerBehind, .level(max(0, head.rawValue - position.rawValue)))
        let last = min(page.position, end ?? page.position)
        if last > position {
          try await handle(page.events.filter { $0.position <= last && steps.has($0) }, through: last)
          continue
        }
        if end != nil, !held.isDone {
          held.isDone = true
          onEnd()
        }
        await held.news.wait()
      }
    } catch is LeaseOver {
    } catch {
      // A failure that a cancellation caused isn't a failure of the follower.
      if held.mayHandle || error is ProjectionError { throw error }
    }
    if end == nil {
      // Another worker measures the partition now. The sum of all processes would otherwise count it twice.
      note(.followerBehind, .level(0))
      aside = [:]
      noteQuarantine()
    }
  }

  /// Records the number of quarantined streams if it has changed.
  mutating func noteQuarantine() {
    if aside.count == measured { return }
    measured = aside.count
    note(.followerQuarantine, .level(measured))
  }

  /// Applies the known state of the follower's versions, including the streams of this partition to resume.
  private mutating func know() {
    let states = held.known
    steps.know(states)
    guard let own = states.first(where: { $0.follower == settings.id }) else { return }
    for stream in own.quarantine where stream.stream.partition(of: settings.partitions) == held.lease.partition {
      // The state might be older than this worker's progress.
      if let done = settled[stream.stream], stream.position <= done { continue }
      guard let known = aside[stream.stream] else {
        aside[stream.stream] = stream
        continue
      }
      if known.position == stream.position, !known.isResumed { aside[stream.stream] = stream }
    }
  }

  private mutating func handle(_ events: [StoredEvent], through last: Position) async throws {
    var rest = events[...]
    while held.mayHandle {
      let aside = aside
      switch steps.take(&rest, limit: settings.batchSize ?? 1, passing: { aside[$0.stream] != nil }) {
      case .handle(let step): try await deliver(step)
      case .damaged(let event, let error):
        try await stop(at: event, error, attempts: 0)
      case nil: return try await save(FollowerProgress(position: last))
      }
    }
  }

  /// Saves the progress.
  ///
  /// Throws ``LeaseOver`` if another worker has the partition.
  mutating func save(_ progress: FollowerProgress) async throws {
    let isSaved = try await patiently { [settings, held] in
      try await settings.checkpoints.save(progress, under: held.lease)
    }
    if !isSaved {
      held.end()
      throw LeaseOver()
    }
    position = max(position, progress.position)
  }

  /// Runs an operation, and retries it after temporary server failures until the lease is over.
  func patiently<T: Sendable>(_ body: () async throws -> T) async throws -> T {
    let retries = FollowerRetries.retrying(attempts: .max, firstDelay: .milliseconds(50), largestDelay: .seconds(5))
    var failures = 0
    while true {
      do { return try await body() } catch {
        if (error as? EventStoreError)?.isLasting ?? true { throw error }
        failures += 1
        await held.delay.wait(for: retries.delay(after: failures) ?? retries.largestDelay)
        if !held.mayHandle { throw LeaseOver() }
      }
    }
  }

  /// True if an event is the last known event of the log.
  func isLast(_ position: Position) -> Bool { position >= head }
}
