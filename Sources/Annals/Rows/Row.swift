/// A value of a list, identified by its id.
///
/// Two rows with one id are the same row. Its content has changed if `==` is false.
///
/// A row with NaN isn't equal to an exact copy of it. The content of such a row has changed if its coding has:
/// `encode(to:)` writes something else than before. If such a row can't be encoded, its content counts as changed.
///
///     struct Book: Row {
///       let id: String
///       var title: String
///       var price: Double
///     }
public protocol Row: Identifiable, Codable, Equatable, Sendable where ID: OrderedValue {}

extension Row {
  /// True if two rows have the same content, also if they are not equal to themselves.
  ///
  /// - Complexity: That of `==`. Rows that differ are encoded only if they are not equal to themselves, or if NaN may
  ///   be hidden in them: ``HiddenNaN``.
  package func isSame(as other: Self) -> Bool {
    self == other || (self != self || HiddenNaN.isPossible(in: self)) && isWritten(as: other)
  }

  /// The same, for a caller that remembers the result for the rows' type.
  func isSame(as other: Self, _ known: HiddenNaN) -> Bool {
    self == other || (self != self || known.isPossible(in: self)) && isWritten(as: other)
  }

  /// True if two rows have the same coding.
  @inline(never)
  private func isWritten(as other: Self) -> Bool {
    guard let text = try? PayloadCoder.comparisonText(of: self),
      let otherText = try? PayloadCoder.comparisonText(of: other)
    else { return false }
    return ExactString(text) == ExactString(otherText)
  }

  /// True if a row has the same content as one of unknown type.
  package func isSame(asAny other: any Row) -> Bool { (other as? Self).map { isSame(as: $0) } ?? false }
}

extension Optional where Wrapped: Row {
  /// True if there are two rows with the same content, or none.
  package func isSame(as other: Wrapped?) -> Bool {
    guard let self, let other else { return self == nil && other == nil }
    return self.isSame(as: other)
  }
}
