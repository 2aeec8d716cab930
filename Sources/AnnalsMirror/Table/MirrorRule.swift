/// What a table view asks of a batch; `Docs/MirrorTable.md` says each in words.
///
/// The raw value is the number in that page: V for what UIKit refuses or mishandles, S for what only a strict table refuses.
public enum MirrorRule: String, Hashable, Sendable, CaseIterable {
  /// Sources are places of the old list, targets of the new.
  case bounds = "V1"
  /// As many sections are there as the batch says.
  case sectionCount = "V2"
  /// As many rows are in each section as the batch says.
  case rowCount = "V3"
  /// Nothing leaves a place twice, or leaves it and is reloaded.
  case sameSource = "V4"
  /// Nothing comes to a place twice, and nothing goes to two places.
  case sameTarget = "V5"
  /// No row moves out of a section that goes or into one that comes.
  case acrossSections = "V6"
  /// Nothing is deleted or inserted twice.
  case repeated = "V7"
  /// Nothing happens to the rows of a section that moves.
  case insideMovedSection = "V8"
  /// No row is reloaded where others move, unless its place is plain.
  case updateAmongMoves = "V9"
  /// Rows move only between sections whose number stays.
  case displacedSection = "V10"
  /// Nothing is told in a bracket after everything was loaded anew.
  case afterReload = "V11"
  /// The data source has the old list when a bracket begins.
  case countsBefore = "V12"
  /// All rows of sections that go or come are listed.
  case incomplete = "S1"
  /// A row has one change, or a pair.
  case oneChange = "S2"
  /// Nothing moves to where it was.
  case samePlace = "S3"
  /// A change names the row or section that is there.
  case identity = "S4"
  /// Nothing is updated that is what it was.
  case needlessUpdate = "S5"
  /// What changed is shown.
  case stale = "S6"
  /// No more rows move than must, and none whose keys are what they were.
  case needlessMove = "S7"
  /// Brackets do not nest, and changes come inside of one.
  case bracket = "S8"
  /// What is shown is the list.
  case divergence = "S9"
  /// A batch begins where the one before ended.
  case gap = "S10"
}

extension MirrorTable {
  /// A change that a table view cannot take, or that shows the wrong list.
  public struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule that is broken.
    public let rule: MirrorRule
    /// What is wrong, in the words of UIKit's exceptions where UIKit has some.
    public let sentence: String
    /// The list that should be shown beside the one that is, a line for each row; empty if nobody said what should be.
    public let picture: [String]

    /// The rule's number, the sentence and the picture.
    public var description: String {
      (["\(sentence) (\(rule.rawValue))"] + picture.map { "  \($0)" }).joined(separator: "\n")
    }
  }

  /// A violation with the list that there should be, if it is known, beside the one that is shown.
  func violation(_ rule: MirrorRule, _ sentence: String, _ expected: [Section]?) -> Violation {
    Violation(
      rule: rule, sentence: sentence, picture: expected.map { MirrorPicture.lines(expected: $0, shown: sections) } ?? []
    )
  }
}

extension MirrorTable.Violation: OriginNaming {
  package var origin: String { rule.rawValue }
}
