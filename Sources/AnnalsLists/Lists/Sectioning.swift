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
  ///   - collation: The language's rules for sorting strings. Use the same collation in the request's first sort key.
  /// - Returns: The rule.
  public static func byInitial(_ path: any KeyPath<Row, String> & Sendable, in collation: Collation) -> Sectioning {
    let read = propertyReader(path)
    // If the property has no name, the key path identifies the sectioning, as for every computed property.
    let criterion = propertyName(path).map { SectionCriterion.named("initial of \($0) in \(collation)") }
    let initials = Initials.of(collation.locale)
    return Sectioning(criterion ?? .property(path), .byKey(in: collation), [String]()) { row in
      read(row).first.map { $0.isLetter ? initials.initial(of: $0) : "#" } ?? ""
    }
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
