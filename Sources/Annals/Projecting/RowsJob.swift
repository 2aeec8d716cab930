import AnnalsLog
import Foundation

/// A job that works on rows in a separate thread: it folds events, and builds lists from the rows.
///
/// No other code uses the rows during the job, because `LiveRows` traps if the rows are used before they are taken
/// back. So the job may write keys into rows, like code in the rows' isolation.
///
/// `@unchecked Sendable`: before the job runs, only code in the rows' isolation accesses lent and created values. While
/// the job runs, only its thread accesses them. After `condition` signals the end, only code in the rows' isolation
/// accesses them.
final class RowsJob<Row: Annals.Row>: AnyRowsJob, @unchecked Sendable {
  /// A timeline whose request needs the first appearances of sections, and the timeline that records them in the job.
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
  ///   - timeline: A timeline that uses the rows.
  init(_ rows: LiveRows<Row>, _ timeline: Timeline<Row>) {
    isAlone = rows.isAlone
    let copy = LiveRows(rows.here)
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

  /// Returns the lent rows.
  ///
  /// Call this method once, when the job is done.
  func giveBack() -> LiveRows<Row>.Content {
    defer { rows.here = LiveRows.Content(state: timeline.empty) }
    return rows.here
  }

  /// The recorded section appearances, when the job is done.
  var sections: [(timeline: Timeline<Row>, sections: SectionAppearances<Row>)] {
    trackers.compactMap { tracker in tracker.timeline.map { ($0, tracker.twin.sections) } }
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
    // If folding failed, code in the rows' isolation finds the reason and the list to show.
    if failure == nil {
      Parallel.$leavesCore.withValue(true) {
        var first: [ObjectIdentifier: ListJob<Row>] = [:]
        for (list, twin) in lists {
          let request = ObjectIdentifier(list.prepared)
          list.make(
            of: rows, twin?.appearances ?? [:], isAlone: isAlone, after: twin == nil ? first[request] : nil)
          first[request] = first[request] ?? list
        }
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

  /// Ends folding after the current transaction, and keeps the rows folded so far.
  func cancel() {
    condition.lock()
    isCancelled = true
    condition.unlock()
  }
}

/// Work on rows of any type.
protocol AnyRowsJob: AnyObject, Sendable {
  /// Folds events up to a position and builds the lists.
  ///
  /// This method is called once, on the job's thread.
  ///
  /// - Parameters:
  ///   - end: The position.
  ///   - progress: A closure that is called every few thousand events with the reached position.
  func run(through end: Position, progress: (Position) -> Void)

  /// True once the job is done.
  var isDone: Bool { get }

  /// Waits until the job is done.
  func done(isolation: isolated (any Actor)?) async
}
