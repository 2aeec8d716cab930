import Foundation

/// Work on rows in a thread of its own: events that are folded, and lists that are cut from the rows.
///
/// While it is under way no one else uses the rows: `LiveRows.state` waits for its end. So it may write keys into rows,
/// as their isolation may.
///
/// `@unchecked Sendable`: what is lent and made is touched by the isolation of the rows before the job is run, by the
/// job's thread while it runs, and by the isolation again once `condition` says that it is done.
final class RowsJob<Row: Annals.Row>: AnyRowsJob, @unchecked Sendable {
  /// A timeline whose requests ask when sections first appeared, and its twin here.
  private struct Tracker {
    weak var timeline: Timeline<Row>?
    let twin: Timeline<Row>
  }

  private let rows: LiveRows<Row>
  private let timeline: Timeline<Row>
  private let isAlone: Bool
  private let trackers: [Tracker]
  /// The lists that are cut, each with the timeline that notes its sections, if one does.
  private var lists: [(list: ListJob<Row>, twin: Timeline<Row>?)] = []
  /// Why the rows are not folded to the end that was asked for; nil if they are.
  private(set) var failure: (any Error)?
  private let condition = NSCondition()
  private var isFinished = false
  private var isCancelled = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// - Parameters:
  ///   - rows: The rows that are lent.
  ///   - timeline: One that has them.
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

  /// Lets the job cut a list too.
  ///
  /// - Parameters:
  ///   - list: The list.
  ///   - timeline: That of the list's controller.
  func add(_ list: ListJob<Row>, of timeline: Timeline<Row>) {
    lists.append((list, trackers.first { $0.timeline === timeline }?.twin))
  }

  /// What the job had of the isolation, and what it made of it; called once, when the job is done.
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
    // Where folding failed, the isolation finds out why, and what is to be shown.
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

  /// Waits for the end of the job and blocks the thread meanwhile.
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

  /// Ends folding after the transaction that is being folded; what was folded stays.
  func cancel() {
    condition.lock()
    isCancelled = true
    condition.unlock()
  }
}

/// Work on rows, whatever the rows are.
protocol AnyRowsJob: AnyObject, Sendable {
  /// Folds the rows up to a position, and cuts the lists; called once, on the thread of the job.
  ///
  /// - Parameters:
  ///   - end: The position.
  ///   - progress: Called every few thousand events with the position that was reached.
  func run(through end: Position, progress: (Position) -> Void)

  /// True once the job is done.
  var isDone: Bool { get }

  /// Waits for the end of the job.
  func done(isolation: isolated (any Actor)?) async
}
