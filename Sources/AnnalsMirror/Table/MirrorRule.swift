/// A rule that a batch must keep for a table view; `Docs/MirrorTable.md` explains each.
///
/// The raw value is the rule's number in that page: V if UIKit refuses or mishandles the batch, S if only a strict
/// table refuses it.
public enum MirrorRule: String, Hashable, Sendable, CaseIterable {
  /// Sources are index paths of the old list, targets of the new.
  case bounds = "V1"
  /// The number of sections is what the batch says.
  case sectionCount = "V2"
  /// The number of rows in each section is what the batch says.
  case rowCount = "V3"
  /// Nothing leaves an index path twice, or leaves it and is reloaded.
  case sameSource = "V4"
  /// Nothing arrives at an index path twice, and nothing goes to two index paths.
  case sameTarget = "V5"
  /// No row moves out of a deleted section or into an inserted one.
  case acrossSections = "V6"
  /// Nothing is deleted or inserted twice.
  case repeated = "V7"
  /// Nothing happens to the rows of a moved section.
  case insideMovedSection = "V8"
  /// No row is reloaded among moving rows, unless its index path is unambiguous.
  case updateAmongMoves = "V9"
  /// Rows move only between sections whose index stays.
  case displacedSection = "V10"
  /// No change follows in a bracket after the table was reloaded in it.
  case afterReload = "V11"
  /// The data source has the old list when a bracket begins.
  case countsBefore = "V12"
  /// All rows of deleted and inserted sections are listed.
  case incomplete = "S1"
  /// A row has one change, or a pair.
  case oneChange = "S2"
  /// Nothing moves to where it was before.
  case samePlace = "S3"
  /// A change names the row or section that is there.
  case identity = "S4"
  /// Nothing is updated that did not change.
  case needlessUpdate = "S5"
  /// Everything that changed is shown.
  case stale = "S6"
  /// Only rows that must move do so, and none whose keys did not change.
  case needlessMove = "S7"
  /// Brackets do not nest, and every change is inside one.
  case bracket = "S8"
  /// The table shows the list.
  case divergence = "S9"
  /// A batch begins where the previous one ended.
  case gap = "S10"
}

extension MirrorTable {
  /// A change that a table view cannot take, or that shows the wrong list.
  public struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule that is broken.
    public let rule: MirrorRule
    /// What is wrong, in the words of UIKit's exception if there is one.
    public let sentence: String
    /// The expected list beside the shown one, a line for each row; empty if the expected list is unknown.
    public let picture: [String]

    /// The rule's number, the sentence and the picture.
    public var description: String {
      (["\(sentence) (\(rule.rawValue))"] + picture.map { "  \($0)" }).joined(separator: "\n")
    }
  }

  /// A violation that shows the expected list, if it is known, beside the shown one.
  func violation(_ rule: MirrorRule, _ sentence: String, _ expected: [Section]?) -> Violation {
    Violation(
      rule: rule, sentence: sentence, picture: expected.map { MirrorPicture.lines(expected: $0, shown: sections) } ?? []
    )
  }
}

extension MirrorTable.Violation: OriginNaming {
  package var origin: String { rule.rawValue }
}
