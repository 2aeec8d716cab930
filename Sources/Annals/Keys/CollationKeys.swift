#if os(Linux) && canImport(_FoundationICU)
  import Foundation
  // ICU as Foundation's own, which gives no sort keys itself. Its functions have a prefix, so that they do not meet
  // those of the system's ICU; the headers rename them by macros, which Swift does not see.
  import _FoundationICU

  /// The sort keys that ICU makes of texts: bytes whose order is that of the texts.
  ///
  /// Comparing two texts of 100,000 through Foundation took 5.8 s in a sort; making 100,000 keys takes 0.1 s.
  ///
  /// `@unchecked Sendable`: the collator is not changed after `init`, and ICU lets threads share one that is not.
  final class CollationKeys: @unchecked Sendable {
    private let collator: OpaquePointer
    /// The version of the rules and of their data.
    let version: String

    /// The keys are the same in each process that has the same rules.
    static let areLasting = true

    /// Making them takes ICU some milliseconds.
    private static let known = MadeOnce { CollationKeys($0) }

    /// The keys of a collation.
    static func of(_ collation: Collation) -> CollationKeys { known[collation] }

    private init(_ collation: Collation) {
      var status = U_ZERO_ERROR
      // A locale that ICU does not know gets the root's order and a warning; one that cannot be, an error.
      var opened = swift_ucol_open(collation.locale.identifier, &status)
      if opened == nil || status.rawValue > U_ZERO_ERROR.rawValue {
        status = U_ZERO_ERROR
        opened = swift_ucol_open("", &status)
      }
      guard let opened, status.rawValue <= U_ZERO_ERROR.rawValue else {
        preconditionFailure("the ICU library is missing its collation data (status \(status.rawValue))")
      }
      func set(_ attribute: UColAttribute, _ value: UColAttributeValue) {
        swift_ucol_setAttribute(opened, attribute, value, &status)
      }
      // Texts that are canonically equivalent are the same, whatever the language says for the sake of speed.
      set(UCOL_NORMALIZATION_MODE, UCOL_ON)
      set(UCOL_NUMERIC_COLLATION, collation.isNumeric ? UCOL_ON : UCOL_OFF)
      switch (collation.ignoresDiacritics, collation.ignoresCase) {
      case (false, false): set(UCOL_STRENGTH, UCOL_TERTIARY)
      case (false, true): set(UCOL_STRENGTH, UCOL_SECONDARY)
      case (true, let ignoresCase):
        set(UCOL_STRENGTH, UCOL_PRIMARY)
        set(UCOL_CASE_LEVEL, ignoresCase ? UCOL_OFF : UCOL_ON)
      }
      var bytes: (UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0)
      withUnsafeMutableBytes(of: &bytes) { swift_ucol_getVersion(opened, $0.bindMemory(to: UInt8.self).baseAddress) }
      collator = opened
      version = "ICU \(bytes.0).\(bytes.1).\(bytes.2).\(bytes.3)"
    }

    deinit { swift_ucol_close(collator) }

    /// Compares two texts by their keys.
    func compare(_ left: String, _ right: String) -> ComparisonResult {
      var (one, other) = (KeyWriter(), KeyWriter())
      write(left, to: &one)
      write(right, to: &other)
      if one.bytes == other.bytes { return .orderedSame }
      return one.bytes.lexicographicallyPrecedes(other.bytes) ? .orderedAscending : .orderedDescending
    }

    /// Writes the key of a text: no key is the beginning of another's, as each ends with its only byte 0.
    func write(_ text: String, to writer: inout KeyWriter) {
      // A unit of UTF-16 gives some three bytes.
      var capacity = text.utf8.count * 4 + 16
      withUnsafeTemporaryAllocation(of: UInt16.self, capacity: max(text.utf8.count, 1)) { units in
        let length = units.initialize(fromContentsOf: text.utf16)
        while true {
          let needed = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { bytes in
            let count = Int(
              swift_ucol_getSortKey(
                collator, units.baseAddress, Int32(length), bytes.baseAddress, Int32(bytes.count)))
            if count <= bytes.count { for byte in bytes[..<count] { writer.write(byte: byte) } }
            return count
          }
          if needed <= capacity { return }
          capacity = needed
        }
      }
    }

    /// The bytes that the keys of all texts begin with that begin with a text, whatever their case and accents.
    func beginning(of text: String) -> [UInt8]? {
      var writer = KeyWriter()
      write(text, to: &writer)
      // Letters come first, then a byte of 1 and accents, then another and the case; none of them has a byte of 0 or 1.
      return Array(writer.bytes.prefix { $0 > 1 })
    }
  }
#endif
