import AnnalsLog
public import Foundation

/// The row fields that filter strings can use, for example strings that a user types.
///
///     extension Book {
///       static let filters = FilterFields<Book>(
///         .field("title", \.title, ignoringCase: true), .field("price", \.price), .field("shelf", \.shelf))
///     }
///     let filter = try Book.filters.filter(#"price >= 50 and (shelf = odd or not title contains "war")"#)
///     try controller.update { $0.filter = filter }
///
/// A filter string is parsed at run time and contains no code. It can compare only the fields that you list here.
/// `Docs/Filters.md` describes the syntax. If the syntax is wrong, or a field is compared with a value of another type,
/// ``filter(_:)`` throws a ``FilterError`` that contains the error's place in the string.
public struct FilterFields<Row: AnnalsLists.Row>: Sendable {
  /// The fields, in the order in which error messages list them.
  public let fields: [FilterField<Row>]

  /// Creates a collection of the fields that filter strings can use.
  ///
  /// - Parameter fields: The fields. The initializer traps if two fields have the same name.
  public init(_ fields: FilterField<Row>...) { self.init(fields) }

  /// Creates a collection of the fields that filter strings can use.
  ///
  /// - Parameter fields: The fields. The initializer traps if two fields have the same name.
  public init(_ fields: [FilterField<Row>]) {
    var names: Set<ExactString> = []
    for field in fields {
      precondition(
        names.insert(ExactString(field.name)).inserted,
        "expected filter fields with different names, found two fields named \"\(field.name)\"; rename one of them")
    }
    self.fields = fields
  }

  /// Creates a filter from a filter string.
  ///
  /// If the string is empty or blank, the filter includes all rows.
  ///
  /// You can save a list with the filter, because the filter has a name. The name is the filter string in a uniform
  /// spelling. For example, the filters of `price>=50` and `price >= 50` have the same name. A saved list identifies
  /// its filter by this name, and can't detect that a field now reads another value. So if you save lists, a field with
  /// a given name must always read the same value, even in later versions of your app.
  ///
  /// You can combine the filter with other filters with `&&`, `||` and `!`.
  ///
  /// - Parameter text: The filter string, such as `price >= 50 and shelf in (odd, "not so odd")`, with at most 10,000
  ///   characters.
  /// - Returns: The filter.
  /// - Throws: ``FilterError`` with the error's place in the string and the expected syntax.
  /// - Complexity: O(n) to parse a filter string of n characters, and O(n) to check a row with the filter.
  public func filter(_ text: String) throws(FilterError) -> RowFilter<Row> {
    let named = Dictionary(uniqueKeysWithValues: fields.map { (ExactString($0.name), $0) })
    let names = "one of the fields " + fields.map(\.name).joined(separator: ", ")
    var parser = FilterParser<FilterField<Row>>(try FilterTokens(text), expecting: names) { name in
      name.kind == .word ? named[ExactString(name.text)] : nil
    }
    let (tree, name) = try parser.parse()
    return .where(name) { row in tree.holds { $0(row) } }
  }
}

/// An error in a filter string, with the error's place in the string and the expected syntax.
public struct FilterError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  /// The error's place in the string, counted in characters from 1.
  ///
  /// For an error at the end of the string, it is the place after the last character.
  public let column: Int
  /// The syntax that is expected at the error's place, such as "a number for price".
  public let expected: String
  /// The part of the string that was found at the error's place, or "the end".
  public let found: String

  package init(column: Int, expected: String, found: String) {
    (self.column, self.expected, self.found) = (column, expected, found)
  }

  /// The complete message, such as `character 9: expected a number for price, found "abc"`.
  public var message: String { "character \(column): expected \(expected), found \(found)" }

  /// The message.
  public var description: String { message }

  /// The ``description``, which Foundation returns as the error's `localizedDescription`.
  public var errorDescription: String? { description }
}
