#if os(Linux) && canImport(_FoundationICU)
  import Foundation
  // This module is the ICU library that is bundled with Foundation, because Foundation itself does not expose sort
  // keys. The library's functions have a prefix to avoid conflicts with the system's ICU. The headers rename the
  // functions with macros, which Swift does not see.
  import _FoundationICU

  /// ICU's sort keys of strings: bytes whose order equals the order of the strings.
  ///
  /// Sorting 100,000 strings by comparisons through Foundation took 5.8 s. Creating 100,000 sort keys takes 0.1 s.
  ///
  /// `@unchecked Sendable`: the collator is not changed after `init`, and ICU lets threads share an unchanged collator.
  final class CollationKeys: CollationBytes, @unchecked Sendable {
    private let collator: OpaquePointer
    let version: String

    /// Creates a collator, which takes ICU a few milliseconds.
    init(_ collation: Collation) {
      var status = U_ZERO_ERROR
      // For a locale that ICU does not know, the collator has the root's order, and the status is a warning. For an
      // invalid locale, the status is an error.
      var opened = swift_ucol_open(collation.locale.identifier, &status)
      if opened == nil || status.rawValue > U_ZERO_ERROR.rawValue {
        status = U_ZERO_ERROR
        opened = swift_ucol_open("", &status)
      }
      guard let opened, status.rawValue <= U_ZERO_ERROR.rawValue else {
        preconditionFailure(
          "expected collation data in Foundation's ICU library, but opening the data failed (ICU status "
            + "\(status.rawValue)). Reinstall the Swift runtime libraries")
      }
      func set(_ attribute: UColAttribute, _ value: UColAttributeValue) {
        swift_ucol_setAttribute(opened, attribute, value, &status)
      }
      // Canonically equivalent strings are equal, even if the language disables normalization for speed.
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

    /// Compares two strings by their keys.
    func compare(_ left: String, _ right: String) -> ComparisonResult {
      let (one, other) = (OrderKey { write(left, to: &$0) }, OrderKey { write(right, to: &$0) })
      return one == other ? .orderedSame : one < other ? .orderedAscending : .orderedDescending
    }

    /// Writes the key of a string.
    ///
    /// Only the last byte of the key is 0.
    func write(_ text: String, to writer: inout KeyWriter) {
      // A UTF-16 code unit takes about three bytes of a sort key.
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

    /// Returns a search for the common first bytes of the keys.
    func search(for prefix: String) -> PrefixSearch<String> {
      var writer = KeyWriter()
      write(prefix, to: &writer)
      // A sort key contains the letters, a byte of 1, the accents, another byte of 1, and the case. The letters,
      // accents and case contain no byte of 0 or 1.
      return PrefixSearch(bytes: Array(writer.bytes.prefix { $0 > 1 }))
    }
  }
#endif
