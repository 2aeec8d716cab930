public import AnnalsLog

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

  /// Creates a sort key that sorts rows by a personal string, ascending by a language's rules, with erased strings
  /// first.
  ///
  /// - Parameters:
  ///   - path: The ``Personal`` property.
  ///   - collation: The language's rules for sorting strings.
  /// - Returns: The sort key.
  public static func ascending(
    _ path: any KeyPath<Row, Personal<String>> & Sendable, in collation: Collation
  ) -> SortKey {
    collated(propertyReader(path), collation, descending: false).at(path, .ascending, in: collation)
  }

  /// Creates a sort key that sorts rows by an optional personal string, ascending by a language's rules, with `nil` and
  /// erased strings first.
  ///
  /// - Parameters:
  ///   - path: The optional ``Personal`` property.
  ///   - collation: The language's rules for sorting strings.
  /// - Returns: The sort key.
  public static func ascending(
    _ path: any KeyPath<Row, Personal<String>?> & Sendable, in collation: Collation
  ) -> SortKey {
    collated(propertyReader(path), collation, descending: false).at(path, .ascending, in: collation)
  }

  /// Creates a sort key that sorts rows by a personal string, descending by a language's rules, with erased strings
  /// last.
  ///
  /// - Parameters:
  ///   - path: The ``Personal`` property.
  ///   - collation: The language's rules for sorting strings.
  /// - Returns: The sort key.
  public static func descending(
    _ path: any KeyPath<Row, Personal<String>> & Sendable, in collation: Collation
  ) -> SortKey {
    collated(propertyReader(path), collation, descending: true).at(path, .descending, in: collation)
  }

  /// Creates a sort key that sorts rows by an optional personal string, descending by a language's rules, with `nil`
  /// and erased strings last.
  ///
  /// - Parameters:
  ///   - path: The optional ``Personal`` property.
  ///   - collation: The language's rules for sorting strings.
  /// - Returns: The sort key.
  public static func descending(
    _ path: any KeyPath<Row, Personal<String>?> & Sendable, in collation: Collation
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

  /// Creates a sort key that sorts rows by a computed optional string, ascending by a language's rules, with `nil`
  /// first.
  ///
  /// - Parameters:
  ///   - collation: The language's rules for sorting strings.
  ///   - text: A closure that computes the string or `nil`. It must return equal values for equal rows.
  /// - Returns: The sort key.
  @_disfavoredOverload
  public static func ascending(in collation: Collation, _ text: @escaping @Sendable (Row) -> String?) -> SortKey {
    collated(text, collation, descending: false)
  }

  /// Creates a sort key that sorts rows by a computed optional string, descending by a language's rules, with `nil`
  /// last.
  ///
  /// - Parameters:
  ///   - collation: The language's rules for sorting strings.
  ///   - text: A closure that computes the string or `nil`. It must return equal values for equal rows.
  /// - Returns: The sort key.
  @_disfavoredOverload
  public static func descending(in collation: Collation, _ text: @escaping @Sendable (Row) -> String?) -> SortKey {
    collated(text, collation, descending: true)
  }

  private static func collated<T: PossibleText>(
    _ read: @escaping @Sendable (Row) -> T, _ collation: Collation, descending: Bool
  ) -> SortKey {
    let bytes = collation.bytes
    let canBeMissing = T.optionals > 0
    return SortKey(
      kind: .bytes { row, writer in
        writer.write(descending: descending) { writer in
          let text = read(row).text
          if canBeMissing { writer.write(byte: text == nil ? 0 : 1) }
          if let text { bytes.write(text, to: &writer) }
        }
      }, orderVersion: collation.orderVersion,
      search: { prefix in
        // The search never finds a row without a string, because the row's key begins with another byte.
        var search = bytes.search(for: prefix).reading { read($0).text ?? "" }
        if canBeMissing { search.bytes.insert(1, at: 0) }
        return descending ? search.descending : search
      })
  }
}

/// A string, or a value that contains a string or `nil`.
protocol PossibleText: Sendable {
  /// The number of optionals around the string, each of which writes a byte into a key (``OrderedValue``).
  static var optionals: Int { get }
  /// The string, or `nil` if it is missing or erased.
  var text: String? { get }
}

extension String: PossibleText {
  static var optionals: Int { 0 }
  var text: String? { self }
}

extension Optional: PossibleText where Wrapped: PossibleText {
  static var optionals: Int { Wrapped.optionals + 1 }
  var text: String? { self?.text }
}

extension Personal: PossibleText where Value: PossibleText {
  // A personal value is written like an optional, because it can be erased.
  static var optionals: Int { Value.optionals + 1 }
  var text: String? { value?.text }
}
