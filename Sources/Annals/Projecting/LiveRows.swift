import AnnalsLog

/// The rows of a projection at the log's end (the live end), folded once for all timelines that share them.
///
/// The object must not be shared between isolations, so `DeliveryGroup` provides it only to controllers of one
/// isolation. It is deinitialized with its last timeline.
final class LiveRows<Row: Annals.Row> {
  /// The rows, with the data that a job receives and returns together with them.
  struct Content {
    var state: Timeline<Row>.State
    var revision: LogRevision?
    var anchors: [Timeline<Row>.State] = []
  }

  private var content: Content
  /// The job that uses the rows on another thread, or `nil`.
  private(set) var job: RowsJob<Row>?
  /// The state of a long fetch in slices, or `nil`.
  ///
  /// At the fetch's end, the rows are settled and this property becomes `nil`.
  var openRun: Timeline<Row>.OpenRun?
  /// The log revision that the rows were built from, or `nil` before the first read.
  var revision: LogRevision? {
    get {
      checkIsHere()
      return content.revision
    }
    set {
      checkIsHere()
      content.revision = newValue
    }
  }
  /// The rows at a few earlier positions, in order.
  ///
  /// If later events change, only the events after such a position are refolded.
  ///
  /// In a branch, the position is the branch's fork point or an earlier position. In a log with erasable data, the
  /// positions are the last few `RefoldMarks`.
  var anchors: [Timeline<Row>.State] {
    get {
      checkIsHere()
      return content.anchors
    }
    set {
      checkIsHere()
      content.anchors = newValue
    }
  }
  /// The key by which other controllers can find the rows, or `nil` while the rows aren't offered to other controllers.
  var key: ProjectionKey?
  /// The only object that saves lists of the rows.
  ///
  /// It can outlive its controller while it completes a save.
  ///
  /// There is only one such object, because a tree's nodes can store their saved place for only one cache.
  weak var saver: AnyObject?
  /// The latest lists of the rows.
  var lists = SharedLists()

  private struct User {
    weak var timeline: Timeline<Row>?
  }

  private var users: [User] = []
  /// True once a timeline of these rows has recorded first appearances of sections.
  ///
  /// While it is false, the timelines aren't checked, because reading twenty weak references took five percent of a
  /// delivery.
  var isTracked = false

  init(_ content: Content) { self.content = content }

  /// The rows, which must not be read or changed while a job has them: call ``takeBack()`` first.
  var here: Content {
    get {
      checkIsHere()
      return content
    }
    set {
      checkIsHere()
      content = newValue
    }
  }

  private func checkIsHere() {
    precondition(job == nil, "rows were read or changed while they belonged to a background job. Please report this")
  }

  /// The folded rows.
  var state: Timeline<Row>.State {
    _read {
      checkIsHere()
      yield content.state
    }
    _modify {
      checkIsHere()
      yield &content.state
    }
  }

  /// The saved pages that contain the rows, or `nil`.
  ///
  /// This property doesn't copy the rows.
  var origin: TreePages? {
    checkIsHere()
    return content.state.rows.entries.origin
  }

  /// Lends the rows to a job.
  ///
  /// - Parameter timeline: A timeline that uses the rows.
  /// - Returns: The job, which must be run, or the job that already uses the rows.
  func lend(from timeline: Timeline<Row>) -> RowsJob<Row> {
    if let job { return job }
    precondition(
      openRun == nil, "a background job requested rows before all events were applied to them. Please report this")
    let job = RowsJob(self, timeline)
    self.job = job
    return job
  }

  /// Waits for the job that uses the rows, and stores the rows and the job's results in this object.
  func takeBack() {
    guard let job else { return }
    job.wait()
    self.job = nil
    let former = content.revision
    content = job.giveBack()
    if content.revision != former { for timeline in timelines { timeline.forget() } }
    for (timeline, sections) in job.sections { timeline.take(sections) }
  }

  func join(_ timeline: Timeline<Row>) {
    users.removeAll { $0.timeline == nil }
    users.append(User(timeline: timeline))
    if timeline.sections.key != nil { isTracked = true }
  }

  func leave(_ timeline: Timeline<Row>) {
    users.removeAll { $0.timeline == nil || $0.timeline === timeline }
  }

  /// True if at most one timeline uses the rows, and no long fetch is in progress.
  var isIdle: Bool { openRun == nil && isAlone }

  /// True if at most one timeline uses the rows.
  ///
  /// - Complexity: O(1), plus the number of timelines deallocated since the last access.
  var isAlone: Bool {
    if users.count < 2 { return true }
    if users[0].timeline != nil, users[1].timeline != nil { return false }
    users.removeAll { $0.timeline == nil }
    return users.count < 2
  }

  /// The timelines that use the rows.
  ///
  /// The property uses a closure instead of a key path. Generic code would create the key path at every use, which took
  /// an eighth of a delivery.
  var timelines: [Timeline<Row>] { users.compactMap { $0.timeline } }

  /// The callbacks that record first appearances of sections, for all timelines that need them.
  var watch: EventRun<Row>.Watch {
    guard isTracked else { return .init() }
    let notes = timelines.compactMap { $0.watch.note }
    guard let first = notes.first else { return .init() }
    if notes.count == 1 { return .init(note: first) }
    return .init(note: { position, rows in
      for note in notes { note(position, rows) }
    })
  }

  /// Ends folding in slices, and keeps the rows folded so far.
  func endSlices() {
    guard let open = openRun else { return }
    open.run.stop()
    openRun = nil
    state.rows.settle()
  }
}
