/// A field of a row that the text of a filter may name: ``FilterFields``.
public struct FilterField<Row: Annals.Row>: Sendable {
  typealias Test = @Sendable (Row) -> Bool

  /// The name of the field in texts.
  public let name: String
  /// What a value of the field is, as an error says it: "a number".
  public var expects: String { kind.expectation }

  let kind: FilterKind
  /// True if a row may lack a value.
  let isOptional: Bool
  /// Makes the test for an operator that compares with a literal; nil if the literal is no value of the field.
  let compare: @Sendable (_ operation: FilterOperator, _ literal: FilterLiteral) -> Test?
  /// True of rows that have a value.
  let exists: Test

  /// A field of a property.
  ///
  /// - Parameters:
  ///   - name: Its name in texts: a letter, then letters, digits, `_` and `.`; none of the words of the language.
  ///   - path: The property.
  ///   - ignoringCase: True if texts are compared without regard to case and accents; of no effect on other kinds.
  /// - Returns: The field.
  public static func field<V: OrderedValue & Decodable>(
    _ name: String, _ path: any KeyPath<Row, V> & Sendable, ignoringCase: Bool = false
  ) -> FilterField {
    field(name, ignoringCase: ignoringCase, propertyReader(path))
  }

  /// A field of a property that is personal; a row whose value was erased lacks it.
  ///
  /// - Parameters:
  ///   - name: Its name in texts: a letter, then letters, digits, `_` and `.`; none of the words of the language.
  ///   - path: The property.
  ///   - ignoringCase: True if texts are compared without regard to case and accents; of no effect on other kinds.
  /// - Returns: The field.
  public static func field<V: OrderedValue & Decodable>(
    _ name: String, _ path: any KeyPath<Row, Personal<V>> & Sendable, ignoringCase: Bool = false
  ) -> FilterField {
    let read = propertyReader(path)
    return field(name, ignoringCase: ignoringCase) { read($0).value }
  }

  /// A field of a computed value.
  ///
  /// - Parameters:
  ///   - name: Its name in texts: a letter, then letters, digits, `_` and `.`; none of the words of the language.
  ///   - ignoringCase: True if texts are compared without regard to case and accents; of no effect on other kinds.
  ///   - value: Computes the value; the same for equal rows.
  /// - Returns: The field.
  public static func field<V: OrderedValue & Decodable>(
    _ name: String, ignoringCase: Bool = false, _ value: @escaping @Sendable (Row) -> V
  ) -> FilterField {
    precondition(
      FilterTokens.isName(name),
      "the name of a filter's field must be a letter, then letters, digits, "
        + "_ and ., and none of the words \(FilterTokens.words.joined(separator: ", ")), found \"\(name)\"")
    let (kind, isOptional) = FilterKind.of(V.self)
    // What rows without a value write.
    var nothing: OrderKey?
    if isOptional, let none = try? PayloadCoder().decode(V.self, from: "null") { nothing = OrderKey(none) }
    let exists: Test = { [nothing] row in OrderKey(value(row)) != nothing }
    let folds = ignoringCase && kind == FilterKind.text
    return FilterField(
      name: name, kind: kind, isOptional: isOptional,
      compare: { [nothing] operation, literal in
        if kind == .text, folds || operation.isOfTexts { return texts(value, operation, literal.text, folds: folds) }
        return kind.value(V.self, literal).flatMap { values(value, operation, OrderKey($0), nothing) }
      }, exists: exists)
  }

  /// Compares by the bytes that order the values.
  private static func values<V: OrderedValue>(
    _ value: @escaping @Sendable (Row) -> V, _ operation: FilterOperator, _ wanted: OrderKey, _ nothing: OrderKey?
  ) -> Test? {
    { row in
      let found = OrderKey(value(row))
      if let nothing, found == nothing { return operation == .differs }
      return operation.holds(found, wanted)
    }
  }

  /// Compares as texts, or looks for a part of them.
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
    compare: @escaping @Sendable (FilterOperator, FilterLiteral) -> Test?, exists: @escaping Test
  ) {
    (self.name, self.kind, self.isOptional, self.compare, self.exists) = (name, kind, isOptional, compare, exists)
  }
}
