import AnnalsLog
public import Foundation

/// A protocol with all members of ``FetchedResultsController`` that don't depend on the row type.
///
/// Every ``FetchedResultsController`` conforms to this protocol. So an app whose lists have different row types can
/// keep all its lists in one array and treat them alike:
///
///     let lists: [any FetchedList] = [people, boards, cards]
///     for list in lists { try list.performFetch() }
///     let stopped = lists.filter { $0.failure != nil }
///
/// Members that depend on the row type (results, requests, delegates, changes) are available only on the controller.
/// Use a list only in its controller's isolation.
public protocol FetchedList: AnyObject {
  /// The log position up to which the list includes the events.
  var position: Position { get }
  /// The number of rows that the list shows, without the rows of collapsed sections.
  var rowCount: Int { get }
  /// The number of sections that the list shows.
  var sectionCount: Int { get }
  /// The error that prevents updates of the list, or `nil` if the list can be updated.
  var failure: (any Error)? { get }
  /// True while the list shows a fixed log position, from `seek(to:)` until ``returnToLive()``.
  var isSeeking: Bool { get }
  /// True between ``suspendDelivery()`` and ``resumeDelivery()``.
  var isDeliverySuspended: Bool { get }
  /// True while the controller shows a saved list that a former version of the projection built.
  ///
  /// See ``Projection/formerVersions``.
  var showsFormerVersion: Bool { get }
  /// The name under which the list is saved next to its events, or `nil` if it isn't saved.
  var cacheName: String? { get }
  /// A report about loading and saving the list under its ``cacheName``.
  var cacheReport: CacheReport { get }
  /// The kinds of moves that the delegate receives as moves, instead of as deletions and insertions.
  var reportedMoves: MoveReporting { get set }
  /// The collapsed sections, whose rows are hidden.
  var collapsedSections: CollapsedSections { get set }

  /// Reads the log's events and builds the list.
  ///
  /// - Throws: The same errors as ``FetchedResultsController/performFetch()``.
  func performFetch() throws
  /// Reads the log's events, builds the list, and reports progress.
  ///
  /// - Parameter progress: A closure that is called every few thousand events. If it throws, the fetch stops and throws
  ///   the same error.
  /// - Throws: The same errors as ``FetchedResultsController/performFetch()``, and errors from `progress`.
  func performFetch(progress: (LogProgress) throws -> Void) throws
  /// Reads the log's events and builds the list without blocking the caller's isolation.
  ///
  /// - Parameters:
  ///   - isolation: The controller's isolation, for which you pass `#isolation`.
  ///   - progress: A closure that is called every few thousand events. If it throws, the fetch stops and throws the
  ///     same error.
  /// - Throws: The same errors as ``FetchedResultsController/performFetch()``, errors from `progress`, and
  ///   `CancellationError`.
  func performFetch(isolation: isolated (any Actor)?, progress: (LogProgress) throws -> Void) async throws
  /// Updates the list with all events that were appended since the last update, and retries a failed update.
  func refresh()
  /// Shows the list as it was at a log position.
  ///
  /// - Parameter position: The position, from 0 to the log's last position.
  /// - Throws: The same errors as ``FetchedResultsController/seek(to:)-(Position)``.
  func seek(to position: Position) throws
  /// Shows the list as it was at a given time.
  ///
  /// - Parameter time: The time, with a precision of one microsecond.
  /// - Returns: The log position that the list shows after the call.
  /// - Throws: The same errors as ``FetchedResultsController/seek(to:)-(Date)``.
  @discardableResult func seek(to time: Date) throws -> Position
  /// Moves the list from a past position to the log's end, or does nothing if ``isSeeking`` is false.
  ///
  /// - Throws: The error that prevents the list from reaching the log's end. The list then shows the last position that
  ///   it could reach.
  func returnToLive() throws
  /// Pauses the delivery of changes, so that the list doesn't change, for example while a user edits a row.
  func suspendDelivery()
  /// Resumes the delivery of changes, and delivers all changes since the suspension as one batch.
  func resumeDelivery()
  /// Saves the list before the call returns.
  ///
  /// The call has no effect if ``cacheName`` is `nil` or ``isSeeking`` is true.
  ///
  /// - Throws: The error that prevented the save. No data is lost.
  func saveCache() throws
  /// Calls a closure in the controller's isolation after every batch of changes to the list.
  ///
  /// - Parameter body: A closure that receives the changed list.
  /// - Returns: The observation. It ends when it is cancelled or deinitialized.
  func observeList(_ body: @escaping (any FetchedList) -> Void) -> ChangeObservation
}

extension FetchedResultsController: FetchedList {
  /// The number of rows that the list shows, without the rows of collapsed sections.
  public var rowCount: Int { results.rows.count }

  /// The number of sections that the list shows.
  public var sectionCount: Int { results.count }

  /// Calls a closure in the controller's isolation after every batch of changes to the list.
  ///
  /// Use this method in code that treats lists of several row types alike. If the row type is known, call
  /// ``observe(_:)`` instead, because it also passes the changes to the closure.
  ///
  /// - Parameter body: A closure that receives the changed list.
  /// - Returns: The observation. It ends when it is cancelled or deinitialized.
  public func observeList(_ body: @escaping (any FetchedList) -> Void) -> ChangeObservation {
    observe { [unowned self] _ in body(self) }
  }
}
