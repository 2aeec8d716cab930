/// A set of section keys that selects the sections whose rows are hidden.
///
/// A key stays in the set even while the list has no such section. If a section is deleted and reinserted, it is
/// collapsed as before.
public struct CollapsedSections: Hashable, Sendable {
  /// The collapsed keys, or the expanded keys if the set is inverted.
  let keys: Set<SectionKey>
  /// True if all sections except the keys are collapsed.
  let isInverted: Bool

  /// A value with no collapsed section.
  public static let none = CollapsedSections(keys: [], isInverted: false)
  /// A value with all sections collapsed, including sections that are added later.
  public static let all = CollapsedSections(keys: [], isInverted: true)

  /// Creates a value with only the given sections collapsed.
  ///
  /// - Parameter keys: The keys of the collapsed sections.
  /// - Returns: The value.
  public static func only(_ keys: Set<SectionKey>) -> CollapsedSections {
    CollapsedSections(keys: keys, isInverted: false)
  }

  /// Creates a value in which every section is collapsed except the given sections.
  ///
  /// Sections that are added later are collapsed, too.
  ///
  /// - Parameter keys: The keys of the expanded sections.
  /// - Returns: The value.
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
