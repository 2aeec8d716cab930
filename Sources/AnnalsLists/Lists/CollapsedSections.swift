/// A set of the collapsed sections of a list, whose rows the list hides.
///
/// The set identifies every section by the section's key (``SectionKey``). A key stays in the set even while the list
/// has no section with that key. So if a collapsed section disappears and reappears, it is still collapsed.
public struct CollapsedSections: Hashable, Sendable {
  /// The collapsed keys, or the expanded keys if the set is inverted.
  let keys: Set<SectionKey>
  /// True if all sections except the keys are collapsed.
  let isInverted: Bool

  /// The empty set, with which no section is collapsed.
  public static let none = CollapsedSections(keys: [], isInverted: false)
  /// The set of all sections, including sections that are added later.
  public static let all = CollapsedSections(keys: [], isInverted: true)

  /// Creates a set of the given sections.
  ///
  /// All other sections are expanded, including sections that are added later.
  ///
  /// - Parameter keys: The keys of the collapsed sections.
  /// - Returns: The set of collapsed sections.
  public static func only(_ keys: Set<SectionKey>) -> CollapsedSections {
    CollapsedSections(keys: keys, isInverted: false)
  }

  /// Creates a set of all sections except the given sections.
  ///
  /// The set includes sections that are added later.
  ///
  /// - Parameter keys: The keys of the expanded sections.
  /// - Returns: The set of collapsed sections.
  public static func allExcept(_ keys: Set<SectionKey>) -> CollapsedSections {
    CollapsedSections(keys: keys, isInverted: true)
  }

  /// Returns whether a section is collapsed.
  ///
  /// - Parameter key: The section's key.
  /// - Returns: True if the section's rows are hidden, or would be hidden if the section existed.
  public func contains(_ key: SectionKey) -> Bool { keys.contains(key) != isInverted }

  /// True if no section is collapsed, not even a section that is added later.
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
