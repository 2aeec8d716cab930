extension FetchedResultsController {
  /// The weakly held delegate that is notified of changes.
  ///
  /// Setting this property calls no method of the delegate. A delegate that is deallocated, or that is replaced inside
  /// a callback, receives no further calls for the current batch.
  public var delegate: (any FetchedResultsControllerDelegate<Row>)? {
    get { use { currentDelegate } }
    set {
      use {
        if newValue !== currentDelegate { delegateNumber += 1 }
        currentDelegate = newValue
      }
    }
  }

  /// The kinds of moves that the delegate receives as moves, by default row moves, as in Core Data.
  ///
  /// Remove the kinds that your delegate doesn't handle. The delegate then receives a move of a removed kind as a
  /// deletion and an insertion.
  public var reportedMoves: MoveReporting {
    get { use { moves } }
    set { use { moves = newValue } }
  }

  /// The changes of the list after this call, as an asynchronous sequence.
  ///
  /// First read ``results`` in the same isolation, because the first change starts from that list. Every call creates a
  /// sequence for one reader. A slow reader gets all missed changes as one exact change.
  public var changes: ChangeSequence<Row> {
    use {
      let subscription = ChangeSubscription(knowing: shown)
      subscriptions.append(WeakSubscription(value: subscription))
      return ChangeSequence(subscription: subscription)
    }
  }

  /// Calls a closure with every batch, in the controller's isolation and after the delegate's methods.
  ///
  /// - Parameter body: A closure that receives the changes. At the time of the call, the controller already shows the
  ///   new list.
  /// - Returns: The observation. It ends when it is cancelled or deinitialized.
  public func observe(_ body: @escaping (Changes<Row>) -> Void) -> ChangeObservation {
    use {
      nextObserver += 1
      let number = nextObserver
      observers.append(Observer(number: number, known: shown, body: body))
      return ChangeObservation { [weak self] in
        guard let self else { return }
        self.use { self.observers.removeAll { $0.number == number } }
      }
    }
  }

  /// True between ``suspendDelivery()`` and ``resumeDelivery()``.
  public var isDeliverySuspended: Bool { use { isSuspended } }

  /// Pauses the delivery of changes, so that the list doesn't change, for example while a user edits a row.
  ///
  /// While delivery is paused, you can execute commands as usual.
  public func suspendDelivery() {
    use { (isSuspended, listJob) = (true, nil) }
  }

  /// Resumes delivery, and delivers all changes since the suspension as one batch.
  public func resumeDelivery() {
    use {
      guard isSuspended else { return }
      isSuspended = false
      if phase.hasFetched { group.deliver(only: self) }
    }
  }
}

/// An observation of a controller's changes, active until it is cancelled or deinitialized.
///
/// Use an observation in the isolation of its controller.
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
