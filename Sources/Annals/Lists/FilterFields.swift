/// The fields of a row that a filter string may name, for example a string that a user types.
///
///     extension Book {
///       static let filters = FilterFields<Book>(
///         .field("title", \.title, ignoringCase: true), .field("price", \.price), .field("shelf", \.shelf))
///     }
///     let filter = try Book.filters.filter(#"price >= 50 and (shelf = odd or not title contains "war")"#)
///     try controller.update { $0.filter = filter }
///
/// A filter string is parsed at run time and contains no code. It can only compare the fields that you list.
/// `Docs/Filters.md` describes the syntax. If the syntax is wrong, or a field is compared with a value of another type,
/// ``filter(_:)`` throws a ``FilterError`` with the place of the error.
public struct FilterFields<Row: Annals.Row>: Sendable {
  /// The fields, in the order used by error messages.
  public let fields: [FilterField<Row>]

  /// Creates a list of fields.
  ///
  /// - Parameter fields: The fields. Two fields with the same name are a programmer's error.
  public init(_ fields: FilterField<Row>...) { self.init(fields) }

  /// Creates a list of fields.
  ///
  /// - Parameter fields: The fields. Two fields with the same name are a programmer's error.
  public init(_ fields: [FilterField<Row>]) {
    var names: Set<ExactString> = []
    for field in fields {
      precondition(
        names.insert(ExactString(field.name)).inserted,
        "two fields of the filter have the name \(field.name); give them different names")
    }
    self.fields = fields
  }

  /// Creates a filter from a string, or a filter for all rows if the string is empty or blank.
  ///
  /// The filter's name is the filter string in a normalized spelling, so a list with the filter can be saved. You can
  /// combine the filter with other filters with `&&`, `||` and `!`. If you save lists, a field's name must always have
  /// the same meaning, even in later versions of your app.
  ///
  /// - Parameter text: The filter string, such as `price >= 50 and shelf in (odd, "not so odd")`, with at most 10,000
  ///   characters.
  /// - Returns: The filter.
  /// - Throws: ``FilterError`` with the place of the error and the expected syntax.
  /// - Complexity: O(n) for a string of n characters, and O(n) for every row that the filter checks.
  public func filter(_ text: String) throws(FilterError) -> RowFilter<Row> {
    var parser = FilterParser(try FilterTokens(text), fields)
    let (includes, name) = try parser.parse()
    return .where(name, includes)
  }
}

/// An error in a filter string, with its place and the expected syntax.
public struct FilterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The place of the error in the string, counted in characters from 1, or the place after the last character if the
  /// error is at the end.
  public let column: Int
  /// The syntax that is expected at the place of the error.
  public let expected: String
  /// The part of the string at the place of the error, as written, or "the end".
  public let found: String

  /// The complete message, such as `character 9: expected a number for price, found "abc"`.
  public var message: String { "character \(column): expected \(expected), found \(found)" }

  /// The message.
  public var description: String { message }
}
