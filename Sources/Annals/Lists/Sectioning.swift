/// A cut of rows into sections.
///
///     let section: Sectioning<Todo> = .by(\.state, order: .inOrder(of: ["To do", "Done"]))
///     let years: Sectioning<Book> = .by("century") { $0.year < 0 ? "before" : "after" }
public struct Sectioning<Row: Annals.Row>: Sendable {
  let rules: SectionRules
  /// Writes the bytes of a row's section key.
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

  /// Cuts rows by a property.
  ///
  /// - Parameters:
  ///   - path: The property; nil and "" are two sections.
  ///   - order: The order of the sections.
  ///   - pinned: The keys of sections that stay also when they are empty.
  /// - Returns: The cut.
  public static func by<K: OrderedValue>(
    _ path: any KeyPath<Row, K> & Sendable, order: SectionOrder = .automatic, pinned: [K] = []
  ) -> Sectioning {
    Sectioning(.property(path), order, pinned, propertyReader(path))
  }

  /// Cuts rows by a computed value, under a name by which a projection can give its sections titles.
  ///
  /// - Parameters:
  ///   - name: The name of the cut.
  ///   - order: The order of the sections.
  ///   - pinned: The keys of sections that stay also when they are empty.
  ///   - key: Computes the section's key; the same for equal rows.
  /// - Returns: The cut.
  public static func by<K: OrderedValue>(
    _ name: String, order: SectionOrder = .automatic, pinned: [K] = [], _ key: @escaping @Sendable (Row) -> K
  ) -> Sectioning {
    Sectioning(.named(name), order, pinned, key)
  }

  /// Cuts rows by the first letters of a text, as an index beside a list shows them.
  ///
  /// In German "Äpfel" and "Apfel" are under "A"; in Swedish "Ångström" is under "Å", after "Z". Texts that begin with
  /// no letter are under "#", and empty ones under "". The sections stand in the order of the language.
  ///
  /// - Parameters:
  ///   - path: The text.
  ///   - collation: The order of texts; sort the rows by the same one.
  /// - Returns: The cut.
  public static func byInitial(_ path: any KeyPath<Row, String> & Sendable, in collation: Collation) -> Sectioning {
    let read = propertyReader(path)
    // Without a name the cut is known by its path, like any of a computed property.
    let criterion = propertyName(path).map { SectionCriterion.named("initial of \($0) in \(collation)") }
    let initials = Initials.of(collation.locale)
    return Sectioning(criterion ?? .property(path), .byKey(in: collation), [String]()) { row in
      read(row).first.map { $0.isLetter ? initials.initial(of: $0) : "#" } ?? ""
    }
  }

  /// Cuts rows by a field of theirs that is known by its name alone.
  ///
  /// The sections have the titles that the projection gave them under the stored property, or the cut, of that name.
  ///
  /// - Parameters:
  ///   - field: The field's name.
  ///   - key: Reads the field.
  /// - Returns: The cut.
  package static func by<K: OrderedValue>(field: String, _ key: @escaping @Sendable (Row) -> K) -> Sectioning {
    Sectioning(.field(field), .byKey, [], key)
  }

  /// The name of the stored property, or of the cut, by which the rows are cut; nil for a computed property.
  package var field: String? { rules.criterion.field }
}
