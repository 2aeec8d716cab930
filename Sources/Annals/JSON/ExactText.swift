/// Text that is equal only to text of the same Unicode scalars.
///
/// Swift's `String` compares by canonical equivalence, so that "é" in one scalar equals "é" in two. SQLite, JSON and
/// every other reader of a log compare bytes; a name that means one stream here and two there would be a lost event.
package protocol ExactText: Hashable, Comparable, Sendable, CustomStringConvertible {
  var text: String { get }
}

extension ExactText {
  /// Tells whether two texts have the same scalars.
  public static func == (left: Self, right: Self) -> Bool { exactlyEqual(left.text, right.text) }

  /// Tells whether one text stands before another, by scalars.
  public static func < (left: Self, right: Self) -> Bool { left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }

  /// Hashes the text's scalars.
  public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xFF as UInt8)
  }

  /// The text.
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

/// A string as a dictionary key, equal to another only if both have the same scalars.
package struct ExactString: ExactText {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }
}
