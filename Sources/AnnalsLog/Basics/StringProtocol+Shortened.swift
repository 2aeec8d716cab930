extension StringProtocol {
  /// Returns the string, or its beginning and an ellipsis if the string has more scalars than `count`.
  ///
  /// Use this function in messages that contain strings of any length. The limit is a number of scalars instead of
  /// characters, because a single character can have megabytes of combining marks.
  package func shortened(to count: Int) -> String {
    guard let end = unicodeScalars.index(startIndex, offsetBy: count, limitedBy: endIndex), end < endIndex else {
      return String(self)
    }
    return String(self[..<end]) + "…"
  }
}
