public import Foundation

/// A kind of change to a row or a section.
///
/// The raw values equal the raw values of Core Data's `NSFetchedResultsChangeType`.
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

/// A delegate that receives the changes to a controller's list in the order in which a table view must apply them.
///
/// The methods correspond to Core Data's `NSFetchedResultsControllerDelegate`, and all of them are optional. A batch of
/// changes is delivered in at most two update cycles. Every cycle begins with a call to
/// ``controllerWillChangeContent(_:)`` and ends with a call to ``controllerDidChangeContent(_:)``:
///
/// - The *structure* cycle reports section deletions, insertions and moves, then row deletions, insertions and moves.
///   The controller shows the old list until `controllerWillChangeContent` has returned, and the new list afterwards.
/// - The *content* cycle reports section updates, row updates, and an update for every moved row whose content changed.
///   An update's two index paths are equal, and the controller shows the new list during the whole cycle.
///
/// So your delegate can use an update's path both to reload the table view's row and to read the row from the
/// controller. A method with labels in the wrong order, or for rows of type `Any`, is a compile error. Declare the
/// conformance in an extension, because the compiler then also warns about a misspelled method. For a class on the main
/// actor, write `extension BooksViewController: @MainActor FetchedResultsControllerDelegate`.
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
  /// The type of the controller's rows, which Swift infers from the delegate's methods.
  associatedtype Row: Annals.Row
  /// The result type of the method that receives a `CollectionDifference`, which Swift infers.
  ///
  /// The type is `Void` if the delegate implements that method, otherwise `Never?`.
  associatedtype Differences

  /// Notifies the delegate that an update cycle begins.
  ///
  /// If the cycle reports deletions, insertions or moves, the controller still shows the old list.
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

  /// Notifies the delegate that a section was inserted, deleted, moved or renamed, without the section's new index.
  ///
  /// The controller calls this method only if the delegate doesn't implement the method with a `newSectionIndex`.
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

  /// Notifies the delegate that aggregates (such as counts or sums) changed, after the update cycles of a batch.
  ///
  /// Redraw the headers that show these aggregates. The controller calls the method only if the request has aggregates
  /// (``ListRequest/aggregates``). The controller calls the method even for a batch without update cycles, because
  /// aggregates include rows in collapsed sections and rows beyond the request's limit.
  ///
  /// - Parameters:
  ///   - controller: The controller, which shows the new list.
  ///   - changes: A description of the changed aggregates, with the sections' old and new indexes.
  func controller(_ controller: FetchedResultsController<Row>, didChangeAggregates changes: AggregateChanges)

  /// Notifies the delegate of the new list, after the update cycles of a batch.
  ///
  /// Unlike in Core Data, the controller calls the other methods even if the delegate implements this method.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - snapshot: The new list.
  func controller(_ controller: FetchedResultsController<Row>, didChangeContentWith snapshot: Results<Row>)

  /// Notifies the delegate of the difference between the row ids in the old list and the row ids in the new list.
  ///
  /// The difference ignores sections. The controller calls the method after the update cycles of a batch.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - difference: The difference, equal to ``Changes/difference``.
  /// - Returns: No value in your implementation. The default implementation returns `Never?`, so that the
  ///   controller doesn't compute differences for a delegate without this method.
  @discardableResult
  func controller(
    _ controller: FetchedResultsController<Row>, didChangeContentWith difference: CollectionDifference<Row.ID>
  ) -> Differences

  /// Returns a section's entry in the section index, which a table view can show along its edge.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - sectionName: The section's title.
  /// - Returns: The entry, or `nil` for the default, which is the title's uppercased first character.
  func controller(
    _ controller: FetchedResultsController<Row>, sectionIndexTitleForSectionName sectionName: String
  ) -> String?

  /// Notifies the delegate of an error that prevents updates of the list.
  ///
  /// The list remains at the last log position that it could show. This is position 0, with an empty list, if a
  /// compacted or erased log can't be read to the end of its compacted history.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - error: A ``ProjectionError``, or the error that the store threw when the controller read events.
  func controller(_ controller: FetchedResultsController<Row>, didFailWith error: any Error)

  /// `Never`, unless the delegate has a method for rows with a wrong label, order or type.
  ///
  /// The compiler rejects a delegate with such a method, because no controller would call the method.
  associatedtype MistakenRowMethod = Never

  /// Detects a delegate method for rows that declares its row as `Any` instead of the row type.
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
  ) -> MistakenRowMethod

  /// Detects a delegate method for rows that has `newIndexPath` before `for`.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - row: The row.
  ///   - indexPath: The row's old index path.
  ///   - newIndexPath: The row's new index path.
  ///   - type: The kind of change.
  /// - Returns: No value, because no controller calls the method.
  func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Row, at indexPath: IndexPath?, newIndexPath: IndexPath?,
    for type: FetchedResultsChangeType
  ) -> MistakenRowMethod

  /// Detects a delegate method for rows that has the label `atIndexPath` instead of `at`.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - row: The row.
  ///   - indexPath: The row's old index path.
  ///   - type: The kind of change.
  ///   - newIndexPath: The row's new index path.
  /// - Returns: No value, because no controller calls the method.
  func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Row, atIndexPath indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) -> MistakenRowMethod

  /// Detects a delegate method for rows that has no parameter `newIndexPath`.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - row: The row.
  ///   - indexPath: The row's old index path.
  ///   - type: The kind of change.
  /// - Returns: No value, because no controller calls the method.
  func controller(
    _ controller: FetchedResultsController<Row>, didChange row: Row, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType
  ) -> MistakenRowMethod

  /// Rejects a delegate whose method for rows would not be called.
  ///
  /// Don't implement this method.
  static func refuseMistakenRowMethod()

  /// `Never`, unless the delegate has a method for sections with a wrong label, order or type.
  ///
  /// The compiler rejects a delegate with such a method, because no controller would call the method.
  associatedtype MistakenSectionMethod = Never

  /// Detects a delegate method for sections that declares its section as `Any` instead of the section type.
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
  ) -> MistakenSectionMethod

  /// Detects a delegate method for sections that has `newSectionIndex` before `for`.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - section: The section.
  ///   - sectionIndex: The section's index.
  ///   - newSectionIndex: The section's new index.
  ///   - type: The kind of change.
  /// - Returns: No value, because no controller calls the method.
  func controller(
    _ controller: FetchedResultsController<Row>, didChange section: ResultsSection<Row>,
    atSectionIndex sectionIndex: Int, newSectionIndex: Int?, for type: FetchedResultsChangeType
  ) -> MistakenSectionMethod

  /// Detects a delegate method for sections that has the label `at` instead of `atSectionIndex`.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - section: The section.
  ///   - sectionIndex: The section's index.
  ///   - type: The kind of change.
  /// - Returns: No value, because no controller calls the method.
  func controller(
    _ controller: FetchedResultsController<Row>, didChange section: ResultsSection<Row>, at sectionIndex: Int,
    for type: FetchedResultsChangeType
  ) -> MistakenSectionMethod

  /// Detects a delegate method for sections that has the label `at` and a new index.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - section: The section.
  ///   - sectionIndex: The section's index.
  ///   - type: The kind of change.
  ///   - newSectionIndex: The section's new index.
  /// - Returns: No value, because no controller calls the method.
  func controller(
    _ controller: FetchedResultsController<Row>, didChange section: ResultsSection<Row>, at sectionIndex: Int,
    for type: FetchedResultsChangeType, newSectionIndex: Int?
  ) -> MistakenSectionMethod

  /// Detects a delegate method for sections that has the label `didChangeSection` instead of `didChange`.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - section: The section.
  ///   - sectionIndex: The section's index.
  ///   - type: The kind of change.
  /// - Returns: No value, because no controller calls the method.
  func controller(
    _ controller: FetchedResultsController<Row>, didChangeSection section: ResultsSection<Row>,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) -> MistakenSectionMethod

  /// Detects a delegate method for sections that has the label `didChangeSection` and a new index.
  ///
  /// - Parameters:
  ///   - controller: The controller.
  ///   - section: The section.
  ///   - sectionIndex: The section's index.
  ///   - type: The kind of change.
  ///   - newSectionIndex: The section's new index.
  /// - Returns: No value, because no controller calls the method.
  func controller(
    _ controller: FetchedResultsController<Row>, didChangeSection section: ResultsSection<Row>,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType, newSectionIndex: Int?
  ) -> MistakenSectionMethod

  /// Rejects a delegate whose method for sections would not be called.
  ///
  /// Don't implement this method.
  static func refuseMistakenSectionMethod()
}

extension FetchedResultsControllerDelegate {
  /// Does nothing.
  public func controllerWillChangeContent(_ controller: FetchedResultsController<Row>) {}

  /// Calls the method that has no parameter `newSectionIndex`.
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

  /// Returns `nil`, so that the section has the default entry.
  public func controller(
    _ controller: FetchedResultsController<Row>, sectionIndexTitleForSectionName sectionName: String
  ) -> String? { nil }

  /// Does nothing.
  public func controller(_ controller: FetchedResultsController<Row>, didFailWith error: any Error) {}
}

extension FetchedResultsControllerDelegate where Differences == Never? {
  /// Provides the default for a delegate without a method that takes a `CollectionDifference`.
  ///
  /// No controller calls this default. From its result type `Never?`, the controller detects that the delegate doesn't
  /// have such a method, and then doesn't compute differences.
  ///
  /// - Returns: `nil`.
  @discardableResult
  public func controller(
    _ controller: FetchedResultsController<Row>, didChangeContentWith difference: CollectionDifference<Row.ID>
  ) -> Never? { nil }
}

extension FetchedResultsControllerDelegate {
  /// True if the delegate has the method that takes differences.
  static var takesDifferences: Bool { Differences.self != Never?.self }
}
