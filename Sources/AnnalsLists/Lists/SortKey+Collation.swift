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
    let bytes = collation.bytes
    return SortKey(
      kind: .bytes { row, writer in
        writer.write(descending: descending) { writer in
          let text = read(row).collated
          if T.canBeMissing { writer.write(byte: text == nil ? 0 : 1) }
          if let text { bytes.write(text, to: &writer) }
        }
      }, orderVersion: collation.orderVersion,
      search: { prefix in
        // The search never finds a row without a string, because the row's key begins with another byte.
        var search = bytes.search(for: prefix).reading { read($0).collated ?? "" }
        if T.canBeMissing { search.bytes.insert(1, at: 0) }
        return descending ? search.descending : search
      })
  }
}

/// A string or an optional string to collate.
private protocol CollatedText: Sendable {
  /// True if the string can be `nil`.
  static var canBeMissing: Bool { get }
  /// The string.
  var collated: String? { get }
}

extension String: CollatedText {
  static var canBeMissing: Bool { false }
  var collated: String? { self }
}

extension String?: CollatedText {
  static var canBeMissing: Bool { true }
  var collated: String? { self }
}
