/// The rows of a projection at the live end of a log, folded once for all timelines that share them.
///
/// It must not be shared between isolations, so `DeliveryGroup` gives it to controllers of one isolation only. It is
/// deinitialized with its last timeline.
final class LiveRows<Row: Annals.Row> {
  /// The folded rows.
  ///
  /// If a job has them, access waits for the job.
  var state: Timeline<Row>.State {
    _read {
      takeBack()
      yield settled
    }
    _modify {
      takeBack()
      yield &settled
    }
  }
  private var settled: Timeline<Row>.State
  /// The pages that the rows were saved on, without copying the rows.
  var origin: TreePages? {
    takeBack()
    return settled.rows.entries.origin
  }
  /// The job that uses the rows on another thread, or `nil`.
  private(set) var job: RowsJob<Row>?
  /// The state of a long fetch in slices, after which the rows are settled and this is `nil`.
  var openRun: Timeline<Row>.OpenRun?
  /// The log revision that the rows were built from, or `nil` before the first read.
  var revision: LogRevision? {
    get {
      takeBack()
      return settledRevision
    }
    set {
      takeBack()
      settledRevision = newValue
    }
  }
  private var settledRevision: LogRevision?
  /// The rows at earlier positions, in order, for refolding from there after later events have changed.
  ///
  /// In a branch, this is its fork point or an earlier position. In a log with erasable data, these are the last few
  /// `RefoldMarks`.
  var anchors: [Timeline<Row>.State] {
    get {
      takeBack()
      return settledAnchors
    }
    set {
      takeBack()
      settledAnchors = newValue
    }
  }
  private var settledAnchors: [Timeline<Row>.State] = []
  /// The key that identifies the rows once other controllers may find them, or `nil`.
  var key: ProjectionKey?
  /// The saver of lists of the rows, even while it still works for a deallocated controller.
  ///
  /// The nodes of a tree store their saved place for one cache only.
  weak var saver: AnyObject?

  private struct User {
    weak var timeline: Timeline<Row>?
  }

  private var users: [User] = []
  /// True once a timeline of these rows has recorded first appearances of sections.
  ///
  /// Only then are all timelines checked, because reading twenty weak references took five percent of a delivery.
  var isTracked = false

  init(_ state: Timeline<Row>.State) { settled = state }

  /// Lends the rows to a job.
  ///
  /// - Parameter timeline: A timeline that has the rows.
  /// - Returns: The job, which must be run, or the job that already has the rows.
  func lend(from timeline: Timeline<Row>) -> RowsJob<Row> {
    if let job { return job }
    precondition(openRun == nil, "rows must not be lent while events are applied to them in slices")
    let job = RowsJob(self, timeline)
    self.job = job
    return job
  }

  /// Waits for a job that has the rows, and takes them back with its results.
  func takeBack() {
    guard let job else { return }
    job.wait()
    self.job = nil
    let made = job.giveBack()
    if made.revision != settledRevision { for timeline in timelines { timeline.forget() } }
    (settled, settledRevision, settledAnchors) = (made.state, made.revision, made.anchors)
    for (timeline, sections) in made.sections { timeline.take(sections) }
  }

  func join(_ timeline: Timeline<Row>) {
    users.removeAll { $0.timeline == nil }
    users.append(User(timeline: timeline))
    if timeline.sections.key != nil { isTracked = true }
  }

  func leave(_ timeline: Timeline<Row>) {
    users.removeAll { $0.timeline == nil || $0.timeline === timeline }
  }

  /// True if at most one timeline has the rows.
  ///
  /// - Complexity: O(1), plus the number of timelines deallocated since the last access.
  var isAlone: Bool {
    if users.count < 2 { return true }
    if users[0].timeline != nil, users[1].timeline != nil { return false }
    users.removeAll { $0.timeline == nil }
    return users.count < 2
  }

  /// The timelines that have the rows.
  ///
  /// It uses a closure, because generic code would create a key path at every use: that took an eighth of a delivery.
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

  /// Ends folding in slices, and keeps the folded events.
  func endSlices() {
    guard let open = openRun else { return }
    open.run.stop()
    openRun = nil
    state.rows.settle()
  }
}
