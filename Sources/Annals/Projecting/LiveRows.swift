/// The rows of a projection at the live end of a log, folded once for all timelines that share them.
///
/// It is not safe to share between isolations: `DeliveryGroup` gives it to controllers of one isolation only. The last
/// timeline to go lets it go.
final class LiveRows<Row: Annals.Row> {
  /// The rows, as far as they have been folded; while a job has them, asking for them waits for it.
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
  /// The pages that the rows were saved on, without a copy of the rows.
  var origin: TreePages? {
    takeBack()
    return settled.rows.entries.origin
  }
  /// What works on the rows in another thread; nil while they are here.
  private(set) var job: RowsJob<Row>?
  /// What a long fetch is at, slice by slice; the state is settled once it is nil.
  var openRun: Timeline<Row>.OpenRun?
  /// The revision of the log that the rows were made from; nil before anything was read.
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
  /// The rows at earlier positions, in order, to fold them again from there when later events are others.
  ///
  /// In a branch that is where it leaves its base, or before that. In a log that something can be erased from they are
  /// the last few of `RefoldMarks`.
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
  /// What the rows are made by, once others may find them; nil before.
  var key: ProjectionKey?
  /// What saves lists of the rows, also while it is still at work for a controller that is gone: the nodes of a tree
  /// say for one cache where they are saved.
  weak var saver: AnyObject?

  private struct User {
    weak var timeline: Timeline<Row>?
  }

  private var users: [User] = []
  /// True once a timeline of these rows has noted when sections first appeared.
  ///
  /// Only then all of them are asked for it: twenty weak references were a twentieth of a delivery.
  var isTracked = false

  init(_ state: Timeline<Row>.State) { settled = state }

  /// Lets a job have the rows.
  ///
  /// - Parameter timeline: One that has the rows.
  /// - Returns: The job, which must be run; the one that has the rows already, if there is one.
  func lend(from timeline: Timeline<Row>) -> RowsJob<Row> {
    if let job { return job }
    precondition(openRun == nil, "rows are lent that are folded slice by slice")
    let job = RowsJob(self, timeline)
    self.job = job
    return job
  }

  /// Waits for the job that has the rows, if there is one, and takes them with what it made of them.
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

  /// True if one timeline at most has the rows.
  ///
  /// - Complexity: O(1), beside those that are gone since it was asked last.
  var isAlone: Bool {
    if users.count < 2 { return true }
    if users[0].timeline != nil, users[1].timeline != nil { return false }
    users.removeAll { $0.timeline == nil }
    return users.count < 2
  }

  /// The timelines that have the rows.
  ///
  /// A closure and not a key path, which generic code makes again at each use: that was an eighth of a delivery.
  var timelines: [Timeline<Row>] { users.compactMap { $0.timeline } }

  /// Notes when sections first appeared, for all timelines that ask for it.
  var watch: EventRun<Row>.Watch {
    guard isTracked else { return .init() }
    let notes = timelines.compactMap { $0.watch.note }
    guard let first = notes.first else { return .init() }
    if notes.count == 1 { return .init(note: first) }
    return .init(note: { position, rows in
      for note in notes { note(position, rows) }
    })
  }

  /// Ends what is folded slice by slice; what was folded stays.
  func endSlices() {
    guard let open = openRun else { return }
    open.run.stop()
    openRun = nil
    state.rows.settle()
  }
}
