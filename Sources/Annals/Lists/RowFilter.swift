public import Foundation

/// A choice of rows.
///
///     let filter: RowFilter<Book> = .where("cheap") { $0.price < 46 } && !.where("lent") { $0.reader != nil }
///
/// A predicate of ``matching(_:named:)`` that throws for a row has no result for it. Such a row is left out by the
/// filter and by its negation. Combinations follow the rule of SQL's `NULL`:
///
/// - `!` of no result has no result.
/// - `&&` is false if one side is false. Otherwise it has no result if one side has none.
/// - `||` is true if one side is true. Otherwise it has no result if one side has none.
///
/// A list shows the rows for which the result is true.
public struct RowFilter<Row: Annals.Row>: Sendable {
  /// What the filter is called, nil if it was given no name.
  ///
  /// A closure has no identity; a name gives it one.
  public let name: String?
  package let includes: @Sendable (Row) -> Bool
  /// The result for a row, or nil where a predicate throws.
  ///
  /// A filter that has a result for all rows has no closure.
  let verdict: (@Sendable (Row) -> Bool?)?
  /// The first errors of the filter's predicates.
  let failures: [FilterFailure]
  /// What a row must pass, all of it.
  let parts: [FilterPart]

  init(
    name: String?, parts: [FilterPart] = [.test(Identity())], failures: [FilterFailure] = [],
    verdict: (@Sendable (Row) -> Bool?)? = nil, includes: @escaping @Sendable (Row) -> Bool
  ) {
    (self.name, self.parts, self.includes) = (name, parts, includes)
    (self.verdict, self.failures) = (verdict, failures)
  }

  private func result(_ row: Row) -> Bool? { verdict.map { $0(row) } ?? includes(row) }

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
    RowFilter(
      name: name(left, "and", right), parts: left.parts + right.parts, failures: left.failures + right.failures,
      verdict: both(left, right, decidedBy: false)
    ) {
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
    RowFilter(
      name: name(left, "or", right), failures: left.failures + right.failures,
      verdict: both(left, right, decidedBy: true)
    ) {
      left.includes($0) || right.includes($0)
    }
  }

  /// The rows that a filter leaves out, except those for which its predicate throws.
  ///
  /// - Parameter filter: The filter.
  /// - Returns: A filter, which has a name if the other one has.
  public static prefix func ! (filter: RowFilter) -> RowFilter {
    let name = filter.name.map { "not " + JSONValue.quoted($0) }
    guard let verdict = filter.verdict else { return RowFilter(name: name) { !filter.includes($0) } }
    return RowFilter(name: name, failures: filter.failures, verdict: { verdict($0).map { !$0 } }) {
      verdict($0) == false
    }
  }

  /// The result of two filters together, where one value decides alone, or nil if both have a result for all rows.
  private static func both(
    _ left: RowFilter, _ right: RowFilter, decidedBy deciding: Bool
  ) -> (@Sendable (Row) -> Bool?)? {
    if left.verdict == nil, right.verdict == nil { return nil }
    return { row in
      let first = left.result(row)
      if first == deciding { return deciding }
      let second = right.result(row)
      if second == deciding { return deciding }
      return first == nil || second == nil ? nil : !deciding
    }
  }

  /// The name of two filters together: names in quotes, so that no other two have it.
  private static func name(_ left: RowFilter, _ word: String, _ right: RowFilter) -> String? {
    guard let one = left.name, let other = right.name else { return nil }
    return "\(JSONValue.quoted(one)) \(word) \(JSONValue.quoted(other))"
  }

  /// The rows that a predicate matches.
  ///
  /// A row for which the predicate throws is left out, and by `!` of the filter too. For example, `$0.reader!` throws
  /// if the row has no reader. The first such row of a filter is reported to the store's ``StoreEnvironment/report``,
  /// with the error and the row's id. Foundation traps if a predicate divides an integer by zero.
  ///
  /// - Parameters:
  ///   - predicate: The predicate.
  ///   - name: What the filter is called; a predicate does not say what it captured.
  /// - Returns: The filter.
  public static func matching(_ predicate: Predicate<Row>, named name: String? = nil) -> RowFilter {
    let failure = FilterFailure(of: Row.self, named: name)
    let verdict: @Sendable (Row) -> Bool? = { row in
      do {
        return try predicate.evaluate(row)
      } catch {
        failure.note(error, "\(row.id)")
        return nil
      }
    }
    return RowFilter(name: name, failures: [failure], verdict: verdict) { verdict($0) ?? false }
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
