import Dispatch
import Synchronization

/// An executor for the jobs of a command that runs at the same time as other commands.
///
/// It is the preferred executor of the command's task, its child tasks, and the actors that these tasks call. A
/// command's part is the code from one `await` to the next. The parts wait in the lane for their turn.
final class Lane: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var isDone = false
  }

  private let state = Mutex(State())
  /// Signaled when a job is added, or when the command has ended.
  private let news: DispatchSemaphore

  init(_ news: DispatchSemaphore) { self.news = news }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
    news.signal()
  }

  /// The number of jobs that are ready to run.
  var ready: Int { state.withLock { $0.jobs.count } }

  /// Whether the command has ended.
  var isDone: Bool { state.withLock { $0.isDone } }

  /// Marks the command as ended.
  func end() {
    state.withLock { $0.isDone = true }
    news.signal()
  }

  /// Runs a job on the calling thread until its next suspension.
  ///
  /// - Parameter index: The index among the ready jobs.
  func run(_ index: Int) {
    let job = state.withLock { $0.jobs.remove(at: index) }
    job.runSynchronously(on: asUnownedTaskExecutor())
  }
}

/// The order in which the parts of several commands ran.
struct Schedule: Sendable {
  /// The sequence of lanes, with the number of consecutive parts.
  private(set) var turns: [(lane: Int, parts: Int)] = []
  /// The numbers of the first and last part of every lane, or `nil` if the lane has no parts.
  private(set) var ranges: [ClosedRange<Int>?]
  private(set) var count = 0
  /// Whether commands are waiting, but no job arrived in time.
  var isStuck = false

  init(lanes: Int) { ranges = Array(repeating: nil, count: lanes) }

  /// Records that a part of a lane ran.
  mutating func add(_ lane: Int) {
    if turns.last?.lane == lane { turns[turns.count - 1].parts += 1 } else { turns.append((lane, 1)) }
    ranges[lane] = (ranges[lane]?.lowerBound ?? count)...count
    count += 1
  }

  /// The orders of the commands that are consistent with their times: if a command ended before another command began,
  /// the first command precedes the other command.
  ///
  /// Source: Herlihy and Wing, "Linearizability", 1990.
  var orders: [[Int]] {
    func extend(_ order: [Int]) -> [[Int]] {
      if order.count == ranges.count { return [order] }
      return ranges.indices.filter { next in
        !order.contains(next)
          && ranges.indices.allSatisfy { other in
            order.contains(other) || other == next || !isBefore(other, next)
          }
      }.flatMap { extend(order + [$0]) }
    }
    return extend([])
  }

  private func isBefore(_ one: Int, _ other: Int) -> Bool {
    guard let one = ranges[one], let other = ranges[other] else { return false }
    return one.upperBound < other.lowerBound
  }

  /// The turns as text, for example `1×2 2×4 1×3`.
  var text: String { turns.map { "\($0.lane + 1)×\($0.parts)" }.joined(separator: " ") }

  /// Runs the jobs of lanes on the calling thread, one at a time, until all commands have ended.
  ///
  /// A lane continues until it waits or ends, except at the changes. A change is identified by the total number of
  /// parts before it, so shrinking can remove a change without moving other changes.
  ///
  /// - Parameters:
  ///   - lanes: The lanes.
  ///   - news: The semaphore that the lanes signal.
  ///   - patience: The maximum time to wait for a job.
  ///   - changes: The places where another job runs instead of the lane's next job.
  /// - Returns: The schedule. If no job arrived in time, some commands are unfinished.
  static func run(
    _ lanes: [Lane], _ news: DispatchSemaphore, patience: DispatchTimeInterval, changes: [Change]
  ) -> Schedule {
    var schedule = Schedule(lanes: lanes.count)
    while true {
      let last = schedule.turns.last?.lane ?? 0
      let order = lanes.indices.map { (last + $0) % lanes.count }
      let ready = order.flatMap { lane in (0..<lanes[lane].ready).map { (lane: lane, job: $0) } }
      guard ready.count > 0 else {
        if lanes.allSatisfy(\.isDone) { return schedule }
        if news.wait(timeout: .now() + patience) == .timedOut, !arrivesLate(news, patience) {
          schedule.isStuck = true
          return schedule
        }
        continue
      }
      let change = ready.count == 1 ? nil : changes.first { $0.part == schedule.count }
      let next = ready[change.map { 1 + $0.to % (ready.count - 1) } ?? 0]
      schedule.add(next.lane)
      lanes[next.lane].run(next.job)
    }
  }

  /// Returns true if a job arrives after Swift's concurrency pool has executed the work that was waiting for a thread.
  ///
  /// On a full machine, the work that a command awaits can wait for a thread for longer than the patience.
  private static func arrivesLate(_ news: DispatchSemaphore, _ patience: DispatchTimeInterval) -> Bool {
    let pool = DispatchSemaphore(value: 0)
    Task.detached { pool.signal() }
    // If commands block all threads of the pool, it never executes the task.
    return pool.wait(timeout: .now() + .seconds(600)) == .success && news.wait(timeout: .now() + patience) == .success
  }

  /// A place where another job runs instead of the next job.
  struct Change: Sendable {
    /// The number of parts that run before the change.
    var part: Int
    /// The index among the other jobs, counting cyclically from the lane that ran last.
    var to: Int

    /// A generator of a few changes, most of which are early.
    ///
    /// A few changes at random places find an error that needs only a few changes. See Burckhardt and others, "A
    /// Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", 2010.
    static var some: Generator<[Change]> {
      let change = Generator { draw in
        let part = try draw.choose(through: 254) { ($0.next(below: 1 << (1 + $0.next(below: 7)))) }
        return Change(part: 1 + Int(part), to: Int(try draw.choose(through: 7) { $0.next(below: 8) }))
      }
      return .array(of: change, count: 0...6)
    }
  }
}
