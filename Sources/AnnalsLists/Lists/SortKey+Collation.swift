extension SortKey {
  /// Creates a sort key that sorts rows by a string property, ascending by a language's rules.
  ///
  /// - Parameters:
  ///   - path: The string property.
  ///   - collation: The language's rules for sorting strings.
  /// - Returns: The sort key.
  public static func ascending(
    _ path: any KeyPath<Row, String> & Sendable, in collation: Collation
  ) -> SortKey {
    collated(propertyReader(path), collation, descending: false).at(path, .ascending, in: collation)
  }

  /// Creates a sort key that sorts rows by a string property, descending by a language's rules.
  ///
  /// - Parameters:
  ///   - path: The string property.
  ///   - collation: The language's rules for sorting strings.
  /// - Returns: The sort key.
  public static func descending(
    _ path: any KeyPath<Row, String> & Sendable, in collation: Collation
  ) -> SortKey {
    collated(propertyReader(path), collation, descending: true).at(path, .descending, in: collation)
  }

  /// Creates a sort key that sorts rows by an optional string property, ascending by a language's rules, with `nil`
  /// first.
  ///
  /// - Parameters:
  ///   - path: The string property.
  ///   - collation: The language's rules for sorting strings.
  /// - Returns: The sort key.
  public static func ascending(
    _ path: any KeyPath<Row, String?> & Sendable, in collation: Collation
  ) -> SortKey {
    collated(propertyReader(path), collation, descending: false).at(path, .ascending, in: collation)
  }

  /// Creates a sort key that sorts rows by an optional string property, descending by a language's rules, with `nil`
  /// last.
  ///
  /// - Parameters:
  ///   - path: The string property.
  ///   - collation: The language's rules for sorting strings.
  /// - Returns: The sort key.
  public static func descending(
    _ path: any KeyPath<Row, String?> & Sendable, in collation: Collation
  ) -> SortKey {
    collated(propertyReader(path), collation, descending: true).at(path, .descending, in: collation)
  }

  /// Creates a sort key that sorts rows by a computed string, ascending by a language's rules.
  ///
  /// - Parameters:
  ///   - collation: The language's rules for sorting strings.
  ///   - text: A closure that computes the string. It must return equal strings for equal rows.
  /// - Returns: The sort key.
  public static func ascending(in collation: Collation, _ text: @escaping @Sendable (Row) -> String) -> SortKey {
    collated(text, collation, descending: false)
  }

  /// Creates a sort key that sorts rows by a computed string, descending by a language's rules.
  ///
  /// - Parameters:
  ///   - collation: The language's rules for sorting strings.
  ///   - text: A closure that computes the string. It must return equal strings for equal rows.
  /// - Returns: The sort key.
  public static func descending(in collation: Collation, _ text: @escaping @Sendable (Row) -> String) -> SortKey {
    collated(text, collation, descending: true)
  }

  private static func collated<T: CollatedText>(
    _ read: @escaping @Sendable (Row) -> T, _ collation: Collation, descending: Bool
  ) -> SortKey {
    // The order of a saved list must be the same in the next process.
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

  /// Creates a key that sorts strings by the ranks from Foundation's comparison, on platforms without sort keys.
  package static func ranked<T: CollatedText>(
    _ read: @escaping @Sendable (Row) -> T, _ collation: Collation, descending: Bool
  ) -> SortKey {
    let ranks = CollationRanks.of(collation)
    let comparator = RowOrder.Comparator { left, right in
      // Only values of this key are compared, because a comparator belongs to its own reader.
      guard let left = left as? OrderKey, let right = right as? OrderKey, left != right else { return 0 }
      return (left < right) == descending ? 1 : -1
    }
    return SortKey(
      kind: .custom(comparator, { row in read(row).collated.map { ranks.place(of: $0) } ?? OrderKey.empty }))
  }
}

/// A string or an optional string to collate.
package protocol CollatedText: Sendable {
  /// True if the string may be `nil`.
  static var canBeMissing: Bool { get }
  /// The string.
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
