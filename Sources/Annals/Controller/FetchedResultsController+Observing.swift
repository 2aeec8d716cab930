extension FetchedResultsController {
  /// Hears what changed; held weakly, and setting it fires nothing.
  ///
  /// A delegate that goes away, or is replaced inside a callback, hears no more of the batch that is being delivered.
  public var delegate: (any FetchedResultsControllerDelegate<Row>)? {
    get { use { currentDelegate } }
    set {
      use {
        if newValue !== currentDelegate { delegateNumber += 1 }
        currentDelegate = newValue
      }
    }
  }

  /// The moves that the delegate hears of as moves, by default those of rows, as with Core Data.
  ///
  /// Take out what the delegate does not handle: a move then comes as a deletion and an insertion.
  public var reportedMoves: ReportedMoves {
    get { use { moves } }
    set { use { moves = newValue } }
  }

  /// The changes of the list from now on.
  ///
  /// Read ``results`` in the same isolation first: the changes begin there. Each call makes a sequence for one reader,
  /// and a slow reader gets what it missed as one exact change.
  public var changes: ChangeSequence<Row> {
    use {
      let subscription = ChangeSubscription(knowing: shown)
      subscriptions.append(WeakSubscription(value: subscription))
      return ChangeSequence(subscription: subscription)
    }
  }

  /// Calls a closure with every batch, after the delegate, in the controller's isolation.
  ///
  /// - Parameter body: Called with what changed; the controller already shows the new list.
  /// - Returns: The observation, which lasts until it is cancelled or no longer held.
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

  /// Keeps the list as it is, say while a person edits a row; commands are executed all the same.
  public func suspendDelivery() {
    use { (isSuspended, listJob) = (true, nil) }
  }

  /// Lets the list change again: everything since it was suspended comes as one batch.
  public func resumeDelivery() {
    use {
      guard isSuspended else { return }
      isSuspended = false
      if phase.hasFetched { group.deliver(only: self) }
    }
  }
}

/// The observation of a controller's changes, which lasts until it is cancelled or no longer held.
///
/// Like its controller it is used in one isolation.
///
///     let observation = controller.observe { changes in print(changes.rows) }
///     observation.cancel()
public final class ChangeObservation {
  private var end: (() -> Void)?

  init(_ end: @escaping () -> Void) {
    self.end = end
  }

  /// Ends the observation; also inside a callback, and then at once.
  public func cancel() {
    end?()
    end = nil
  }

  deinit { cancel() }
}
