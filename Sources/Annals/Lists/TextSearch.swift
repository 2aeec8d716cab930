/// A search in the texts of rows, for a list that changes while a user types.
///
///     extension Book {
///       static let search = TextSearch<Book>(.wordBeginnings, in: \.title, \.author)
///     }
///     try await books.update { $0.filter = Book.search.filter("ann tac") }
///
/// Case, accents and the width of letters do not count: "emile" finds "Émile". What was typed must be in the texts,
/// each part of it in one of them, in any order: ``SearchMatching`` says how.
///
/// Make a search once, as a static property: two filters of one search know of each other. So a list whose search gets
/// a letter more looks only at the rows that it shows. With the search as a request's ``FetchRequest/searchIndex``, a
/// list looks only at rows that may have what was typed, for the first letters too.
public struct TextSearch<Row: Annals.Row>: Sendable {
  /// What the search is called; nil if it has no name.
  public let name: String?
  /// Where a text must have what was typed.
  public let matching: SearchMatching
  /// Calls a closure with each text of a row.
  private let texts: @Sendable (Row, (String) -> Void) -> Void
  /// What tells the search from every other.
  private let id = Identity()

  /// A search in properties.
  ///
  /// - Parameters:
  ///   - matching: Where a text must have what was typed.
  ///   - paths: The properties: of `String`, or another ``SearchedValue``.
  ///   - name: What the search is called, so that lists that it filters can be saved; searches of one name must find
  ///     the same rows at all times.
  public init<each Value: SearchedValue>(
    _ matching: SearchMatching, in paths: repeat any KeyPath<Row, each Value> & Sendable, named name: String? = nil
  ) {
    let readers = (repeat propertyReader(each paths))
    self.init(matching, named: name) { row, body in
      for reader in repeat each readers { reader(row).forEachText(body) }
    }
  }

  /// A search in texts that a closure finds.
  ///
  /// - Parameters:
  ///   - matching: Where a text must have what was typed.
  ///   - name: What the search is called, so that lists that it filters can be saved; searches of one name must find
  ///     the same rows at all times.
  ///   - texts: Calls the closure that it is given with each text of a row; the same texts for equal rows.
  public init(
    _ matching: SearchMatching, named name: String? = nil,
    texts: @escaping @Sendable (_ row: Row, _ body: (String) -> Void) -> Void
  ) {
    (self.name, self.matching, self.texts) = (name, matching, texts)
  }

  /// The rows that have what was typed.
  ///
  /// The filter has a name if the search has one. It joins others with `&&`, `||` and `!`; joined with `&&` it knows of
  /// other filters of its search as it does alone.
  ///
  /// - Parameter typed: What was typed; all rows have a text of nothing but spaces, and, where words are looked for, of
  ///   nothing but punctuation.
  /// - Returns: The filter.
  /// - Complexity: O(m) for each row, for m characters of its texts.
  public func filter(_ typed: String) -> RowFilter<Row> {
    let terms = SearchTerms(typed, matching)
    let name = name.map { name in
      // Terms in one order, so that one search has one name.
      let words = terms.terms.map { JSONValue.quoted(String(decoding: $0, as: UTF8.self)) }.sorted()
      return "\(JSONValue.quoted(name)) \(matching.name) \(words.joined(separator: " "))"
    }
    let parts: [FilterPart] = terms.isEmpty ? [] : [.search(id, terms)]
    return RowFilter(name: name, parts: parts) { [texts] row in terms.match { texts(row, $0) } }
  }

  /// An index of the search, of no rows yet.
  func makeIndex() -> TextIndex {
    TextIndex(id, matching) { [texts] entry, body in
      texts(Rows<Row>.box(entry).row, body)
    }
  }
}

/// A property's value that a search can look into.
///
/// A type of your own says what its texts are, such as the words of a tag.
public protocol SearchedValue: SendableMetatype {
  /// Calls a closure with each text of the value.
  ///
  /// - Parameter body: Called with each text.
  func forEachText(_ body: (String) -> Void)
}

extension String: SearchedValue {
  /// Calls a closure with the text.
  ///
  /// - Parameter body: Called once.
  public func forEachText(_ body: (String) -> Void) { body(self) }
}

extension Optional: SearchedValue where Wrapped: SearchedValue {
  /// Calls a closure with each text of the value, if there is one.
  ///
  /// - Parameter body: Called with each text.
  public func forEachText(_ body: (String) -> Void) { self?.forEachText(body) }
}

extension Array: SearchedValue where Element: SearchedValue {
  /// Calls a closure with each text of each element.
  ///
  /// - Parameter body: Called with each text.
  public func forEachText(_ body: (String) -> Void) { for element in self { element.forEachText(body) } }
}

extension Personal: SearchedValue where Value: SearchedValue {
  /// Calls a closure with each text of the value, if it was not erased.
  ///
  /// - Parameter body: Called with each text.
  public func forEachText(_ body: (String) -> Void) { value?.forEachText(body) }
}
