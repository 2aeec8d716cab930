/// The path of a row in a list: the section's index, and the row's index in the section.
public struct RowPath: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The section's index.
  public let section: Int
  /// The row's index in the section.
  public let row: Int

  /// Creates a path.
  ///
  /// - Parameters:
  ///   - section: The section's index.
  ///   - row: The row's index in the section.
  public init(section: Int, row: Int) {
    self.section = section
    self.row = row
  }

  /// Returns whether a path precedes another path in the list.
  public static func < (left: RowPath, right: RowPath) -> Bool {
    (left.section, left.row) < (right.section, right.row)
  }

  /// The path as a string with both indices, such as "[0, 2]".
  public var description: String { "[\(section), \(row)]" }
}
