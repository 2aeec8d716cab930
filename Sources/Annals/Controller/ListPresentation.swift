import AnnalsLog

/// The request and the shown list of a controller, and the list that it shows next.
final class ListPresentation<Row: Annals.Row> {
  /// The moment that the list shows: the log's end or a past position.
  enum Moment {
    case live
    case past(PastRows<Row>)
  }

  /// A list that is ready to be shown.
  struct Batch {
    let new: Results<Row>
    /// The changes from the shown list, or `nil` if they aren't needed or aren't computed yet.
    let changes: Changes<Row>?
    let cause: ChangeCause

    /// True unless the batch only moves the shown list to a later position.
    func isVisible(after shown: Results<Row>) -> Bool { changes != nil || new.storage !== shown.storage }
  }

  var request: ListRequest<Row> { didSet { prepared = group?.prepare(&request) ?? PreparedRequest(request) } }
  private(set) var prepared: PreparedRequest {
    didSet {
      prepared.addController()
      oldValue.removeController()
    }
  }
  /// The group whose controllers share lists, or `nil` if the list is saved, because its pages belong to one list.
  private let group: DeliveryGroup?
  /// The hidden sections, by sectioning.
  private var collapsedSections: [SectionCriterion: CollapsedSections] = [:]
  var shown: Results<Row>
  /// The shown moment, independent of the phase because you may seek before the first fetch.
  var moment = Moment.live
  var causes = PendingCauses()
  var batch: Batch?
  /// The rows at the last check that found the list unaffected by events, and the number of such checks since the list
  /// was built.
  ///
  /// The value is `nil` before the first such check.
  private var passed: (rows: SortedTree<ByID>, count: Int)?

  init(_ request: ListRequest<Row>, in group: DeliveryGroup?) {
    var request = request
    self.group = group
    prepared = group?.prepare(&request) ?? PreparedRequest(request)
    self.request = request
    var none = Rows<Row>()
    shown = Results(prepared, of: &none, at: 0, knowing: nil)
    prepared.addController()
  }

  deinit { prepared.removeController() }

  /// The hidden sections of the request's sectioning.
  var collapsed: CollapsedSections {
    get { collapsedSections.isEmpty ? .none : collapsedSections[request.criterion] ?? .none }
    set { collapsedSections[request.criterion] = newValue == .none ? nil : newValue }
  }

  var isLive: Bool { if case .live = moment { true } else { false } }

  /// True if a saved part of the shown list or of the past rows can neither be read nor rebuilt.
  var isLost: Bool {
    if shown.storage.isLost { return true }
    guard case .past(let rows) = moment else { return false }
    return rows.state.isLost
  }

  /// True if the shown list is the list of the present request.
  var showsRequest: Bool { shown.storage.prepared === prepared }

  /// True if the shown list is a whole list of the present request at the log's end.
  var isAtEnd: Bool { isLive && showsRequest && !isLost }

  /// True if the list has no reason to change, and doesn't need all rows in memory.
  ///
  /// A list with aggregates or a text index needs all rows, because both are built from all rows.
  var isSettled: Bool {
    isAtEnd && batch == nil && causes.next.isEmpty && prepared.aggregator == nil && prepared.textIndex == nil
  }

  /// Prepares the shown list for a later position, if new events don't affect it.
  ///
  /// For an event that doesn't affect the list, rebuilding the list only to find no change was half of the event's
  /// cost. After 64 such events the list is rebuilt anyway, because the next event that affects the list has to search
  /// all row changes since the last rebuild.
  ///
  /// - Parameter timeline: The timeline with the new events.
  /// - Returns: False if the list must be rebuilt.
  func passOver(in timeline: Timeline<Row>) -> Bool {
    guard causes.next == .events, isLive, showsRequest else { return false }
    let (rows, count) = passed ?? (shown.storage.list.ids, 0)
    guard count < 64, let now = timeline.passOver(shown.storage, since: rows) else { return false }
    passed = (now, count + 1)
    batch = Batch(new: Results(shown.storage, at: timeline.live.position), changes: nil, cause: causes.next)
    return true
  }

  /// Prepares the shown list for a later position, if another controller has found that new events don't affect it.
  ///
  /// - Parameter shared: The other controller's list.
  /// - Returns: False if the list isn't the shown list.
  func passOver(to shared: Results<Row>) -> Bool {
    guard causes.next == .events, isLive, shown.storage === shared.storage else { return false }
    batch = Batch(new: shared, changes: nil, cause: causes.next)
    return true
  }

  /// True if the list only has to follow the log, and other controllers may share it.
  ///
  /// The order of a section's first appearance is recorded for every controller.
  var mayShareBatch: Bool {
    isLive && showsRequest && causes == PendingCauses() && (collapsedSections.isEmpty || collapsed == .none)
      && !prepared.keyer.rules.isByAppearance
  }

  /// Prepares the batch of another controller that showed the same list, after new events.
  func take(_ other: Batch) {
    if other.new.storage !== shown.storage { passed = nil }
    causes.insert(.events)
    batch = other
  }

  /// Prepares a list.
  ///
  /// - Parameters:
  ///   - made: The list, with its changes if they are known.
  ///   - isObserved: True if changes are needed.
  ///   - pass: The delivery pass, in which the changes may already be known.
  func prepare(
    _ made: (list: Results<Row>, changes: Changes<Row>?), isObserved: Bool, in pass: DeliveryPass?
  ) {
    passed = nil
    let (new, cause) = (made.list, causes.next)
    guard isObserved else { return batch = Batch(new: new, changes: nil, cause: cause) }
    let changes =
      made.changes ?? pass?.changes(to: new, after: shown, cause: cause)
      ?? Changes(delivering: new, after: shown, cause: cause)
    batch = Batch(new: new, changes: changes.cause == cause ? changes : changes.because(of: cause), cause: cause)
  }

  /// Returns the list of past rows, or `nil` at the log's end.
  func pastList(in timeline: Timeline<Row>) -> (list: Results<Row>, changes: Changes<Row>?)? {
    guard case .past(let rows) = moment else { return nil }
    let position = rows.state.position
    // A list of another anchor shares no rows with these.
    let known = rows.state.anchor.map { shown.storage.origin === $0.origin ? shown : Results($0, at: position) }
    let list = Results(
      prepared, of: &rows.state.rows, at: position, appearances: timeline.appearances(through: position),
      // Other states of the past keep their entries, and the next step uses them to find rows that differ.
      knowing: known ?? shown, isAlone: false)
    return (list.collapsing(collapsed, knowing: shown), nil)
  }

  /// Removes the prepared batch, together with its causes.
  func takeBatch() -> Batch? {
    guard let batch else { return nil }
    self.batch = nil
    causes.take(batch.cause)
    return batch
  }

  /// Returns the changes of a batch, including the unreported causes of earlier batches.
  func changes(of batch: Batch) -> Changes<Row> {
    let changes = batch.changes ?? Changes(from: shown, to: batch.new, cause: batch.cause)
    if causes.unreported.isEmpty { return changes }
    return changes.because(of: changes.cause.union(causes.unreported))
  }
}

/// The rows at a past position.
///
/// A list adds keys to its rows, so the rows are in an object instead of a value.
final class PastRows<Row: Annals.Row> {
  fileprivate(set) var state: Timeline<Row>.State

  init(_ state: Timeline<Row>.State) { self.state = state }
}
