import AnnalsLog

/// A receiver of every list that a controller shows, including a list that differs only in its position.
package protocol ListWatcher<Row>: AnyObject {
  associatedtype Row: Annals.Row

  /// Receives the shown list, in the controller's isolation, after the delegate and the observers.
  ///
  /// - Parameters:
  ///   - list: The list. Several calls can have the same list.
  ///   - basis: The request and the erasures from which the list was made.
  ///   - failure: The error that prevents updates of the list, or `nil`.
  func watch(_ list: Results<Row>, of basis: WatchedBasis?, failure: (any Error)?)

  /// Receives a list that replaces an equal list, so that the memory of the equal list can be released.
  func replace(_ list: Results<Row>, by equal: Results<Row>)
}

/// The causes of a list other than the log's new events.
package struct WatchedBasis: Equatable, Sendable {
  /// The number of erasures in the log.
  package let erasures: Int?
  let request: PreparedRequest

  package static func == (one: WatchedBasis, other: WatchedBasis) -> Bool {
    one.erasures == other.erasures && one.request === other.request
  }
}

extension FetchedResultsController {
  /// Passes the shown list and every later list to a watcher.
  ///
  /// Before the first fetch has ended, the watcher receives no list.
  ///
  /// - Parameter watcher: The watcher.
  /// - Returns: The observation, which retains the controller. It ends when it is cancelled or deinitialized.
  package func watch(with watcher: some ListWatcher<Row>) -> ChangeObservation {
    use {
      audience.addWatcher(watcher)
      notifyWatchers()
      return ChangeObservation { self.use { self.audience.removeWatcher(watcher) } }
    }
  }

  /// Notifies the watchers of the shown list.
  func notifyWatchers() {
    guard audience.isWatched, phase.hasFetched, !phase.isArriving else { return }
    let basis = WatchedBasis(erasures: source.listRevision?.erasures, request: presentation.prepared)
    audience.notifyWatchers(of: presentation.shown, basis, failure: lastFailure)
  }
}
