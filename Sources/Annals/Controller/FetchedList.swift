public import Foundation

/// A list of any row type that a controller keeps current.
///
/// Every ``FetchedResultsController`` conforms to this protocol. An app with lists of several row types can keep the
/// lists in an array and treat them alike:
///
///     let lists: [any FetchedList] = [people, boards, cards]
///     for list in lists { try list.performFetch() }
///     let stopped = lists.filter { $0.failure != nil }
///
/// Members that depend on the row type (results, requests, delegates, changes) are available on the controller only.
/// Use a list in the isolation of its controller.
public protocol FetchedList: AnyObject {
  /// The position of the log that the list shows.
  var position: Position { get }
  /// The number of rows that the list shows, without the rows of collapsed sections.
  var rowCount: Int { get }
  /// The number of sections that the list shows.
  var sectionCount: Int { get }
  /// The error that prevents updates of the list, or `nil`.
  var failure: (any Error)? { get }
  /// True while the list shows a past position after a seek.
  var isSeeking: Bool { get }
  /// True between ``suspendDelivery()`` and ``resumeDelivery()``.
  var isDeliverySuspended: Bool { get }
  /// True while the controller shows a list that a former version of the projection built. See
  /// ``Projection/formerVersions``.
  var showsFormerVersion: Bool { get }
  /// The name under which the list is saved next to its events, or `nil` if it isn't saved.
  var cacheName: String? { get }
  /// The state of the list that is saved under ``cacheName``.
  var cacheReport: CacheReport { get }
  /// The kinds of moves that the delegate receives as moves.
  var reportedMoves: MoveReporting { get set }
  /// The sections whose rows are hidden.
  var collapsedSections: CollapsedSections { get set }

  /// Reads the events and shows the list.
  ///
  /// - Throws: The same errors as ``FetchedResultsController/performFetch()``.
  func performFetch() throws
  /// Reads the events and shows the list, and reports progress.
  ///
  /// - Parameter progress: A closure that is called every few thousand events. If it throws, the fetch ends.
  /// - Throws: The same errors as ``FetchedResultsController/performFetch()``, and errors from `progress`.
  func performFetch(progress: (LogProgress) throws -> Void) throws
  /// Reads the events and shows the list without blocking the caller's isolation.
  ///
  /// - Parameters:
  ///   - isolation: The controller's isolation, `#isolation`.
  ///   - progress: A closure that is called every few thousand events. If it throws, the fetch ends.
  /// - Throws: The same errors as ``FetchedResultsController/performFetch()``, and `CancellationError`.
  func performFetch(isolation: isolated (any Actor)?, progress: (LogProgress) throws -> Void) async throws
  /// Shows events appended since the last update, and retries failed operations.
  func refresh()
  /// Shows the list as it was at a position.
  ///
  /// - Parameter position: The position, from 0 to the log's last position.
  /// - Throws: The same errors as ``FetchedResultsController/seek(to:)-(Position)``.
  func seek(to position: Position) throws
  /// Shows the list as it was at a given time.
  ///
  /// - Parameter time: The time, exact to the microsecond.
  /// - Returns: The position that the list shows.
  /// - Throws: The same errors as ``FetchedResultsController/seek(to:)-(Date)``.
  @discardableResult func seek(to time: Date) throws -> Position
  /// Moves the list from a past position to the log's end, or does nothing if the list isn't seeking.
  ///
  /// - Throws: The error that prevents the list from reaching the log's end. The list then shows the last position that
  ///   it could reach.
  func returnToLive() throws
  /// Pauses the delivery of changes, so that the list doesn't change, for example while a user edits a row.
  func suspendDelivery()
  /// Resumes delivery, and delivers all changes since the suspension as one batch.
  func resumeDelivery()
  /// Saves the list at the log's end before the call returns, or does nothing without a ``cacheName``.
  ///
  /// - Throws: The error that prevented the save. No data is lost.
  func saveCache() throws
  /// Calls a closure after every batch that changed the list, in the controller's isolation.
  ///
  /// - Parameter body: A closure that receives the list in its new state.
  /// - Returns: The observation. It ends when it is cancelled or deinitialized.
  func observeList(_ body: @escaping (any FetchedList) -> Void) -> ChangeObservation
}

extension FetchedResultsController: FetchedList {
  /// The number of rows that the list shows, without the rows of collapsed sections.
  public var rowCount: Int { results.rows.count }

  /// The number of sections that the list shows.
  public var sectionCount: Int { results.count }

  /// Calls a closure after every batch that changed the list, in the controller's isolation.
  ///
  /// Use this method in code that treats lists of several row types alike. If the row type is known, ``observe(_:)``
  /// also passes the changes.
  ///
  /// - Parameter body: A closure that receives the list in its new state.
  /// - Returns: The observation. It ends when it is cancelled or deinitialized.
  public func observeList(_ body: @escaping (any FetchedList) -> Void) -> ChangeObservation {
    observe { [unowned self] _ in body(self) }
  }
}
