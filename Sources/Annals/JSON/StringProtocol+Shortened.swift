extension StringProtocol {
  /// Returns the string, or its beginning with an ellipsis if it has more scalars, for messages about strings of any
  /// length.
  ///
  /// The count is in scalars instead of characters, because a single character can have megabytes of marks.
  package func shortened(to count: Int) -> String {
    guard let end = unicodeScalars.index(startIndex, offsetBy: count, limitedBy: endIndex), end < endIndex else {
      return String(self)
    }
    return String(self[..<end]) + "…"
  }
}
