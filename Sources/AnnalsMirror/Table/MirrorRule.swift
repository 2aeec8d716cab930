/// A rule that a batch of changes must follow so that a table view can apply the batch, as `Docs/MirrorTable.md`
/// explains.
///
/// The raw value is the rule's number on that page. The number starts with V if UIKit refuses or mishandles a batch
/// that breaks the rule, or with S if only a strict ``MirrorTable`` refuses the batch.
public enum MirrorRule: String, Hashable, Sendable, CaseIterable {
  /// The index paths of deletions, reloads and sources of moves exist in the old list, and the index paths of
  /// insertions and targets of moves exist in the new list.
  case bounds = "V1"
  /// The number of sections changes by the number of insertions minus the number of deletions in the batch.
  case sectionCount = "V2"
  /// The number of rows in every section changes by the number of rows that the batch adds minus the number that it
  /// removes.
  case rowCount = "V3"
  /// No row or section of the old list has two of the following changes: a deletion, a move, a reload.
  case sameSource = "V4"
  /// Insertions and moves never have the same target index path, and no row or section moves twice.
  case sameTarget = "V5"
  /// No row moves out of a deleted section or into an inserted section.
  case acrossSections = "V6"
  /// No row or section is deleted, inserted or reloaded twice.
  case repeated = "V7"
  /// No row of a moved section is inserted, deleted, moved or reloaded.
  case insideMovedSection = "V8"
  /// In a batch with moves of rows, a row is reloaded only if a table view finds the right row.
  ///
  /// A table view ignores moves when it looks for a reloaded row.
  case updateAmongMoves = "V9"
  /// Rows move only between sections whose indices don't change in the batch.
  case displacedSection = "V10"
  /// After the whole table is reloaded inside an update cycle, the cycle contains no more changes.
  case afterReload = "V11"
  /// The data source still has the old list when an update cycle begins.
  case countsBefore = "V12"
  /// If a section is deleted or inserted, the batch also deletes or inserts all rows of the section.
  case incomplete = "S1"
  /// A row has at most one change in a batch, or one deletion and one insertion.
  case oneChange = "S2"
  /// No row or section moves to the place where it already is.
  case samePlace = "S3"
  /// A change contains the row or section that the list has at the change's index path.
  case identity = "S4"
  /// A row or section is updated only if its content or title has changed.
  case needlessUpdate = "S5"
  /// After a batch, the table shows no old content and no old titles.
  case stale = "S6"
  /// Rows move only if a move is necessary, and only if their section or sort keys changed.
  case needlessMove = "S7"
  /// Update cycles aren't nested, and every change is inside an update cycle.
  case bracket = "S8"
  /// After a batch, the table shows the same sections and rows as the list.
  case divergence = "S9"
  /// A batch begins with the list that the previous batch ended with.
  case gap = "S10"
}

extension MirrorTable {
  /// An error for a change that a table view can't apply, or after which the table view shows the wrong list.
  public struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule that the change breaks.
    public let rule: MirrorRule
    /// The description of the problem.
    ///
    /// If UIKit throws an exception for the problem, the description uses the words of this exception.
    public let sentence: String
    /// A drawing of the expected list next to the shown list, with one line per row, or empty if the expected list is
    /// unknown.
    public let picture: [String]

    /// A description of the problem, with the rule's number and ``picture``.
    public var description: String {
      (["\(sentence) (\(rule.rawValue))"] + picture.map { "  \($0)" }).joined(separator: "\n")
    }
  }

  /// Returns a violation that shows the expected list, if it is known, next to the shown list.
  func violation(_ rule: MirrorRule, _ sentence: String, _ expected: [Section]?) -> Violation {
    Violation(
      rule: rule, sentence: sentence, picture: expected.map { MirrorPicture.lines(expected: $0, shown: sections) } ?? []
    )
  }
}

extension MirrorTable.Violation: OriginNaming {
  package var origin: String { rule.rawValue }
}
