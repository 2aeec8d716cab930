import Annals
import AnnalsLog
import Synchronization

/// A worker of a follower, which holds leases of partitions and handles the events of these partitions.
final class FollowerWorker<Event: Annals.Event>: Sendable {
  private enum Happening: Sendable {
    /// The next claim is due.
    case due
    case claimed(Result<(LeaseShare, [FollowerState]), any Error>, began: ContinuousClock.Instant)
    /// The work of a partition has ended.
    case ended(HeldLease)
    case nothing
  }

  let id: String
  /// The pause between two claims.
  let pause = Pause()
  private let settings: FollowerSettings<Event>
  /// The position at which the worker stops, or `nil` for a worker that doesn't stop.
  private let end: Position?
  private let turn: FollowerTurn
  private let pages: FollowerPages
  private let held = Mutex<[Int: HeldLease]>([:])
  /// For every partition, the fence (a number that identifies a lease) of the last finished lease.
  ///
  /// A delayed response might still contain such a lease.
  private let ended = Mutex<[Int: Int]>([:])
  private let stops: StopReporter

  init(_ settings: FollowerSettings<Event>, end: Position?, _ turn: FollowerTurn) {
    self.settings = settings
    self.end = end
    self.turn = turn
    id = settings.store.environment.makeID()
    pages = FollowerPages(settings.store, size: max(512, settings.batchSize ?? 1))
    stops = StopReporter(.follower, settings.id.name)
  }

  /// Runs the worker until its end position, or until the task is cancelled.
  func run() async throws {
    let start = try await start()
    try await withThrowingTaskGroup(of: Happening.self) { group in
      defer { group.cancelAll() }
      group.addTask { [self] in await hear() }
      group.addTask { [self] in await watch() }
      group.addTask { [self] in await claim(start) }
      while let happening = try await group.next() {
        if Task.isCancelled { return }
        switch happening {
        case .nothing: break
        case .due: group.addTask { [self] in await claim(start) }
        case .ended(let lease): release(lease)
        case .claimed(.failure(let error), _):
          let isLasting = (error as? EventStoreError)?.isLasting ?? false
          if end != nil || isLasting { throw error }
          stops.report(error, source: settings.store.source, settings.store.environment, effect: .paused)
          wait(&group)
        case .claimed(.success((let share, let states)), let began):
          stops.noteSuccess()
          if isDone(states) { return }
          for lease in share.leases where hasEnded(lease) {
            group.addTask { [settings] in
              _ = try? await settings.checkpoints.release(lease)
              return .nothing
            }
          }
          for lease in take(share, states, until: began + settings.lease) {
            group.addTask { [self] in
              try await lease.work { [self] in try await work(on: lease) }
              return .ended(lease)
            }
          }
          wait(&group)
        }
      }
    }
  }

  /// Returns the position at which the partitions start if the follower never ran.
  private func start() async throws -> Position {
    guard settings.start != .beginning else { return 0 }
    if try await !settings.checkpoints.states(ofFollowersNamed: settings.id.name).isEmpty { return 0 }
    return try await settings.start.position(head: settings.store.head(), follower: settings.id.name)
  }

  /// Wakes the partitions when new events might exist.
  private func hear() async -> Happening {
    let wake = RemoteWake(settings.store)
    for await _ in wake.stream { for lease in held.withLock({ $0.values }) { lease.news.end() } }
    return .nothing
  }

  /// Stops the work of leases that have expired according to the local clock.
  private func watch() async -> Happening {
    while !Task.isCancelled {
      try? await Task.sleep(for: settings.lease / 20)
      for lease in held.withLock({ $0.values }) { lease.expire() }
    }
    return .nothing
  }

  private func claim(_ start: Position) async -> Happening {
    let began = ContinuousClock.now
    do {
      let share = try await settings.checkpoints.claim(
        LeaseClaim(
          settings.id, worker: id, partitions: settings.partitions, duration: settings.lease, start: start))
      let states = try await settings.checkpoints.states(ofFollowersNamed: settings.id.name)
      return .claimed(.success((share, states)), began: began)
    } catch { return .claimed(.failure(error), began: began) }
  }

  private func wait(_ group: inout ThrowingTaskGroup<Happening, any Error>) {
    let hasAll = held.withLock { $0.count } == settings.partitions
    // A worker without all partitions claims often, so that it soon acquires released leases.
    let often: Duration = end == nil ? .seconds(1) : .milliseconds(100)
    let interval = hasAll && end == nil ? settings.lease / 3 : min(settings.lease / 3, often)
    group.addTask { [pause] in
      await pause.wait(for: interval)
      return .due
    }
  }

  /// True if all partitions have reached the worker's end position.
  private func isDone(_ states: [FollowerState]) -> Bool {
    guard let end, let own = states.first(where: { $0.follower == settings.id }) else { return false }
    return own.position >= end && !own.quarantine.contains { $0.isResumed }
  }

  /// Applies the store's response, and returns the new leases.
  private func take(
    _ share: LeaseShare, _ states: [FollowerState], until deadline: ContinuousClock.Instant
  ) -> [HeldLease] {
    let (new, lost, excess) = held.withLock { held in
      var (new, lost): ([HeldLease], [HeldLease]) = ([], [])
      for lease in share.leases where !hasEnded(lease) {
        if let known = held[lease.partition] {
          if known.lease.fence == lease.fence { known.prolong(until: deadline, states) } else { lost.append(known) }
        } else {
          let one = HeldLease(lease, until: deadline, states)
          held[lease.partition] = one
          new.append(one)
        }
      }
      let named = Set(share.leases.map(\.partition))
      lost += held.filter { !named.contains($0.key) }.map(\.value)
      let count = held.count - lost.count
      let excess = held.values.sorted { $0.lease.partition > $1.lease.partition }
        .filter { one in !lost.contains { $0 === one } && !new.contains { $0 === one } }
        .prefix(max(0, count - share.quota))
      return (new, lost, excess)
    }
    for lease in lost { lease.end() }
    for lease in excess { lease.giveUp() }
    return new
  }

  private func work(on lease: HeldLease) async throws {
    var work = try PartitionWork(lease, settings, pages, turn, end: end, stops)
    try await work.run { [pause] in pause.end() }
    // An error doesn't matter, because another worker already has the partition, or gets it when the lease expires.
    _ = try? await settings.checkpoints.release(lease.lease)
  }

  private func hasEnded(_ lease: FollowerLease) -> Bool {
    ended.withLock { $0[lease.partition] ?? -1 >= lease.fence }
  }

  private func release(_ lease: HeldLease) {
    ended.withLock { $0[lease.lease.partition] = lease.lease.fence }
    held.withLock { held in if held[lease.lease.partition] === lease { held[lease.lease.partition] = nil } }
    pause.end()
  }
}
