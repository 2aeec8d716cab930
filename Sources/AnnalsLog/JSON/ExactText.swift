/// A string that is equal only to strings with the same Unicode scalars.
///
/// Swift's `String` compares by canonical equivalence, so "é" as one scalar equals "é" as two scalars. SQLite, JSON and
/// all other readers of a log compare bytes. If two names meant the same stream in Swift but two streams in another
/// program, an event would be lost.
package protocol ExactText: Hashable, Comparable, Sendable, CustomStringConvertible {
  var text: String { get }
}

extension ExactText {
  /// Returns whether the strings of two values have the same Unicode scalars.
  public static func == (left: Self, right: Self) -> Bool { exactlyEqual(left.text, right.text) }

  /// Returns whether the left value's string precedes the right value's string, in the order of their Unicode scalars.
  public static func < (left: Self, right: Self) -> Bool { left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }

  /// Hashes the Unicode scalars of the value's string.
  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xFF as UInt8)
  }

  /// The value's string.
  public var description: String { text }

  package static func exactlyEqual(_ left: String, _ right: String) -> Bool {
    let count = left.utf8.count
    guard count == right.utf8.count else { return false }
    let isEqual = left.utf8.withContiguousStorageIfAvailable { left in
      right.utf8.withContiguousStorageIfAvailable { right in
        var offset = 0
        while offset < count {
          if left[offset] != right[offset] { return false }
          offset += 1
        }
        return true
      }
    }
    return (isEqual ?? nil) ?? left.utf8.elementsEqual(right.utf8)
  }
}

/// A string as a dictionary key.
///
/// Two keys are equal only if they have the same scalars.
package struct ExactString: ExactText {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }
}
