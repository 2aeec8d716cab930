import AnnalsLog

/// A value in a list, identified by its id.
///
/// Two values with the same id are versions of the same row. If `==` returns false for the two versions, the row's
/// content has changed.
///
/// A row that contains NaN isn't equal to an exact copy of itself. So for such a row, the content has changed if
/// `encode(to:)` produces different output for the two versions, or if the row can't be encoded.
///
///     struct Book: Row {
///       let id: String
///       var title: String
///       var price: Double
///     }
public protocol Row: Identifiable, Codable, Equatable, Sendable where ID: OrderedValue {}

extension Row {
  /// Returns whether two rows have the same content, even if they aren't equal to themselves.
  ///
  /// - Complexity: The cost of `==`. Rows that differ are encoded only if they aren't equal to themselves, or if they
  ///   might hide NaN, as ``HiddenNaN`` describes.
  package func isSame(as other: Self) -> Bool {
    self == other || (self != self || HiddenNaN.isPossible(in: self)) && isWritten(as: other)
  }

  /// Returns the same result as ``isSame(as:)``, for a caller that caches whether the row type can hide NaN.
  func isSame(as other: Self, _ known: HiddenNaN) -> Bool {
    self == other || (self != self || known.isPossible(in: self)) && isWritten(as: other)
  }

  /// Returns true if two rows have the same encoding.
  @inline(never)
  private func isWritten(as other: Self) -> Bool {
    guard let text = try? PayloadCoder.comparisonText(of: self),
      let otherText = try? PayloadCoder.comparisonText(of: other)
    else { return false }
    return ExactString(text) == ExactString(otherText)
  }

  /// Returns whether a row has the same content as a row of unknown type.
  package func isSame(asAny other: any Row) -> Bool { (other as? Self).map { isSame(as: $0) } ?? false }
}

extension Optional where Wrapped: Row {
  /// Returns whether both rows are `nil` or have the same content.
  package func isSame(as other: Wrapped?) -> Bool {
    guard let self, let other else { return self == nil && other == nil }
    return self.isSame(as: other)
  }
}
