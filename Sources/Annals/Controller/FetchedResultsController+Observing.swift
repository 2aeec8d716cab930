extension FetchedResultsController {
  /// The delegate that is notified of changes to the list.
  ///
  /// The controller has only a weak reference to the delegate. Setting this property doesn't call any method of the
  /// delegate. If the delegate is replaced or deallocated inside a callback, the rest of the current batch isn't
  /// delivered to any delegate.
  public var delegate: (any FetchedResultsControllerDelegate<Row>)? {
    get { use { audience.delegate } }
    set { use { audience.delegate = newValue } }
  }

  /// The kinds of moves that the delegate receives as moves.
  ///
  /// The default, as in Core Data, is moves of rows. If a kind isn't in this set, the delegate receives its moves as
  /// deletions and insertions. Remove the kinds that your delegate doesn't handle.
  public var reportedMoves: MoveReporting {
    get { use { audience.moves } }
    set { use { audience.moves = newValue } }
  }

  /// An asynchronous sequence of all later changes to the list.
  ///
  /// The first element describes the changes from the present ``results``. So read `results` in the same isolation,
  /// immediately before you access this property. Every access creates a new sequence, for a single reader. If the list
  /// changes several times before the reader requests the next element, that element combines all these changes.
  public var changes: ChangeSequence<Row> {
    use { ChangeSequence(subscription: audience.subscribe(knowing: presentation.shown)) }
  }

  /// Calls a closure with every batch of changes to the list.
  ///
  /// The closure runs in the controller's isolation, after the delegate's methods.
  ///
  /// - Parameter body: A closure that receives the changes. When it is called, the controller already shows the new
  ///   list.
  /// - Returns: The observation. It ends when it is cancelled or deinitialized.
  public func observe(_ body: @escaping (Changes<Row>) -> Void) -> ChangeObservation {
    use {
      let number = audience.addObserver(knowing: presentation.shown, body)
      return ChangeObservation { [weak self] in
        guard let self else { return }
        self.use { self.audience.removeObserver(number) }
      }
    }
  }

  /// True between ``suspendDelivery()`` and ``resumeDelivery()``.
  public var isDeliverySuspended: Bool { use { audience.isSuspended } }

  /// Pauses the delivery of changes, so that the list doesn't change, for example while a user edits a row.
  ///
  /// While delivery is paused, you can execute commands as usual.
  public func suspendDelivery() {
    use {
      audience.isSuspended = true
      source.dropJob()
    }
  }

  /// Resumes the delivery of changes, and delivers all changes since the suspension as one batch.
  public func resumeDelivery() {
    use {
      guard audience.isSuspended else { return }
      audience.isSuspended = false
      if phase.hasFetched { group.deliver(only: self) }
    }
  }
}

/// An observation of a controller's changes, active until it is cancelled or deinitialized.
///
/// Use an observation only in its controller's isolation.
///
///     let observation = controller.observe { changes in print(changes.rows) }
///     observation.cancel()
public final class ChangeObservation {
  private var end: (() -> Void)?

  init(_ end: @escaping () -> Void) {
    self.end = end
  }

  /// Ends the observation immediately, even inside a callback.
  public func cancel() {
    end?()
    end = nil
  }

  deinit { cancel() }
}
