import Foundation

/// Work on rows in a separate thread: events to fold, and lists to build from the rows.
///
/// During the work no other code uses the rows, because `LiveRows.state` waits for its end. So the job may write keys
/// into rows, like their isolation.
///
/// `@unchecked Sendable`: lent and created values are accessed by the isolation of the rows before the job runs, and
/// by the job's thread while it runs. After `condition` signals the end, they are accessed by the isolation.
final class RowsJob<Row: Annals.Row>: AnyRowsJob, @unchecked Sendable {
  /// A timeline whose requests need first appearances of sections, and its counterpart in the job.
  private struct Tracker {
    weak var timeline: Timeline<Row>?
    let twin: Timeline<Row>
  }

  private let rows: LiveRows<Row>
  private let timeline: Timeline<Row>
  private let isAlone: Bool
  private let trackers: [Tracker]
  /// The lists to build, with the timelines that record their sections, if needed.
  private var lists: [(list: ListJob<Row>, twin: Timeline<Row>?)] = []
  /// The error that stopped folding before the requested end, or `nil`.
  private(set) var failure: (any Error)?
  private let condition = NSCondition()
  private var isFinished = false
  private var isCancelled = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// - Parameters:
  ///   - rows: The rows to lend.
  ///   - timeline: A timeline that has them.
  init(_ rows: LiveRows<Row>, _ timeline: Timeline<Row>) {
    isAlone = rows.isAlone
    let copy = LiveRows(rows.state)
    (copy.revision, copy.anchors) = (rows.revision, rows.anchors)
    self.rows = copy
    trackers = rows.timelines.filter { $0.sections.key != nil }.map {
      Tracker(timeline: $0, twin: Timeline(like: $0, copy))
    }
    self.timeline = trackers.first { $0.timeline === timeline }?.twin ?? Timeline(like: timeline, copy)
  }

  /// Adds a list to build.
  ///
  /// - Parameters:
  ///   - list: The list.
  ///   - timeline: The timeline of the list's controller.
  func add(_ list: ListJob<Row>, of timeline: Timeline<Row>) {
    lists.append((list, trackers.first { $0.timeline === timeline }?.twin))
  }

  /// Returns the lent values with the results, and is called once, when the job is done.
  func giveBack() -> (
    state: Timeline<Row>.State, revision: LogRevision?, anchors: [Timeline<Row>.State],
    sections: [(timeline: Timeline<Row>, sections: SectionAppearances<Row>)]
  ) {
    defer { (rows.state, rows.anchors) = (timeline.empty, []) }
    return (
      rows.state, rows.revision, rows.anchors,
      trackers.compactMap { tracker in tracker.timeline.map { ($0, tracker.twin.sections) } }
    )
  }

  func run(through end: Position, progress: (Position) -> Void) {
    do {
      try timeline.checkEventType()
      let start = rows.state.position
      var told = start
      try withoutActuallyEscaping(progress) { progress in
        try timeline.advance(through: end) { [self] reached in
          if reached.rawValue - told.rawValue >= 4_096 {
            told = reached
            progress(reached)
          }
          if wasCancelled { throw CancellationError() }
          return true
        }
        if rows.state.position > start { progress(rows.state.position) }
      }
    } catch {
      failure = error
    }
    // If folding failed, the isolation finds the reason and the list to show.
    if failure == nil {
      Parallel.$leavesCore.withValue(true) {
        for (list, twin) in lists { list.make(of: rows, twin?.appearances ?? [:], isAlone: isAlone) }
      }
    }
    finish()
  }

  private var wasCancelled: Bool {
    condition.lock()
    defer { condition.unlock() }
    return isCancelled
  }

  private func finish() {
    condition.lock()
    isFinished = true
    let waiting = waiting
    self.waiting = []
    condition.broadcast()
    condition.unlock()
    for continuation in waiting { continuation.resume() }
  }

  var isDone: Bool {
    condition.lock()
    defer { condition.unlock() }
    return isFinished
  }

  /// Blocks the thread until the job is done.
  func wait() {
    condition.lock()
    while !isFinished { condition.wait() }
    condition.unlock()
  }

  func done(isolation: isolated (any Actor)? = #isolation) async {
    await withCheckedContinuation { continuation in
      condition.lock()
      let isDone = isFinished
      if !isDone { waiting.append(continuation) }
      condition.unlock()
      if isDone { continuation.resume() }
    }
  }

  /// Ends folding after the current transaction, and keeps the folded events.
  func cancel() {
    condition.lock()
    isCancelled = true
    condition.unlock()
  }
}

/// Work on rows of any type.
protocol AnyRowsJob: AnyObject, Sendable {
  /// Folds the rows up to a position and builds the lists, called once on the job's thread.
  ///
  /// - Parameters:
  ///   - end: The position.
  ///   - progress: A closure that is called every few thousand events with the reached position.
  func run(through end: Position, progress: (Position) -> Void)

  /// True once the job is done.
  var isDone: Bool { get }

  /// Waits for the end of the job.
  func done(isolation: isolated (any Actor)?) async
}
