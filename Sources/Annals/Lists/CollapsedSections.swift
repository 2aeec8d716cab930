/// The sections of a list whose rows are hidden, by their keys.
///
/// A key stays collapsed, or not, even while the list has no such section: one that is deleted and comes again is what
/// it was.
public struct CollapsedSections: Hashable, Sendable {
  /// The keys that are collapsed, or else those that are not.
  let keys: Set<SectionKey>
  /// True if all but the keys are collapsed.
  let isInverted: Bool

  /// No section is collapsed.
  public static let none = CollapsedSections(keys: [], isInverted: false)
  /// Every section is collapsed, including those that come later.
  public static let all = CollapsedSections(keys: [], isInverted: true)

  /// Some sections are collapsed.
  ///
  /// - Parameter keys: The sections' keys.
  /// - Returns: The set of them.
  public static func only(_ keys: Set<SectionKey>) -> CollapsedSections {
    CollapsedSections(keys: keys, isInverted: false)
  }

  /// Every section is collapsed but some, including those that come later.
  ///
  /// - Parameter keys: The keys of the sections that are not.
  /// - Returns: The set of all others.
  public static func allExcept(_ keys: Set<SectionKey>) -> CollapsedSections {
    CollapsedSections(keys: keys, isInverted: true)
  }

  /// Tells whether a section is collapsed.
  ///
  /// - Parameter key: The section's key.
  /// - Returns: True if its rows are hidden, or would be if it were there.
  public func contains(_ key: SectionKey) -> Bool { keys.contains(key) != isInverted }

  /// True if no section is, or will be.
  public var isNone: Bool { keys.isEmpty && !isInverted }

  /// Collapses a section.
  ///
  /// - Parameter key: The section's key.
  public mutating func collapse(_ key: SectionKey) {
    self = CollapsedSections(keys: isInverted ? keys.subtracting([key]) : keys.union([key]), isInverted: isInverted)
  }

  /// Expands a section.
  ///
  /// - Parameter key: The section's key.
  public mutating func expand(_ key: SectionKey) {
    self = CollapsedSections(keys: isInverted ? keys.union([key]) : keys.subtracting([key]), isInverted: isInverted)
  }
}
