public import Foundation

/// The kind of change of a row or a section, with the raw values of Core Data's `NSFetchedResultsChangeType`.
public enum FetchedResultsChangeType: UInt, Hashable, Sendable {
  /// The row or section was inserted.
  case insert = 1
  /// The row or section was deleted.
  case delete = 2
  /// The row or section moved to another index.
  case move = 3
  /// The row's content or the section's title changed.
  case update = 4
}

/// A delegate that receives the changes of a controller's list in the order that a table view needs.
///
/// The methods correspond to Core Data's `NSFetchedResultsControllerDelegate`, and all of them are optional. A batch
/// consists of at most two update cycles. Every cycle begins with a "will" call and ends with a "did" call:
///
/// - *structure*: section deletions, insertions and moves, then row deletions, insertions and moves. The controller
///   shows the old list until ``controllerWillChangeContent(_:)`` has returned, and the new list afterwards.
/// - *content*: section updates, row updates, and an update for every moved row whose content changed. An update's two
///   index paths are equal, and the controller shows the new list during the whole cycle.
///
/// So your delegate can use an update's path both to reload the table view's row and to read the row from the
/// controller. Declare the conformance in an extension, because the compiler then warns about methods that nearly match
/// one of these methods. For a class on the main actor, write `extension BooksViewController: @MainActor
/// FetchedResultsControllerDelegate`.
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
  /// The type of the controller's rows, inferred from the methods.
  associatedtype Row: Annals.Row
  /// The result type of the method for differences, inferred from the methods: `Void` if the delegate implements that
  /// method, otherwise ``NoDifferences``.
  associatedtype Differences

  /// Notifies the delegate that an update cycle begins.
  ///
  /// Before structural changes, the controller still shows the old list.
  ///
  /// - Parameter controller: The controller.
  func controllerWillChangeContent(_ controller: FetchedResultsController<Row>)

  /// Notifies the delegate that a section was inserted, deleted, moved or renamed.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - section: The section, in its old state if it was deleted.
  ///   - sectionIndex: The section's old index for a deletion or a move, otherwise its new index.
  ///   - type: The kind of change.
  ///   - newSectionIndex: The new index for a move or an update, otherwise `nil`.
  func controller(
    _ controller: FetchedResultsController<Row>, didChange section: ResultsSection<Row>,
    atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType, newSectionIndex: Int?)

  /// Notifies a delegate that doesn't implement the method with `newSectionIndex` that a section was inserted, deleted,
  /// moved or renamed.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - section: The section, in its old state if it was deleted.
  ///   - sectionIndex: The section's old index for a deletion or a move, otherwise its new index.
  ///   - type: The kind of change. It is a move only if ``FetchedResultsController/reportedMoves`` contains section
  ///     moves.
  func controller(
    _ controller: FetchedResultsController<Row>, didChange section: ResultsSection<Row>,
    atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType)

  /// Notifies the delegate that a row was inserted, deleted, moved or updated.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - row: The row, in its old state if it was deleted.
  ///   - indexPath: The row's old index path, or `nil` for an insertion. For an update, it is the new index path.
  ///   - type: The kind of change.
  ///   - newIndexPath: The row's new index path, or `nil` for a deletion.
  func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Row, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?)

  /// Notifies the delegate that an update cycle has ended, after all of the cycle's changes were reported.
  ///
  /// - Parameter controller: The controller.
  func controllerDidChangeContent(_ controller: FetchedResultsController<Row>)

  /// Notifies the delegate of changed aggregates, after the update cycles of a batch.
  ///
  /// Redraw the headers that show these aggregates. The changes contain the sections' new indexes. The method is
  /// called only if the request has aggregates (``ListRequest/aggregates``). It is called even for a batch without
  /// update cycles, because aggregates include rows in collapsed sections and rows beyond a limit.
  ///
  /// - Parameters:
  ///   - controller: The controller, which shows the new list.
  ///   - changes: The list and the sections with changed aggregates.
  func controller(_ controller: FetchedResultsController<Row>, didChangeAggregates changes: AggregateChanges)

  /// Notifies the delegate of the new list, after the update cycles of a batch.
  ///
  /// Unlike in Core Data, implementing this method doesn't disable the other methods.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - snapshot: The new list.
  func controller(_ controller: FetchedResultsController<Row>, didChangeContentWith snapshot: Results<Row>)

  /// Notifies the delegate of the difference between the ids of the old and the new list, regardless of sections, after
  /// the update cycles of a batch.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - difference: The difference, as in ``Changes/difference``.
  /// - Returns: No value. The default implementation returns ``NoDifferences`` instead, so that the controller doesn't
  ///   compute differences for a delegate without this method.
  @discardableResult
  func controller(
    _ controller: FetchedResultsController<Row>, didChangeContentWith difference: CollectionDifference<Row.ID>
  ) -> Differences

  /// Returns the entry of a section in the list's index, or `nil` for the default.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - sectionName: The section's title.
  /// - Returns: The entry, or `nil` for the title's uppercased first character.
  func controller(
    _ controller: FetchedResultsController<Row>, sectionIndexTitleForSectionName sectionName: String
  ) -> String?

  /// Notifies the delegate of an error that prevents updates of the list.
  ///
  /// The list remains at the last position that it could show.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - error: A ``ProjectionError``, or the error from reading the store.
  func controller(_ controller: FetchedResultsController<Row>, didFailWith error: any Error)

  /// `Never`, unless a delegate has a method for rows of type `Any`.
  ///
  /// Such a method is a compile error, because no controller calls it.
  associatedtype RowsOfTypeAny = Never

  /// Detects a method for rows of type `Any` instead of the rows' type.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - row: The row.
  ///   - indexPath: The row's old index path.
  ///   - type: The kind of change.
  ///   - newIndexPath: The row's new index path.
  /// - Returns: No value, because no controller calls the method.
  func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Any, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) -> RowsOfTypeAny

  /// Rejects a delegate whose method for rows would not be called.
  ///
  /// - Parameter type: The result type of the method.
  static func refuse(rowsOfTypeAny type: RowsOfTypeAny.Type)

  /// `Never`, unless a delegate has a method for sections of type `Any`.
  ///
  /// Such a method is a compile error, because no controller calls it.
  associatedtype SectionsOfTypeAny = Never

  /// Detects a method for sections of type `Any` instead of the sections' type.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - section: The section.
  ///   - sectionIndex: The section's index.
  ///   - type: The kind of change.
  /// - Returns: No value, because no controller calls the method.
  func controller(
    _ controller: FetchedResultsController<Row>, didChange section: Any, atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType
  ) -> SectionsOfTypeAny

  /// Rejects a delegate whose method for sections would not be called.
  ///
  /// - Parameter type: The result type of the method.
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

  /// Returns `nil` for the default entry.
  public func controller(
    _ controller: FetchedResultsController<Row>, sectionIndexTitleForSectionName sectionName: String
  ) -> String? { nil }

  /// Does nothing.
  public func controller(_ controller: FetchedResultsController<Row>, didFailWith error: any Error) {}
}

/// The result type for a delegate that doesn't implement the method for differences.
///
/// The controller computes no differences for such a delegate.
public struct NoDifferences: Sendable {}

extension FetchedResultsControllerDelegate where Differences == NoDifferences {
  /// Satisfies the protocol's requirement and is not called.
  ///
  /// - Returns: A value that marks the default implementation.
  @discardableResult
  public func controller(
    _ controller: FetchedResultsController<Row>, didChangeContentWith difference: CollectionDifference<Row.ID>
  ) -> NoDifferences { NoDifferences() }
}

extension FetchedResultsControllerDelegate {
  /// True if the delegate has the method that takes differences.
  static var takesDifferences: Bool { Differences.self != NoDifferences.self }
}
