extension SortKey {
  /// Sorts by a text in the order of a language, from its beginning.
  ///
  /// - Parameters:
  ///   - path: The text.
  ///   - collation: The order.
  /// - Returns: The key.
  public static func ascending(
    _ path: any KeyPath<Row, String> & Sendable, in collation: Collation
  ) -> SortKey {
    collated(propertyReader(path), collation, descending: false).at(path, .ascending, in: collation)
  }

  /// Sorts by a text in the order of a language, from its end.
  ///
  /// - Parameters:
  ///   - path: The text.
  ///   - collation: The order.
  /// - Returns: The key.
  public static func descending(
    _ path: any KeyPath<Row, String> & Sendable, in collation: Collation
  ) -> SortKey {
    collated(propertyReader(path), collation, descending: true).at(path, .descending, in: collation)
  }

  /// Sorts by a text that may be missing in the order of a language; rows without one come first.
  ///
  /// - Parameters:
  ///   - path: The text.
  ///   - collation: The order.
  /// - Returns: The key.
  public static func ascending(
    _ path: any KeyPath<Row, String?> & Sendable, in collation: Collation
  ) -> SortKey {
    collated(propertyReader(path), collation, descending: false).at(path, .ascending, in: collation)
  }

  /// Sorts by a text that may be missing in the order of a language, from its end; rows without one come last.
  ///
  /// - Parameters:
  ///   - path: The text.
  ///   - collation: The order.
  /// - Returns: The key.
  public static func descending(
    _ path: any KeyPath<Row, String?> & Sendable, in collation: Collation
  ) -> SortKey {
    collated(propertyReader(path), collation, descending: true).at(path, .descending, in: collation)
  }

  /// Sorts by a computed text in the order of a language, from its beginning.
  ///
  /// - Parameters:
  ///   - collation: The order.
  ///   - text: Computes the text; the same for equal rows.
  /// - Returns: The key.
  public static func ascending(in collation: Collation, _ text: @escaping @Sendable (Row) -> String) -> SortKey {
    collated(text, collation, descending: false)
  }

  /// Sorts by a computed text in the order of a language, from its end.
  ///
  /// - Parameters:
  ///   - collation: The order.
  ///   - text: Computes the text; the same for equal rows.
  /// - Returns: The key.
  public static func descending(in collation: Collation, _ text: @escaping @Sendable (Row) -> String) -> SortKey {
    collated(text, collation, descending: true)
  }

  private static func collated<T: CollatedText>(
    _ read: @escaping @Sendable (Row) -> T, _ collation: Collation, descending: Bool
  ) -> SortKey {
    // What a saved list is ordered by must be the same in the next process.
    guard CollationBytes.areLasting else { return ranked(read, collation, descending: descending) }
    let (keys, canBeMissing) = (CollationBytes.of(collation), T.canBeMissing)
    var key = SortKey(
      kind: .bytes { row, writer in
        writer.write(descending: descending) { writer in
          let text = read(row).collated
          if canBeMissing { writer.write(byte: text == nil ? 0 : 1) }
          if let text { keys.write(text, to: &writer) }
        }
      }, orderVersion: keys.version)
    key.prefix = { text in
      let bytes = (canBeMissing ? [1] : []) + (keys.beginning(of: text) ?? [])
      return descending ? bytes.map { ~$0 } : bytes
    }
    return key
  }

  /// Sorts by the places that texts got when Foundation compared them, on platforms without sort keys.
  package static func ranked<T: CollatedText>(
    _ read: @escaping @Sendable (Row) -> T, _ collation: Collation, descending: Bool
  ) -> SortKey {
    let ranks = CollationRanks.of(collation)
    let comparator = RowOrder.Comparator { left, right in
      // Only values of this key meet: a comparator goes with its own reader.
      guard let left = left as? OrderKey, let right = right as? OrderKey, left != right else { return 0 }
      return (left < right) == descending ? 1 : -1
    }
    return SortKey(
      kind: .custom(comparator, { row in read(row).collated.map { ranks.place(of: $0) } ?? OrderKey.empty }))
  }
}

/// A text that can be collated: there, or missing.
package protocol CollatedText: Sendable {
  /// True if there may be no text.
  static var canBeMissing: Bool { get }
  /// The text.
  var collated: String? { get }
}

extension String: CollatedText {
  package static var canBeMissing: Bool { false }
  package var collated: String? { self }
}

extension String?: CollatedText {
  package static var canBeMissing: Bool { true }
  package var collated: String? { self }
}
