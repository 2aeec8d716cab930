public import Foundation

/// A list that a controller keeps current, whatever its rows are.
///
/// Every ``FetchedResultsController`` is one. An app with lists of several row types keeps them in an array, and treats
/// them alike:
///
///     let lists: [any FetchedList] = [people, boards, cards]
///     for list in lists { try list.performFetch() }
///     let stopped = lists.filter { $0.failure != nil }
///
/// What depends on the type of the rows (results, requests, delegates, changes) is the controller's alone. A list is
/// used in the isolation of its controller, as the controller is.
public protocol FetchedList: AnyObject {
  /// The position of the log that the list shows.
  var position: Position { get }
  /// The number of rows that the list shows, those of collapsed sections not counted.
  var rowCount: Int { get }
  /// The number of sections that the list shows.
  var sectionCount: Int { get }
  /// Why the list cannot be kept current; nil while it is.
  var failure: (any Error)? { get }
  /// True while the list shows a position of the past, which you went to.
  var isSeeking: Bool { get }
  /// True between ``suspendDelivery()`` and ``resumeDelivery()``.
  var isDeliverySuspended: Bool { get }
  /// True while a list is shown that a former version of the projection saved: ``Projection/formerVersions``.
  var showsFormerVersion: Bool { get }
  /// The name under which the list is saved beside its events; nil if it is not.
  var cacheName: String? { get }
  /// What became of the list that is saved under ``cacheName``.
  var cacheReport: CacheReport { get }
  /// The moves that the delegate hears of as moves.
  var reportedMoves: ReportedMoves { get set }
  /// The sections whose rows are hidden.
  var collapsedSections: CollapsedSections { get set }

  /// Reads the events and shows the list.
  ///
  /// - Throws: As ``FetchedResultsController/performFetch()``.
  func performFetch() throws
  /// Reads the events and shows the list, and says how far it is.
  ///
  /// - Parameter progress: Called every few thousand events with how far the fetch is; what it throws ends the fetch.
  /// - Throws: As ``FetchedResultsController/performFetch()``, and what `progress` throws.
  func performFetch(progress: (LogProgress) throws -> Void) throws
  /// Reads the events and shows the list, letting others in the caller's isolation have their turn now and then.
  ///
  /// - Parameters:
  ///   - isolation: The controller's isolation: `#isolation`.
  ///   - progress: Called every few thousand events with how far the fetch is; what it throws ends the fetch.
  /// - Throws: As ``FetchedResultsController/performFetch()``, and `CancellationError`.
  func performFetch(isolation: isolated (any Actor)?, progress: (LogProgress) throws -> Void) async throws
  /// Shows what was appended meanwhile, and tries again what failed.
  func refresh()
  /// Shows a position of the past.
  ///
  /// - Parameter position: The position, 0 to the log's last one.
  /// - Throws: As ``FetchedResultsController/seek(to:)-(Position)``.
  func seek(to position: Position) throws
  /// Shows the past as it was known at a time.
  ///
  /// - Parameter time: The time, exact to the microsecond.
  /// - Returns: The position that is shown.
  /// - Throws: As ``FetchedResultsController/seek(to:)-(Date)``.
  @discardableResult func seek(to time: Date) throws -> Position
  /// Returns to the live end; does nothing if the list is there.
  ///
  /// - Throws: What keeps the list from the end; it then stands at the last good position.
  func returnToLive() throws
  /// Keeps the list as it is, say while a person edits a row.
  func suspendDelivery()
  /// Lets the list change again: everything since it was suspended comes as one batch.
  func resumeDelivery()
  /// Saves the list as it is at the live end, and returns when that is done; does nothing without a ``cacheName``.
  ///
  /// - Throws: What keeps the list from being saved. Nothing is lost then.
  func saveCache() throws
  /// Calls a closure after every batch that changed the list, in the controller's isolation.
  ///
  /// - Parameter body: Called with the list; it shows the new state already.
  /// - Returns: The observation, which lasts until it is cancelled or no longer held.
  func observeList(_ body: @escaping (any FetchedList) -> Void) -> ChangeObservation
}

extension FetchedResultsController: FetchedList {
  /// The number of rows that the list shows, those of collapsed sections not counted.
  public var rowCount: Int { results.rows.count }

  /// The number of sections that the list shows.
  public var sectionCount: Int { results.count }

  /// Calls a closure after every batch that changed the list, in the controller's isolation.
  ///
  /// It is for code that treats lists of several row types alike; ``observe(_:)`` also says what changed.
  ///
  /// - Parameter body: Called with the list; it shows the new state already.
  /// - Returns: The observation, which lasts until it is cancelled or no longer held.
  public func observeList(_ body: @escaping (any FetchedList) -> Void) -> ChangeObservation {
    observe { [unowned self] _ in body(self) }
  }
}
