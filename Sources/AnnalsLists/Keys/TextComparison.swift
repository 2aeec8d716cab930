import AnnalsLog
package import Foundation

/// A comparison of strings by the rules of languages, with the rules' version.
package struct TextComparison: Hashable, Sendable {
  /// A version that changes if the rules change.
  let version: String
  package let compare: @Sendable (String, String, Locale) -> ComparisonResult

  package init(version: String, compare: @escaping @Sendable (String, String, Locale) -> ComparisonResult) {
    self.version = version
    self.compare = compare
  }

  package static func == (left: TextComparison, right: TextComparison) -> Bool { left.version == right.version }

  package func hash(into hasher: inout Hasher) { hasher.combine(version) }

  /// Foundation's comparison.
  package static let foundation = TextComparison(version: foundationVersion) { left, right, locale in
    // On Apple's systems, a comparison creates objects for short strings. They are released after every comparison,
    // because a sort needs millions of comparisons.
    releasingObjects { left.compare(right, options: [], range: nil, locale: locale) }
  }

  private static var foundationVersion: String {
    #if canImport(Darwin)
      // The rules are a part of the system and have no separate version. The string contains the system's build.
      "Foundation, \(ProcessInfo.processInfo.operatingSystemVersionString)"
    #else
      // The rules are a part of the program, and have no version. So no process trusts another process's lists.
      "Foundation, \(UUID().uuidString)"
    #endif
  }
}
