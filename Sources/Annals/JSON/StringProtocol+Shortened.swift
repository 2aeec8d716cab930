extension StringProtocol {
  /// The text, or its beginning with an ellipsis where it has more scalars: what a message says of a text of any
  /// length.
  ///
  /// By scalars, not characters: one character may be megabytes of marks.
  package func shortened(to count: Int) -> String {
    guard let end = unicodeScalars.index(startIndex, offsetBy: count, limitedBy: endIndex), end < endIndex else {
      return String(self)
    }
    return String(self[..<end]) + "…"
  }
}
