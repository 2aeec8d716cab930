/// The fields of a row that the text of a filter may name, such as one that a user types.
///
///     extension Book {
///       static let filters = FilterFields<Book>(
///         .field("title", \.title, ignoringCase: true), .field("price", \.price), .field("shelf", \.shelf))
///     }
///     let filter = try Book.filters.filter(#"price >= 50 and (shelf = odd or not title contains "war")"#)
///     try controller.update { $0.filter = filter }
///
/// A text is read at run time and is no code: it compares the fields that you list, and does nothing else. What it can
/// say is in `Docs/Filters.md`. A text that is none, or that compares a field with a value of another kind, is a
/// ``FilterError`` that names the place.
public struct FilterFields<Row: Annals.Row>: Sendable {
  /// The fields, in the order in which errors list them.
  public let fields: [FilterField<Row>]

  /// Lists the fields.
  ///
  /// - Parameter fields: The fields; two of one name are a programmer's error.
  public init(_ fields: FilterField<Row>...) { self.init(fields) }

  /// Lists the fields.
  ///
  /// - Parameter fields: The fields; two of one name are a programmer's error.
  public init(_ fields: [FilterField<Row>]) {
    var names: Set<ExactString> = []
    for field in fields {
      precondition(
        names.insert(ExactString(field.name)).inserted,
        "two fields of the filter have the name \(field.name); give them different names")
    }
    self.fields = fields
  }

  /// The filter that a text says; one that lets all rows through if the text is empty or blank.
  ///
  /// The filter has a name, which is its text in one spelling. So a list that it filters can be saved, and filters are
  /// joined with `&&`, `||` and `!`. Where lists are saved, a field of one name must read the same at all times.
  ///
  /// - Parameter text: Such as `price >= 50 and shelf in (odd, "not so odd")`; at most 10,000 characters.
  /// - Returns: The filter.
  /// - Throws: ``FilterError``, which says where the text is wrong, and what was expected there.
  /// - Complexity: O(n) for a text of n characters, and O(n) for each row that is filtered.
  public func filter(_ text: String) throws(FilterError) -> RowFilter<Row> {
    var parser = FilterParser(try FilterTokens(text), fields)
    let (includes, name) = try parser.parse()
    return .where(name, includes)
  }
}

/// Why a text is no filter: where it is wrong, and what was expected there.
public struct FilterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The place in the text, in characters from 1; that after the last one for the end of the text.
  public let column: Int
  /// What was expected at the place.
  public let expected: String
  /// What is there, as it is written, or "the end".
  public let found: String

  /// All of it as a sentence: `character 9: expected a number for price, found "abc"`.
  public var message: String { "character \(column): expected \(expected), found \(found)" }

  /// The message.
  public var description: String { message }
}
