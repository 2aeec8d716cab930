public import Foundation

/// What happened to a row or a section, with the numbers of Core Data's `NSFetchedResultsChangeType`.
public enum FetchedResultsChangeType: UInt, Hashable, Sendable {
  /// It is there now.
  case insert = 1
  /// It is no longer there.
  case delete = 2
  /// It went from one index to another.
  case move = 3
  /// Its content, or a section's title, changed.
  case update = 4
}

/// Hears what changed in a controller's list, in the order that a table view wants it.
///
/// The methods are those of Core Data's `NSFetchedResultsControllerDelegate`, and each may be left out. A batch comes
/// in at most two brackets of will … did:
///
/// - *structure*: section deletions, insertions and moves, then row deletions, insertions and moves. The controller
///   shows the old list until ``controllerWillChangeContent(_:)`` has returned, and the new one from then on;
/// - *content*: section updates, row updates, and an update for every moved row whose content changed. Both index paths
///   of an update are equal, and the controller shows the new list throughout.
///
/// So a delegate that reloads a row at the given path, and one that reads the row at it, are both right. Declare the
/// conformance in an extension: the compiler then warns of a method that is almost one of these. In a class of the main
/// actor that is `extension BooksViewController: @MainActor FetchedResultsControllerDelegate`.
///
///     extension Scoreboard: FetchedResultsControllerDelegate {
///       func controller(
///         _ controller: FetchedResultsController<Player>, didChange player: Player, at indexPath: IndexPath?,
///         for type: FetchedResultsChangeType, newIndexPath: IndexPath?
///       ) {
///         print(type, player.id)
///       }
///     }
public protocol FetchedResultsControllerDelegate<Row>: AnyObject {
  /// The controller's rows; inferred from the methods.
  associatedtype Row: Annals.Row
  /// `Void` in a delegate that takes differences, else ``NoDifferences``; inferred from the methods.
  associatedtype Differences

  /// A bracket begins: the list that is shown is still the old one.
  ///
  /// - Parameter controller: The controller.
  func controllerWillChangeContent(_ controller: FetchedResultsController<Row>)

  /// A section came, went, moved or has a new title.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - section: The section; a deleted one as it was.
  ///   - sectionIndex: The section's index: the old one of a deletion or a move, else the new one.
  ///   - type: What happened.
  ///   - newSectionIndex: The new index of a move or an update, else nil.
  func controller(
    _ controller: FetchedResultsController<Row>, didChange section: ResultsSection<Row>,
    atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType, newSectionIndex: Int?)

  /// A section came, went, moved or has a new title; called where the method with the new index is not there.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - section: The section; a deleted one as it was.
  ///   - sectionIndex: The section's index: the old one of a deletion or a move, else the new one.
  ///   - type: What happened; a move only if ``FetchedResultsController/reportedMoves`` has them.
  func controller(
    _ controller: FetchedResultsController<Row>, didChange section: ResultsSection<Row>,
    atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType)

  /// A row came, went, moved or has a new content.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - row: The row; a deleted one as it was.
  ///   - indexPath: Where the row was; nil for an insertion. An update's is where it is now.
  ///   - type: What happened.
  ///   - newIndexPath: Where the row is now; nil for a deletion.
  func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Row, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?)

  /// A bracket ends: all of its changes have been reported.
  ///
  /// - Parameter controller: The controller.
  func controllerDidChangeContent(_ controller: FetchedResultsController<Row>)

  /// Aggregates of the list or of its sections are others, once a batch's brackets have closed.
  ///
  /// Draw the headers again that show them: those of the sections that are named, where they are now. It is called only
  /// if the request has aggregates (``FetchRequest/aggregates``), and then also for a batch without brackets: a row
  /// that a collapsed section hides, or a limit leaves out, counts too.
  ///
  /// - Parameters:
  ///   - controller: The controller, which shows the new list.
  ///   - changes: Whose aggregates are others.
  func controller(_ controller: FetchedResultsController<Row>, didChangeAggregates changes: AggregateChanges)

  /// The list after a batch, once its brackets have closed.
  ///
  /// Unlike Core Data's, it does not keep the other methods from being called.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - snapshot: The new list.
  func controller(_ controller: FetchedResultsController<Row>, didChangeContentWith snapshot: Results<Row>)

  /// The difference of the lists' ids, sections joined, once a batch's brackets have closed.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - difference: See ``Changes/difference``.
  /// - Returns: Nothing; what a delegate without the method returns tells the controller to make no differences.
  @discardableResult
  func controller(
    _ controller: FetchedResultsController<Row>, didChangeContentWith difference: CollectionDifference<Row.ID>
  ) -> Differences

  /// The entry of a section in the list's index, or nil for the usual one.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - sectionName: The section's title.
  /// - Returns: The entry; nil for the title's first character in upper case.
  func controller(
    _ controller: FetchedResultsController<Row>, sectionIndexTitleForSectionName sectionName: String
  ) -> String?

  /// The list can no longer be kept current; it stands at the last good position.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - error: A ``ProjectionError``, or what reading the store failed with.
  func controller(_ controller: FetchedResultsController<Row>, didFailWith error: any Error)

  /// `Never`, unless a delegate has a method for rows of type `Any`, which would not be called: a compile error.
  associatedtype RowsOfTypeAny = Never

  /// What a method for rows of type `Any` would be: you write the rows' type.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - row: The row.
  ///   - indexPath: Where the row was.
  ///   - type: What happened.
  ///   - newIndexPath: Where the row is now.
  /// - Returns: Nothing; it is not called.
  func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Any, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) -> RowsOfTypeAny

  /// Refuses a delegate whose method for rows would not be called.
  ///
  /// - Parameter type: What the method returns.
  static func refuse(rowsOfTypeAny type: RowsOfTypeAny.Type)

  /// `Never`, unless a delegate has a method for sections of type `Any`, which would not be called: a compile error.
  associatedtype SectionsOfTypeAny = Never

  /// What a method for sections of type `Any` would be: you write the sections' type.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - section: The section.
  ///   - sectionIndex: The section's index.
  ///   - type: What happened.
  /// - Returns: Nothing; it is not called.
  func controller(
    _ controller: FetchedResultsController<Row>, didChange section: Any, atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType
  ) -> SectionsOfTypeAny

  /// Refuses a delegate whose method for sections would not be called.
  ///
  /// - Parameter type: What the method returns.
  static func refuse(sectionsOfTypeAny type: SectionsOfTypeAny.Type)
}

extension FetchedResultsControllerDelegate {
  /// Does nothing.
  public func controllerWillChangeContent(_ controller: FetchedResultsController<Row>) {}

  /// Calls the method without the new index.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange section: ResultsSection<Row>,
    atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType, newSectionIndex: Int?
  ) {
    self.controller(controller, didChange: section, atSectionIndex: sectionIndex, for: type)
  }

  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange section: ResultsSection<Row>,
    atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType
  ) {}

  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Row, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {}

  /// Does nothing.
  public func controllerDidChangeContent(_ controller: FetchedResultsController<Row>) {}

  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController<Row>, didChangeAggregates changes: AggregateChanges
  ) {}

  /// Does nothing.
  public func controller(_ controller: FetchedResultsController<Row>, didChangeContentWith snapshot: Results<Row>) {}

  /// Leaves the entry as it is.
  public func controller(
    _ controller: FetchedResultsController<Row>, sectionIndexTitleForSectionName sectionName: String
  ) -> String? { nil }

  /// Does nothing.
  public func controller(_ controller: FetchedResultsController<Row>, didFailWith error: any Error) {}
}

/// What a delegate has in place of differences that it does not take: nothing is made for it.
public struct NoDifferences: Sendable {}

extension FetchedResultsControllerDelegate where Differences == NoDifferences {
  /// Does nothing, and is not called by a controller.
  ///
  /// - Returns: What says so.
  @discardableResult
  public func controller(
    _ controller: FetchedResultsController<Row>, didChangeContentWith difference: CollectionDifference<Row.ID>
  ) -> NoDifferences { NoDifferences() }
}

extension FetchedResultsControllerDelegate {
  /// True if the delegate has the method that takes differences.
  static var takesDifferences: Bool { Differences.self != NoDifferences.self }
}
