import Foundation

/// The bytes by which strings are sorted in a language.
protocol CollationBytes: Sendable {
  /// A version that changes if the rules or their data change.
  var version: String { get }

  /// Compares two strings.
  func compare(_ left: String, _ right: String) -> ComparisonResult

  /// Writes bytes whose order equals the order of the strings.
  ///
  /// No string's bytes are a prefix of another string's bytes.
  func write(_ text: String, to writer: inout KeyWriter)

  /// Returns a search for the strings with a prefix, regardless of case and accents.
  func search(for prefix: String) -> PrefixSearch<String>
}

// Only this file and `CollationKeys` check the platform.
#if !(os(Linux) && canImport(_FoundationICU))
  typealias CollationKeys = CollationRanks
#endif

extension Collation {
  private static let known = MadeOnce<Collation, any CollationBytes> { collation in
    if collation.comparison == nil { return CollationKeys(collation) }
    return CollationRanks(collation)
  }

  /// The bytes of strings.
  var bytes: any CollationBytes { Self.known[self] }

  /// The collation and the version of its rules.
  ///
  /// If the version changes, saved lists are rebuilt.
  package var orderVersion: String { "\(self) by \(bytes.version)" }

  /// Writes bytes whose order equals the order of the strings.
  ///
  /// No string's bytes are a prefix of another string's bytes.
  package func write(_ text: String, to writer: inout KeyWriter) { bytes.write(text, to: &writer) }
}
