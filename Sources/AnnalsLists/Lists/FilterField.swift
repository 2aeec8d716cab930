public import AnnalsLog

/// A row's field that filter strings can use, such as `price` in the filter string `price >= 50`.
///
/// Declare the fields in ``FilterFields``.
public struct FilterField<Row: AnnalsLists.Row>: Sendable {
  package typealias Test = @Sendable (Row) -> Bool

  /// The field's name in filter strings.
  public let name: String
  /// A description of the values that the field expects, such as "a number", for error messages.
  public var expects: String { kind.expectation }

  package let kind: FilterKind
  /// True if the field can be empty in a row.
  package let isOptional: Bool
  /// A closure that creates the test for an operator with a literal, or returns `nil` if the literal isn't a value of
  /// the field.
  private let test: @Sendable (_ operation: FilterOperator, _ literal: FilterLiteral) -> Test?
  /// The test for rows that have a value.
  package let exists: Test

  /// Creates a field for a property.
  ///
  /// - Parameters:
  ///   - name: The field's name in filter strings: a letter, followed by letters, digits, `_` and `.`. Keywords of the
  ///     filter language, such as `and`, aren't allowed.
  ///   - path: The property.
  ///   - ignoringCase: True to ignore case and accents when strings are compared. Values of other types aren't
  ///     affected.
  /// - Returns: The field.
  public static func field<V: OrderedValue & Decodable>(
    _ name: String, _ path: any KeyPath<Row, V> & Sendable, ignoringCase: Bool = false
  ) -> FilterField {
    field(name, ignoringCase: ignoringCase, propertyReader(path))
  }

  /// Creates a field for a ``Personal`` property, which stores a person's data that can be erased.
  ///
  /// If a row's value was erased, a filter treats the row as a row without a value. For a field `name`, such a row
  /// matches `name = null`, but doesn't match `name = Emma`.
  ///
  /// - Parameters:
  ///   - name: The field's name in filter strings: a letter, followed by letters, digits, `_` and `.`. Keywords of the
  ///     filter language, such as `and`, aren't allowed.
  ///   - path: The property.
  ///   - ignoringCase: True to ignore case and accents when strings are compared. Values of other types aren't
  ///     affected.
  /// - Returns: The field.
  public static func field<V: OrderedValue & Decodable>(
    _ name: String, _ path: any KeyPath<Row, Personal<V>> & Sendable, ignoringCase: Bool = false
  ) -> FilterField {
    let read = propertyReader(path)
    return field(name, ignoringCase: ignoringCase) { read($0).value }
  }

  /// Creates a field for a computed value.
  ///
  /// - Parameters:
  ///   - name: The field's name in filter strings: a letter, followed by letters, digits, `_` and `.`. Keywords of the
  ///     filter language, such as `and`, aren't allowed.
  ///   - ignoringCase: True to ignore case and accents when strings are compared. Values of other types aren't
  ///     affected.
  ///   - value: A closure that computes the value. It must return equal values for equal rows.
  /// - Returns: The field.
  public static func field<V: OrderedValue & Decodable>(
    _ name: String, ignoringCase: Bool = false, _ value: @escaping @Sendable (Row) -> V
  ) -> FilterField {
    precondition(
      FilterTokens.isName(name),
      "a filter field's name must begin with a letter, can contain only letters, digits, `_` and `.`, and can't be one "
        + "of the reserved words \(FilterTokens.words.joined(separator: ", ")) (was \"\(name)\")")
    let (kind, isOptional) = FilterKind.of(V.self)
    // The encoded key of rows without a value.
    var nothing: OrderKey?
    if isOptional, let none = try? PayloadCoder().decode(V.self, from: "null") { nothing = OrderKey(none) }
    let exists: Test = { [nothing] row in OrderKey(value(row)) != nothing }
    let folds = ignoringCase && kind == FilterKind.text
    return FilterField(
      name: name, kind: kind, isOptional: isOptional,
      test: { [nothing] operation, literal in
        if kind == .text, folds || operation.isOfTexts { return texts(value, operation, literal.text, folds: folds) }
        return kind.value(V.self, literal).flatMap { values(value, operation, OrderKey($0), nothing) }
      }, exists: exists)
  }

  /// Creates a test that compares a row's value with a wanted value, by the bytes that define the order of values.
  private static func values<V: OrderedValue>(
    _ value: @escaping @Sendable (Row) -> V, _ operation: FilterOperator, _ wanted: OrderKey, _ nothing: OrderKey?
  ) -> Test? {
    { row in
      let found = OrderKey(value(row))
      if let nothing, found == nothing { return operation == .differs }
      return operation.holds(found, wanted)
    }
  }

  /// Creates a test that compares a row's string with a wanted string, or searches the row's string for it.
  private static func texts<V: OrderedValue>(
    _ value: @escaping @Sendable (Row) -> V, _ operation: FilterOperator, _ text: String, folds: Bool
  ) -> Test? {
    let wanted = folds ? text.foldedForFilters : text
    return { row in
      guard case .string(let text) = value(row).sectionKey else { return operation == .differs }
      return operation.holds(folds ? text.foldedForFilters : text, wanted)
    }
  }

  private init(
    name: String, kind: FilterKind, isOptional: Bool,
    test: @escaping @Sendable (FilterOperator, FilterLiteral) -> Test?, exists: @escaping Test
  ) {
    self.name = name
    self.kind = kind
    self.isOptional = isOptional
    self.test = test
    self.exists = exists
  }
}

extension FilterField: FilterTarget {
  package func compare(_ operation: FilterOperator, _ literal: FilterLiteral) -> Test? { test(operation, literal) }
}
