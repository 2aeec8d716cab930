/// The rows of a projection at the live end of a log, folded once for all timelines that share them.
///
/// It is not safe to share between isolations: `DeliveryGroup` gives it to controllers of one isolation only. The last
/// timeline to go lets it go.
final class LiveRows<Row: Annals.Row> {
  /// The rows, as far as they have been folded.
  var state: Timeline<Row>.State
  /// What a long fetch is at, slice by slice; the state is settled once it is nil.
  var openRun: Timeline<Row>.OpenRun?
  /// The revision of the log that the rows were made from; nil before anything was read.
  var revision: LogRevision?
  /// What the rows are made by, once others may find them; nil before.
  var key: ProjectionKey?
  /// What saves lists of the rows, also while it is still at work for a controller that is gone: the nodes of a tree
  /// say for one cache where they are saved.
  weak var saver: AnyObject?

  private struct User {
    weak var timeline: Timeline<Row>?
  }

  private var users: [User] = []

  init(_ state: Timeline<Row>.State) { self.state = state }

  func join(_ timeline: Timeline<Row>) {
    users.removeAll { $0.timeline == nil }
    users.append(User(timeline: timeline))
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
  var timelines: [Timeline<Row>] { users.compactMap(\.timeline) }

  /// Notes when sections first appeared, for all timelines that ask for it.
  var watch: EventRun<Row>.Watch {
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
