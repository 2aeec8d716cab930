/// A cut of rows into sections.
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
