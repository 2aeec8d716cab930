/// A rule that a batch must follow so that a table view can apply it, as explained in `Docs/MirrorTable.md`.
///
/// The raw value is the rule's number on that page. It starts with V if UIKit refuses or mishandles the batch, or with
/// S if only a strict table refuses it.
public enum MirrorRule: String, Hashable, Sendable, CaseIterable {
  /// Sources are index paths of the old list, and targets are index paths of the new list.
  case bounds = "V1"
  /// The number of sections matches the batch.
  case sectionCount = "V2"
  /// The number of rows in every section matches the batch.
  case rowCount = "V3"
  /// Deletions, moves and reloads never have the same source.
  case sameSource = "V4"
  /// Insertions and moves have different targets, and no row or section moves twice.
  case sameTarget = "V5"
  /// No row moves out of a deleted section or into an inserted section.
  case acrossSections = "V6"
  /// No row or section is deleted, inserted or reloaded twice.
  case repeated = "V7"
  /// No row of a moved section is inserted, deleted, moved or reloaded.
  case insideMovedSection = "V8"
  /// If rows move, another row is reloaded only if its index path is unambiguous.
  case updateAmongMoves = "V9"
  /// Rows move only between sections whose index doesn't change.
  case displacedSection = "V10"
  /// After a reload inside an update cycle, the cycle contains no more changes.
  case afterReload = "V11"
  /// The data source has the old list when an update cycle begins.
  case countsBefore = "V12"
  /// All rows of deleted and inserted sections are listed.
  case incomplete = "S1"
  /// A row has one change, or a deletion and an insertion.
  case oneChange = "S2"
  /// No row or section moves to its old place.
  case samePlace = "S3"
  /// A change contains the row or section that is at its index path.
  case identity = "S4"
  /// Only changed rows and sections are updated.
  case needlessUpdate = "S5"
  /// All changed content is shown.
  case stale = "S6"
  /// Rows move only if a move is necessary, and only if their section or sort keys changed.
  case needlessMove = "S7"
  /// Update cycles aren't nested, and contain all changes.
  case bracket = "S8"
  /// The table shows the list.
  case divergence = "S9"
  /// A batch begins with the list that the previous batch ended with.
  case gap = "S10"
}

extension MirrorTable {
  /// An error for a change that a table view can't apply, or after which it shows the wrong list.
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
