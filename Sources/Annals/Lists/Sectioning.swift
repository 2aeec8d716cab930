/// A rule that groups rows into sections.
///
///     let section: Sectioning<Todo> = .by(\.state, order: .inOrder(of: ["To do", "Done"]))
///     let years: Sectioning<Book> = .by("century") { $0.year < 0 ? "before" : "after" }
public struct Sectioning<Row: Annals.Row>: Sendable {
  let rules: SectionRules
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

  /// Groups rows by a property.
  ///
  /// - Parameters:
  ///   - path: The property. `nil` and "" are different sections.
  ///   - order: The order of the sections.
  ///   - pinned: The keys of sections that exist even without rows.
  /// - Returns: The sectioning.
  public static func by<K: OrderedValue>(
    _ path: any KeyPath<Row, K> & Sendable, order: SectionOrder = .automatic, pinned: [K] = []
  ) -> Sectioning {
    Sectioning(.property(path), order, pinned, propertyReader(path))
  }

  /// Groups rows by a computed value, with a name that a projection can use to set the sections' titles.
  ///
  /// - Parameters:
  ///   - name: The name of the sectioning.
  ///   - order: The order of the sections.
  ///   - pinned: The keys of sections that exist even without rows.
  ///   - key: A closure that computes the section's key. Equal rows must have equal results.
  /// - Returns: The sectioning.
  public static func by<K: OrderedValue>(
    _ name: String, order: SectionOrder = .automatic, pinned: [K] = [], _ key: @escaping @Sendable (Row) -> K
  ) -> Sectioning {
    Sectioning(.named(name), order, pinned, key)
  }

  /// Groups rows by the first letters of a string, as in an index next to a list.
  ///
  /// In German "Äpfel" and "Apfel" are both under "A". In Swedish "Ångström" is under "Å", after "Z". Strings that
  /// don't begin with a letter are under "#", and empty strings under "". The sections follow the order of the
  /// language.
  ///
  /// - Parameters:
  ///   - path: The string property.
  ///   - collation: The order of strings. Use the same collation in the first sort key.
  /// - Returns: The sectioning.
  public static func byInitial(_ path: any KeyPath<Row, String> & Sendable, in collation: Collation) -> Sectioning {
    let read = propertyReader(path)
    // Without a name, the sectioning is identified by its path, like any computed property.
    let criterion = propertyName(path).map { SectionCriterion.named("initial of \($0) in \(collation)") }
    let initials = Initials.of(collation.locale)
    return Sectioning(criterion ?? .property(path), .byKey(in: collation), [String]()) { row in
      read(row).first.map { $0.isLetter ? initials.initial(of: $0) : "#" } ?? ""
    }
  }

  /// Groups rows by a field that is known only by its name.
  ///
  /// The sections have the titles that the projection set for the stored property or the sectioning with that name.
  ///
  /// - Parameters:
  ///   - field: The field's name.
  ///   - key: A closure that reads the field.
  /// - Returns: The sectioning.
  package static func by<K: OrderedValue>(field: String, _ key: @escaping @Sendable (Row) -> K) -> Sectioning {
    Sectioning(.field(field), .byKey, [], key)
  }

  /// The name of the stored property or the sectioning that groups the rows, or `nil` for a computed property.
  package var field: String? { rules.criterion.field }
}
