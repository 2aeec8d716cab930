public import Foundation

/// A choice of rows.
///
///     let filter: RowFilter<Book> = .where("cheap") { $0.price < 46 } && !.where("lent") { $0.reader != nil }
public struct RowFilter<Row: Annals.Row>: Sendable {
  /// What the filter is called, nil if it was given no name.
  ///
  /// A closure has no identity; a name gives it one.
  public let name: String?
  package let includes: @Sendable (Row) -> Bool
  /// What a row must pass, all of it.
  let parts: [FilterPart]

  init(name: String?, parts: [FilterPart] = [.test(Identity())], includes: @escaping @Sendable (Row) -> Bool) {
    (self.name, self.parts, self.includes) = (name, parts, includes)
  }

  /// The rows for which a closure answers true.
  ///
  /// - Parameters:
  ///   - name: What the filter is called, such as "team A"; filters of one name must include the same rows.
  ///   - includes: Tells whether a row is shown; it must answer the same for equal rows.
  /// - Returns: The filter.
  public static func `where`(_ name: String? = nil, _ includes: @escaping @Sendable (Row) -> Bool) -> RowFilter {
    RowFilter(name: name, includes: includes)
  }

  /// The rows that both filters let through.
  ///
  /// - Parameters:
  ///   - left: A filter.
  ///   - right: Another one.
  /// - Returns: A filter, which has a name if both have.
  public static func && (left: RowFilter, right: RowFilter) -> RowFilter {
    RowFilter(name: name(left, "and", right), parts: left.parts + right.parts) {
      left.includes($0) && right.includes($0)
    }
  }

  /// The rows that one of two filters lets through, or both do.
  ///
  /// - Parameters:
  ///   - left: A filter.
  ///   - right: Another one.
  /// - Returns: A filter, which has a name if both have.
  public static func || (left: RowFilter, right: RowFilter) -> RowFilter {
    RowFilter(name: name(left, "or", right)) { left.includes($0) || right.includes($0) }
  }

  /// The rows that a filter leaves out.
  ///
  /// - Parameter filter: The filter.
  /// - Returns: A filter, which has a name if the other one has.
  public static prefix func ! (filter: RowFilter) -> RowFilter {
    RowFilter(name: filter.name.map { "not " + JSONValue.quoted($0) }) { !filter.includes($0) }
  }

  /// The name of two filters together: names in quotes, so that no other two have it.
  private static func name(_ left: RowFilter, _ word: String, _ right: RowFilter) -> String? {
    guard let one = left.name, let other = right.name else { return nil }
    return "\(JSONValue.quoted(one)) \(word) \(JSONValue.quoted(other))"
  }

  /// The rows that a predicate matches; a row on which it throws is left out.
  ///
  /// - Parameters:
  ///   - predicate: The predicate.
  ///   - name: What the filter is called; a predicate does not say what it captured.
  /// - Returns: The filter.
  public static func matching(_ predicate: Predicate<Row>, named name: String? = nil) -> RowFilter {
    RowFilter(name: name) { (try? predicate.evaluate($0)) ?? false }
  }
}

/// A part of a filter, by what tells whether rows that pass one filter pass another.
enum FilterPart: Sendable {
  /// A closure, which has an identity from when its filter is made.
  case test(Identity)
  /// A search, by the identity of what it searches.
  case search(Identity, SearchTerms)

  /// Tells whether rows that pass this part pass another.
  func implies(_ other: FilterPart) -> Bool {
    switch (self, other) {
    case (.test(let id), .test(let otherID)): id === otherID
    case (.search(let id, let terms), .search(let otherID, let otherTerms)):
      id === otherID && terms.implies(otherTerms)
    default: false
    }
  }
}

extension [FilterPart] {
  /// Tells whether rows that pass these parts pass others.
  func imply(_ others: [FilterPart]) -> Bool {
    others.allSatisfy { other in contains { $0.implies(other) } }
  }
}
