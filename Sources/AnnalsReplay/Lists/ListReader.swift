package import Annals

/// A list over a log that goes to any position, and says what changes on the way.
///
/// It is used from one place at a time.
package protocol ListReader: AnyObject {
  /// What the list is called.
  var name: String { get }
  /// True if the rows are cut into sections.
  var isSectioned: Bool { get }
  /// True if the rows may have only the fields that the options name.
  var isPartial: Bool { get }
  /// The list where the reader is.
  var list: any ShownList { get }
  /// True if the log has nothing yet that says which rows the list has.
  var isWaiting: Bool { get }
  /// The fields that the options name and no row has.
  var unknownFields: [UnknownField] { get }

  /// Throws if `--where` compares a field with a value of another kind than all values of the rows.
  func checkKinds() throws

  /// Goes to a position, and says what changed.
  ///
  /// Events are not named: ``ListReader/attribute(_:)`` does that.
  ///
  /// - Parameter position: A position that the log has, before or after the present one.
  /// - Returns: What changed; the batch is empty if nothing did.
  /// - Throws: ``ReplayError``, `EventStoreError`.
  func go(to position: Position) throws -> ListBatch

  /// Goes to a position without asking what changed on the way.
  ///
  /// A jump over half a million events takes a third less of the time than with ``go(to:)``, whose batch has all rows.
  ///
  /// - Parameter position: A position that the log has, before or after the present one.
  /// - Throws: ``ReplayError``, `EventStoreError`.
  func move(to position: Position) throws

  /// Goes to a position without asking what changed on the way, and looks for a row there.
  ///
  /// - Parameters:
  ///   - id: The id of a row.
  ///   - position: A position that the log has.
  /// - Returns: The row's path there; nil if it is not shown.
  /// - Throws: ``ReplayError``, `EventStoreError`.
  func path(of id: String, at position: Position) throws -> RowPath?

  /// Names the events that set the rows of a batch.
  ///
  /// - Parameters:
  ///   - batch: A batch that this reader made.
  ///   - events: All events of the log between the batch's positions, if you have them; otherwise none.
  /// - Returns: The batch with its events.
  /// - Throws: ``ReplayError``, `EventStoreError`.
  func attribute(_ batch: ListBatch, to events: [StoredEvent]) throws -> ListBatch

  /// Returns the changes of some rows up to a position, whether the rows are shown or not.
  ///
  /// - Parameters:
  ///   - ids: The rows' ids as strings.
  ///   - end: The last position.
  ///   - progress: A closure that is called regularly with the reached position.
  /// - Returns: The changes for every id, the oldest first. A row that never existed has no changes.
  /// - Throws: ``ReplayError``, `EventStoreError`, and errors of `progress`.
  func histories(
    of ids: [String], through end: Position, progress: (Position) throws -> Void
  ) throws -> [[RecordStep]]

  /// What changes from this list to one of another log that was opened in the same way.
  ///
  /// - Parameter other: The other list, at any position.
  /// - Returns: The batch; its events are not named.
  /// - Throws: ``ReplayError`` if the lists have other rows.
  func difference(to other: any ListReader) throws -> ListBatch

  /// What the list supposes that its log does not say; nil if it shows the log as it is.
  var supposition: Supposition? { get }

  /// Prepares for going back and forth, which costs memory: states of the past are kept.
  func keepPast()

  /// Reads the rows that are about to be printed, if they are few, or reads the list without an index.
  ///
  /// - Parameter count: The number of rows up to which an index is used.
  /// - Throws: ``ReplayError``, `EventStoreError`.
  func settle(upTo count: Int) throws

  /// Lets a strict table view take each batch from now on.
  func beginChecking()
  /// The number of batches that the table view took, of all batches; nil if it takes none.
  var checked: (count: Int, all: Int)? { get }
}

extension ListReader {
  /// Names the events that set the rows of a batch, and reads them.
  package func attribute(_ batch: ListBatch) throws -> ListBatch { try attribute(batch, to: []) }

  /// What became of a row up to a position, whether it was shown or not; no steps if it never was there.
  package func history(
    of id: String, through end: Position, progress: (Position) throws -> Void
  ) throws -> [RecordStep] {
    try histories(of: [id], through: end, progress: progress)[0]
  }
}

/// What an event made of a row.
package struct RecordStep: Sendable {
  /// The event's position.
  package let position: Position
  /// The row before; nil if there was none.
  package let old: Record?
  /// The row after; nil if there is none.
  package let new: Record?
}
