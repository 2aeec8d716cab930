import Dispatch
import Synchronization

/// The jobs of one command that runs at the same time as others.
///
/// A task that prefers it runs here, with its child tasks and the actors that they call. So a command's parts, from one
/// `await` to the next, wait here until it is their turn.
final class Lane: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var isDone = false
  }

  private let state = Mutex(State())
  /// Signalled when there is a job more, or when the command is done.
  private let news: DispatchSemaphore

  init(_ news: DispatchSemaphore) { self.news = news }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
    news.signal()
  }

  /// How many jobs could run now.
  var ready: Int { state.withLock { $0.jobs.count } }

  /// True if the command has ended.
  var isDone: Bool { state.withLock { $0.isDone } }

  /// The command has ended.
  func end() {
    state.withLock { $0.isDone = true }
    news.signal()
  }

  /// Runs a job on the calling thread, up to its next wait.
  ///
  /// - Parameter index: Which of those that are ready.
  func run(_ index: Int) {
    let job = state.withLock { $0.jobs.remove(at: index) }
    job.runSynchronously(on: asUnownedTaskExecutor())
  }
}

/// The order in which the parts of several commands have run.
struct Schedule: Sendable {
  /// The lanes, one after the other, and how many parts ran each time.
  private(set) var turns: [(lane: Int, parts: Int)] = []
  /// The number of the first and of the last part of each lane; nil if it had none.
  private(set) var ranges: [ClosedRange<Int>?]
  private(set) var count = 0
  /// True if the commands wait, and nothing comes.
  var isStuck = false

  init(lanes: Int) { ranges = Array(repeating: nil, count: lanes) }

  /// A part of a lane has run.
  mutating func add(_ lane: Int) {
    if turns.last?.lane == lane { turns[turns.count - 1].parts += 1 } else { turns.append((lane, 1)) }
    ranges[lane] = (ranges[lane]?.lowerBound ?? count)...count
    count += 1
  }

  /// The orders of the commands that their times allow: one that ended before another began comes before it.
  ///
  /// Herlihy and Wing, "Linearizability", 1990.
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

  /// The turns as text: `1×2 2×4 1×3`.
  var text: String { turns.map { "\($0.lane + 1)×\($0.parts)" }.joined(separator: " ") }

  /// Runs the jobs of lanes on the calling thread, one at a time, until all commands have ended.
  ///
  /// A lane goes on until it waits or ends, but for the changes. A change says after which part of all it comes. So the
  /// others stay where they are when shrinking leaves one out.
  ///
  /// - Parameters:
  ///   - lanes: The lanes.
  ///   - news: What their jobs signal.
  ///   - patience: How long it waits for a job.
  ///   - changes: Where another job than the next one of the lane comes.
  /// - Returns: What ran when. If the patience is over, it returns and the commands stay where they are.
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
        if news.wait(timeout: .now() + patience) == .timedOut {
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

  /// A place where another job than the next one comes.
  struct Change: Sendable {
    /// How many parts have run before.
    var part: Int
    /// Which of the others, counted from the lane that ran last and round.
    var to: Int

    /// A few places, most of them early.
    ///
    /// A mistake that takes few changes is found by few changes at random places: Burckhardt and others, "A Randomized
    /// Scheduler with Probabilistic Guarantees of Finding Bugs", 2010.
    static var some: Generator<[Change]> {
      let change = Generator { draw in
        let part = try draw.choose(through: 254) { ($0.next(below: 1 << (1 + $0.next(below: 7)))) }
        return Change(part: 1 + Int(part), to: Int(try draw.choose(through: 7) { $0.next(below: 8) }))
      }
      return .array(of: change, count: 0...6)
    }
  }
}
