import AnnalsLog
public import Foundation

/// A filter that selects rows.
///
///     let filter: RowFilter<Book> = .where("cheap") { $0.price < 46 } && !.where("lent") { $0.reader != nil }
///
/// If a predicate of ``matching(_:named:)`` throws for a row, the filter has no result for that row. Both the filter
/// and its negation exclude such a row. Combinations follow the rules of SQL's `NULL`:
///
/// - `!` has no result if the negated filter has no result.
/// - `&&` is false if one side is false. Otherwise it has no result if one side has no result.
/// - `||` is true if one side is true. Otherwise it has no result if one side has no result.
///
/// A list shows a row only if the filter's result for the row is true.
public struct RowFilter<Row: AnnalsLists.Row>: Sendable {
  /// The filter's name, or `nil` for a filter without a name.
  ///
  /// A saved list identifies its filter by this name, because closures can't be compared.
  public let name: String?
  package let includes: @Sendable (Row) -> Bool
  /// A closure that returns the result for a row, or `nil` if a predicate throws.
  ///
  /// The closure is `nil` for a filter that has a result for all rows.
  let verdict: (@Sendable (Row) -> Bool?)?
  /// The records of the first errors of the filter's predicates.
  let failures: [FilterFailure]
  /// The parts of the filter.
  ///
  /// A row passes the filter only if it passes all parts.
  let parts: [FilterPart]

  init(
    name: String?, parts: [FilterPart] = [.test(Identity())], failures: [FilterFailure] = [],
    verdict: (@Sendable (Row) -> Bool?)? = nil, includes: @escaping @Sendable (Row) -> Bool
  ) {
    self.name = name
    self.parts = parts
    self.includes = includes
    self.verdict = verdict
    self.failures = failures
  }

  private func result(_ row: Row) -> Bool? { verdict.map { $0(row) } ?? includes(row) }

  /// Creates a filter that includes the rows for which a closure returns true.
  ///
  /// - Parameters:
  ///   - name: The filter's name, such as "team A". Filters with the same name must include the same rows.
  ///   - includes: A closure that returns true if the filter includes the row. It must return equal results for equal
  ///     rows.
  /// - Returns: The filter.
  public static func `where`(_ name: String? = nil, _ includes: @escaping @Sendable (Row) -> Bool) -> RowFilter {
    RowFilter(name: name, includes: includes)
  }

  /// Creates a filter for the rows that pass both of two filters.
  ///
  /// - Parameters:
  ///   - left: A filter.
  ///   - right: Another filter.
  /// - Returns: The combined filter, with a name if both filters have a name.
  public static func && (left: RowFilter, right: RowFilter) -> RowFilter {
    RowFilter(
      name: name(left, "and", right), parts: left.parts + right.parts, failures: left.failures + right.failures,
      verdict: both(left, right, decidedBy: false)
    ) {
      left.includes($0) && right.includes($0)
    }
  }

  /// Creates a filter for the rows that pass at least one of two filters.
  ///
  /// - Parameters:
  ///   - left: A filter.
  ///   - right: Another filter.
  /// - Returns: The combined filter, with a name if both filters have a name.
  public static func || (left: RowFilter, right: RowFilter) -> RowFilter {
    RowFilter(
      name: name(left, "or", right), failures: left.failures + right.failures,
      verdict: both(left, right, decidedBy: true)
    ) {
      left.includes($0) || right.includes($0)
    }
  }

  /// Creates a filter for the rows that another filter excludes.
  ///
  /// If a predicate of the other filter throws for a row, both filters exclude the row.
  ///
  /// - Parameter filter: The filter to negate.
  /// - Returns: The negated filter, with a name if `filter` has a name.
  public static prefix func ! (filter: RowFilter) -> RowFilter {
    let name = filter.name.map { "not " + JSONValue.quoted($0) }
    guard let verdict = filter.verdict else { return RowFilter(name: name) { !filter.includes($0) } }
    return RowFilter(name: name, failures: filter.failures, verdict: { verdict($0).map { !$0 } }) {
      verdict($0) == false
    }
  }

  /// Returns a closure that combines the results of two filters, or `nil` if both filters have a result for all rows.
  ///
  /// If one filter's result equals `deciding`, the combined result is `deciding`, regardless of the other filter.
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

  /// Returns the combined name of two filters, with quotes that make it unique.
  private static func name(_ left: RowFilter, _ word: String, _ right: RowFilter) -> String? {
    guard let one = left.name, let other = right.name else { return nil }
    return "\(JSONValue.quoted(one)) \(word) \(JSONValue.quoted(other))"
  }

  /// Creates a filter for the rows that match a predicate.
  ///
  /// If the predicate throws for a row, both the filter and its negation exclude the row. For example, `$0.reader!`
  /// throws if the row has no reader. For the first such row, the store's ``StoreEnvironment/report`` is called with
  /// the error and the row's id. Foundation traps if a predicate divides an integer by zero.
  ///
  /// - Parameters:
  ///   - predicate: The predicate.
  ///   - name: The filter's name, or `nil`. A saved list identifies its filter by the name, because a predicate doesn't
  ///     expose its captured values.
  /// - Returns: The filter.
  public static func matching(_ predicate: Predicate<Row>, named name: String? = nil) -> RowFilter {
    let failure = FilterFailure(of: Row.self, named: name)
    let verdict: @Sendable (Row) -> Bool? = { row in
      do {
        return try predicate.evaluate(row)
      } catch {
        failure.note(error, described(row.id))
        return nil
      }
    }
    return RowFilter(name: name, failures: [failure], verdict: verdict) { verdict($0) ?? false }
  }
}

/// A part of a filter that can be compared with other parts, to find out whether all rows that pass one filter also
/// pass another filter.
enum FilterPart: Equatable, Sendable {
  /// A closure, identified by the identity that was created with its filter.
  case test(Identity)
  /// A search, with the identity of its `TextSearch`.
  case search(Identity, SearchTerms)

  /// Returns true if all rows that pass this part also pass another part.
  func implies(_ other: FilterPart) -> Bool {
    switch (self, other) {
    case (.test(let id), .test(let otherID)): id === otherID
    case (.search(let id, let terms), .search(let otherID, let otherTerms)):
      id === otherID && terms.implies(otherTerms)
    default: false
    }
  }
}

extension FilterPart {
  static func == (left: FilterPart, right: FilterPart) -> Bool {
    switch (left, right) {
    case (.test(let id), .test(let otherID)): id === otherID
    case (.search(let id, let terms), .search(let otherID, let otherTerms)): id === otherID && terms == otherTerms
    default: false
    }
  }

  /// Feeds a hasher with a value that is equal for equal parts.
  func hashIdentity(into hasher: inout Hasher) {
    switch self {
    case .test(let id), .search(let id, _): hasher.combine(ObjectIdentifier(id))
    }
  }
}

extension [FilterPart] {
  /// Returns true if all rows that pass these parts also pass other parts.
  func imply(_ others: [FilterPart]) -> Bool {
    others.allSatisfy { other in contains { $0.implies(other) } }
  }
}
