import AnnalsLog

extension FetchedResultsController {
  var lentTo: (any AnyRowsJob)? {
    guard phase.hasFetched, let job = source.rowsJob, !job.isDone else { return nil }
    return job
  }

  func takeBackRows() {
    // Otherwise the controller doesn't need the rows yet.
    if isDelivering || source.rowsJob?.isDone ?? false { source.takeBack() }
  }

  var revision: LogRevision? { source.timeline.revision }

  var isFailing: Bool { lastFailure is EventStoreError }

  var mayLend: Bool { isFollowing && !isLost }

  func lendRows() -> any AnyRowsJob { lendRows(because: presentation.causes.next.union(.events)) }

  /// Lends the rows to a job that also builds the list of the current request.
  ///
  /// After this call, the rows must not be read until the job has run.
  ///
  /// - Parameters:
  ///   - cause: The reasons for the next change of the list.
  ///   - known: An existing list that probably shares most of its rows with the new list, by default the shown list.
  /// - Returns: The job, which must be run.
  func lendRows(because cause: ChangeCause, knowing known: ListStorage? = nil) -> RowsJob<Row> {
    let shown = presentation.shown
    return source.lend(
      ListJob(
        presentation.prepared, collapsed: presentation.collapsed, from: shown,
        knowing: known ?? source.basis.saved ?? shown.storage, cause: needsChanges ? cause : nil,
        readsRows: audience.isObserved))
  }
}
