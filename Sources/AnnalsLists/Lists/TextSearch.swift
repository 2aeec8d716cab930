public import AnnalsLog

/// A text search in the strings of rows, for a list that is filtered while a user types.
///
///     extension Book {
///       static let search = TextSearch<Book>(.wordBeginnings, in: \.title, \.author)
///     }
///     try await books.update { $0.filter = Book.search.filter("ann tac") }
///
/// The search ignores case and accents, so "emile" finds "Émile". It also ignores the width of letters, so full-width
/// letters are equal to ordinary letters. All words of the search string must occur in the row's strings, in any order,
/// and can occur in different strings. ``SearchMatching`` describes the details.
///
/// Create a search once, as a static property. When the user types another letter, the list then checks only the rows
/// that it currently shows, because no other row can match. If you create a new search for every letter, the list
/// checks all rows every time, because it can't compare filters of different searches.
///
/// If the search is also the request's ``ListRequest/searchIndex``, the list checks only rows that might match, even
/// for the first letter that the user types.
public struct TextSearch<Row: AnnalsLists.Row>: Sendable {
  /// The search's name, or `nil` for a search without a name.
  public let name: String?
  /// The rule for where the words of the search string must occur: at the beginnings of words, or anywhere.
  public let matching: SearchMatching
  /// A closure that calls its second parameter with every string of a row.
  private let texts: @Sendable (Row, (String) -> Void) -> Void
  /// The search's unique identity.
  private let id = Identity()

  /// Creates a search in the given properties.
  ///
  /// - Parameters:
  ///   - matching: The rule for where the words of the search string must occur: at the beginnings of words, or
  ///     anywhere.
  ///   - paths: The properties, of type `String` or another ``SearchedValue``.
  ///   - name: The search's name, which is required if you save lists that use the search's filters. Searches with the
  ///     same name must always find the same rows.
  public init<each Value: SearchedValue>(
    _ matching: SearchMatching, in paths: repeat any KeyPath<Row, each Value> & Sendable, named name: String? = nil
  ) {
    let readers = (repeat propertyReader(each paths))
    self.init(matching, named: name) { row, body in
      for reader in repeat each readers { reader(row).forEachText(body) }
    }
  }

  /// Creates a search in the strings that a closure provides.
  ///
  /// - Parameters:
  ///   - matching: The rule for where the words of the search string must occur: at the beginnings of words, or
  ///     anywhere.
  ///   - name: The search's name, which is required if you save lists that use the search's filters. Searches with the
  ///     same name must always find the same rows.
  ///   - texts: A closure that calls its second parameter with every string of a row. It must provide equal strings for
  ///     equal rows.
  public init(
    _ matching: SearchMatching, named name: String? = nil,
    texts: @escaping @Sendable (_ row: Row, _ body: (String) -> Void) -> Void
  ) {
    self.name = name
    self.matching = matching
    self.texts = texts
  }

  /// Creates a filter for the rows that match a search string.
  ///
  /// The filter has a name if the search has a name. You can combine the filter with other filters with `&&`, `||` and
  /// `!`.
  ///
  /// When the user types another letter, the list checks only the rows that it currently shows. This also applies if
  /// you combine the filter with another filter by `&&`, but only if you store the other filter in a constant. If you
  /// create the other filter anew for every letter, the list can't detect that the other filter is unchanged. The list
  /// then also checks rows that it doesn't show.
  ///
  /// - Parameter typed: The search string. All rows match an empty string and a string that contains only spaces. With
  ///   ``SearchMatching/wordBeginnings``, all rows also match a string that contains only punctuation.
  /// - Returns: The filter.
  /// - Complexity: O(m) to check a row whose strings have m characters.
  public func filter(_ typed: String) -> RowFilter<Row> {
    let terms = SearchTerms(typed, matching)
    let name = name.map { name in
      // Sorted terms, so that equal searches have equal names.
      let words = terms.terms.map { JSONValue.quoted(String(decoding: $0, as: UTF8.self)) }.sorted()
      return "\(JSONValue.quoted(name)) \(matching.name) \(words.joined(separator: " "))"
    }
    let parts: [FilterPart] = terms.isEmpty ? [] : [.search(id, terms)]
    return RowFilter(name: name, parts: parts) { [texts] row in terms.match { texts(row, $0) } }
  }

  /// Creates an empty index for the search.
  func makeIndex() -> TextIndex {
    TextIndex(id, matching) { [texts] entry, body in
      texts(Rows<Row>.box(entry).row, body)
    }
  }
}

/// A value, such as a string, in which a ``TextSearch`` can search.
///
/// To search properties of a custom type, such as a tag, conform the type to this protocol.
public protocol SearchedValue: SendableMetatype {
  /// Calls a closure with every string of the value.
  ///
  /// - Parameter body: A closure that receives the strings.
  func forEachText(_ body: (String) -> Void)
}

extension String: SearchedValue {
  /// Calls a closure with the string.
  ///
  /// - Parameter body: A closure that is called once.
  public func forEachText(_ body: (String) -> Void) { body(self) }
}

extension Optional: SearchedValue where Wrapped: SearchedValue {
  /// Calls a closure with every string of the value, unless it is `nil`.
  ///
  /// - Parameter body: A closure that receives the strings.
  public func forEachText(_ body: (String) -> Void) { self?.forEachText(body) }
}

extension Array: SearchedValue where Element: SearchedValue {
  /// Calls a closure with every string of all elements.
  ///
  /// - Parameter body: A closure that receives the strings.
  public func forEachText(_ body: (String) -> Void) { for element in self { element.forEachText(body) } }
}

extension Personal: SearchedValue where Value: SearchedValue {
  /// Calls a closure with every string of the value, unless it was erased.
  ///
  /// - Parameter body: A closure that receives the strings.
  public func forEachText(_ body: (String) -> Void) { value?.forEachText(body) }
}
