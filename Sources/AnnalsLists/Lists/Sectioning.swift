public import AnnalsLog

/// A rule that groups rows into sections.
///
///     let section: Sectioning<Todo> = .by(\.state, order: .inOrder(of: ["To do", "Done"]))
///     let years: Sectioning<Book> = .by("century") { $0.year < 0 ? "before" : "after" }
public struct Sectioning<Row: AnnalsLists.Row>: Sendable {
  package let rules: SectionRules
  /// A closure that writes the bytes of a row's section key.
  let write: @Sendable (Row, inout KeyWriter) -> Void
  let id: @Sendable (Row) -> SectionID

  private init<K: OrderedValue>(
    _ criterion: SectionCriterion, _ order: SectionOrder, _ pinned: [K], _ read: @escaping @Sendable (Row) -> K
  ) {
    rules = SectionRules(
      criterion: criterion, order: order, pinned: pinned.map { SectionID($0) }, orderVersion: K.orderVersion)
    write = { row, writer in read(row).sectionKey.encode(into: &writer) }
    id = { SectionID(read($0)) }
  }

  /// Creates a rule that groups rows by a property.
  ///
  /// - Parameters:
  ///   - path: The property. Rows with `nil` and rows with "" are in different sections.
  ///   - order: The sort order of the sections.
  ///   - pinned: The keys of sections that the list contains even if they have no rows.
  /// - Returns: The rule.
  public static func by<K: OrderedValue>(
    _ path: any KeyPath<Row, K> & Sendable, order: SectionOrder = .automatic, pinned: [K] = []
  ) -> Sectioning {
    Sectioning(.property(path), order, pinned, propertyReader(path))
  }

  /// Creates a named rule that groups rows by a computed value.
  ///
  /// A projection can use the name to set the sections' titles with `renameSection(_:of:to:)` of ``Rows``.
  ///
  /// - Parameters:
  ///   - name: The rule's name.
  ///   - order: The sort order of the sections.
  ///   - pinned: The keys of sections that the list contains even if they have no rows.
  ///   - key: A closure that computes the key of a row's section. It must return equal keys for equal rows.
  /// - Returns: The rule.
  public static func by<K: OrderedValue>(
    _ name: String, order: SectionOrder = .automatic, pinned: [K] = [], _ key: @escaping @Sendable (Row) -> K
  ) -> Sectioning {
    Sectioning(.named(name), order, pinned, key)
  }

  /// Creates a rule that groups rows by the first letter of a string property, for example for an index next to a list.
  ///
  /// The language determines which accented letters have their own section. In German, "Äpfel" and "Apfel" are both
  /// under "A". In Swedish, "Ångström" is under "Å", after "Z". Strings that don't begin with a letter are in the
  /// section "#", and empty strings in the section "". The sections are sorted by the language's rules.
  ///
  /// - Parameters:
  ///   - path: The string property.
  ///   - collation: The language's rules for sorting strings. Use the same collation in the request's first sort key,
  ///     so that the sections and their rows are sorted by the same rules.
  /// - Returns: The rule.
  public static func byInitial(_ path: any KeyPath<Row, String> & Sendable, in collation: Collation) -> Sectioning {
    let read = propertyReader(path)
    let initials = Initials.of(collation.locale)
    return Sectioning(initialOf(path, collation, ""), .byKey(in: collation), [String]()) { row in
      initials.entry(of: read(row))
    }
  }

  /// Creates a rule that groups rows by the first letter of an optional string property.
  ///
  /// Rows with `nil` are in a section with the key ``SectionKey/null``, before all other sections.
  ///
  /// - Parameters:
  ///   - path: The optional string property.
  ///   - collation: The language's rules for sorting strings. Use the same collation in the request's first sort key,
  ///     so that the sections and their rows are sorted by the same rules.
  /// - Returns: The rule.
  public static func byInitial(_ path: any KeyPath<Row, String?> & Sendable, in collation: Collation) -> Sectioning {
    byInitial(initialOf(path, collation, "optional "), collation, propertyReader(path))
  }

  /// Creates a rule that groups rows by the first letter of a personal string property.
  ///
  /// Rows whose string was erased are in a section with the key ``SectionKey/null``, before all other sections.
  ///
  /// - Parameters:
  ///   - path: The ``Personal`` property.
  ///   - collation: The language's rules for sorting strings. Use the same collation in the request's first sort key,
  ///     so that the sections and their rows are sorted by the same rules.
  /// - Returns: The rule.
  public static func byInitial(
    _ path: any KeyPath<Row, Personal<String>> & Sendable, in collation: Collation
  ) -> Sectioning {
    let read = propertyReader(path)
    return byInitial(initialOf(path, collation, "optional "), collation) { read($0).value }
  }

  /// Creates a rule that groups rows by the first letter of an optional personal string property.
  ///
  /// Rows with `nil` and rows whose string was erased are in a section with the key ``SectionKey/null``, before all
  /// other sections.
  ///
  /// - Parameters:
  ///   - path: The optional ``Personal`` property.
  ///   - collation: The language's rules for sorting strings. Use the same collation in the request's first sort key,
  ///     so that the sections and their rows are sorted by the same rules.
  /// - Returns: The rule.
  public static func byInitial(
    _ path: any KeyPath<Row, Personal<String>?> & Sendable, in collation: Collation
  ) -> Sectioning {
    let read = propertyReader(path)
    return byInitial(initialOf(path, collation, "optional "), collation) { read($0)?.value }
  }

  /// Creates a named rule that groups rows by the first letter of a computed string.
  ///
  /// A projection can use the name to set the sections' titles with `renameSection(_:of:to:)` of ``Rows``.
  ///
  /// Rows with `nil` are in a section with the key ``SectionKey/null``, before all other sections.
  ///
  /// - Parameters:
  ///   - name: The rule's name. Rules with the same name must compute the same strings.
  ///   - collation: The language's rules for sorting strings. Use the same collation in the request's first sort key,
  ///     so that the sections and their rows are sorted by the same rules.
  ///   - text: A closure that computes the string, or `nil`. It must return equal values for equal rows.
  /// - Returns: The rule.
  public static func byInitial(
    _ name: String, in collation: Collation, _ text: @escaping @Sendable (Row) -> String?
  ) -> Sectioning {
    byInitial(.named(name), collation, text)
  }

  private static func byInitial(
    _ criterion: SectionCriterion, _ collation: Collation, _ text: @escaping @Sendable (Row) -> String?
  ) -> Sectioning {
    let initials = Initials.of(collation.locale)
    return Sectioning(criterion, .byKey(in: collation), [String?]()) { row in text(row).map(initials.entry(of:)) }
  }

  /// Returns the identity of a sectioning by the first letters of a property.
  ///
  /// If the property has no name, the key path identifies the sectioning, as for every computed property.
  private static func initialOf(_ path: AnyKeyPath, _ collation: Collation, _ kind: String) -> SectionCriterion {
    propertyName(path).map { .named("\(kind)initial of \($0) in \(collation)") } ?? .property(path)
  }

  /// Creates a rule that groups rows by a field that is known only by its name.
  ///
  /// The sections have the titles that the projection set for the stored property or the sectioning with that name.
  ///
  /// - Parameters:
  ///   - field: The field's name.
  ///   - key: A closure that reads the field.
  /// - Returns: The rule.
  package static func by<K: OrderedValue>(field: String, _ key: @escaping @Sendable (Row) -> K) -> Sectioning {
    Sectioning(.field(field), .byKey, [], key)
  }

  /// The name of the stored property or the sectioning that groups the rows, or `nil` for a computed property.
  package var field: String? { rules.criterion.field }
}
