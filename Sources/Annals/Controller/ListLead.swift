import AnnalsLog

/// The state of the first controller with a request before a delivery, and the batch that it prepared.
///
/// Another controller in the same state would prepare the same batch, so it only takes the batch over.
final class ListLead<Row: Annals.Row> {
  let prepared: PreparedRequest
  private let rows: LiveRows<Row>
  private let shown: ListStorage
  private let position: Position
  private let followed: Position
  private let revision: LogRevision?
  /// The prepared batch, or `nil` before the list is prepared.
  private(set) var batch: ListPresentation<Row>.Batch?

  /// Records the state of a controller that has nothing else to do than to follow the log.
  init(_ controller: FetchedResultsController<Row>) {
    let (source, presentation) = (controller.source, controller.presentation)
    prepared = presentation.prepared
    rows = source.timeline.shared
    shown = presentation.shown.storage
    position = presentation.shown.position
    followed = source.followed
    revision = source.listRevision
  }

  /// Returns true if another controller that only follows the log is in the same state as the first one was.
  func fits(_ controller: FetchedResultsController<Row>) -> Bool {
    let (source, presentation) = (controller.source, controller.presentation)
    return shown === presentation.shown.storage && position == presentation.shown.position
      && prepared === presentation.prepared && rows === source.timeline.shared && followed == source.followed
      && revision == source.listRevision
  }

  /// Stores the batch that the controller has prepared, or returns false if events weren't its only cause.
  func complete(by controller: FetchedResultsController<Row>) -> Bool {
    guard let batch = controller.presentation.batch, batch.cause == .events, controller.newFailure == nil,
      controller.lastFailure == nil, controller.phase == .showing(isStopped: false),
      controller.source.listRevision == revision, !controller.isLost
    else { return false }
    self.batch = batch
    return true
  }
}
