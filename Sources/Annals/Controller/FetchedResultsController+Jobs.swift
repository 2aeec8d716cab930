import AnnalsLog

extension FetchedResultsController {
  var lentTo: (any AnyRowsJob)? {
    guard phase.hasFetched, let job = timeline.shared.job, !job.isDone else { return nil }
    return job
  }

  var revision: LogRevision? { timeline.revision }

  var isFailing: Bool { lastFailure is EventStoreError }

  var mayLend: Bool {
    guard phase.hasFetched, !isSuspended || phase.isArriving, !phase.isStopped, case .live = moment else {
      return false
    }
    return !isLost
  }

  func checkOut() -> any AnyRowsJob { checkOutRows(cause: cause.union(.events)) }

  /// Lends the rows to a job that also builds the list of the current request.
  ///
  /// After this call the rows must not be read before the job has run.
  ///
  /// - Parameters:
  ///   - cause: The reasons for the coming change of the list.
  ///   - known: An existing list that probably shares most of its rows with the new list, by default the shown list.
  /// - Returns: The job, which must be run.
  func checkOutRows(cause: ChangeCause, knowing known: Results<Row>? = nil) -> RowsJob<Row> {
    let job = timeline.shared.checkOut(from: timeline)
    let list = ListJob(
      preparedRequest, collapsed: collapsed[wanted.criterion] ?? .none, from: shown, knowing: known ?? saved ?? shown,
      cause: isObserved || listener != nil ? cause : nil, readsRows: isObserved)
    job.add(list, of: timeline)
    listJob = list
    return job
  }

  /// Returns the list and the changes from a job, or `nil` if the job's list isn't the list that should be shown now.
  func takeMadeList() -> (list: Results<Row>, changes: Changes<Row>?)? {
    guard let made = currentMadeList, let listJob, made.list.position == timeline.live.position,
      listJob.shown.storage === shown.storage, listJob.collapsed == collapsed[wanted.criterion] ?? .none
    else { return nil }
    self.listJob = nil
    saved = nil
    if listCache != nil { listed = timeline.live }
    guard isObserved || listener != nil else { return (made.list, nil) }
    guard let changes = made.changes else {
      return (made.list, Changes(delivering: made.list, after: shown, cause: cause))
    }
    return (made.list, changes.cause == cause ? changes : changes.because(of: cause))
  }

  /// The job's list, if the list is for the current request and not later than the current position.
  var currentMadeList: ListJob<Row>.Made? {
    guard let listJob else { return nil }
    // The job is done after this call.
    timeline.shared.checkIn()
    guard case .live = moment, listJob.prepared === preparedRequest, let made = listJob.made,
      made.revision == timeline.revision, !made.list.storage.isLost
    else {
      self.listJob = nil
      return nil
    }
    return made
  }
}
