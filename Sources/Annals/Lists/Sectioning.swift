/// The order of sections.
public enum SectionOrder: Hashable, Sendable {
  /// By the section's key.
  case byKey
  /// By the section's title, then its key.
  case byTitle
  /// By the number that the projection gave the section, then its key; sections without a number come last.
  case byNumber
  /// By the event that first made the section non-empty, then its key; sections that never had a row come last.
  ///
  /// A section keeps its place when it empties and fills again. What counts is the rows that the request's filter lets
  /// through, before limit and offset.
  case byFirstAppearance
}

/// A cut of rows into sections.
public struct Sectioning<Row: Annals.Row>: Sendable {
  let rules: SectionRules
  /// Writes the bytes of a row's section key.
  let write: @Sendable (Row, inout KeyWriter) -> Void
  let id: @Sendable (Row) -> SectionID

  private init<K: OrderedValue>(
    _ criterion: SectionCriterion, _ order: SectionOrder, _ pinned: [K], _ read: @escaping @Sendable (Row) -> K
  ) {
    rules = SectionRules(criterion: criterion, order: order, pinned: pinned.map { SectionID($0) })
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
    _ path: any KeyPath<Row, K> & Sendable, order: SectionOrder = .byKey, pinned: [K] = []
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
    _ name: String, order: SectionOrder = .byKey, pinned: [K] = [], _ key: @escaping @Sendable (Row) -> K
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

/// What a cut into sections says of sections, whatever the rows are.
final class SectionRules: Sendable {
  let criterion: SectionCriterion
  let order: SectionOrder
  /// The sections that stay when they are empty.
  let pinned: [SectionID]

  init(criterion: SectionCriterion, order: SectionOrder, pinned: [SectionID]) {
    (self.criterion, self.order, self.pinned) = (criterion, order, pinned)
  }

  /// Those of a list that is not cut: one section, always.
  static let whole = SectionRules(criterion: .whole, order: .byKey, pinned: [.whole])
}
