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
  let cut: SectionCut
  let order: SectionOrder
  let key: @Sendable (Row) -> SectionPlace
  let fixed: [SectionPlace]

  /// Cuts rows by a property.
  ///
  /// - Parameters:
  ///   - path: The property; nil and "" are two sections.
  ///   - order: The order of the sections.
  ///   - statically: The keys of sections that stay also when they are empty.
  /// - Returns: The cut.
  public static func by<K: OrderedValue>(
    _ path: any KeyPath<Row, K> & Sendable, order: SectionOrder = .byKey, statically: [K] = []
  ) -> Sectioning {
    let read = propertyReader(path)
    return Sectioning(
      cut: .property(path), order: order, key: { SectionPlace(read($0)) },
      fixed: statically.map { SectionPlace($0) })
  }

  /// Cuts rows by a computed value, under a name by which a projection can give its sections titles.
  ///
  /// - Parameters:
  ///   - name: The name of the cut.
  ///   - order: The order of the sections.
  ///   - statically: The keys of sections that stay also when they are empty.
  ///   - key: Computes the section's key; the same for equal rows.
  /// - Returns: The cut.
  public static func by<K: OrderedValue>(
    _ name: String, order: SectionOrder = .byKey, statically: [K] = [], _ key: @escaping @Sendable (Row) -> K
  ) -> Sectioning {
    Sectioning(
      cut: .named(name), order: order, key: { SectionPlace(key($0)) }, fixed: statically.map { SectionPlace($0) })
  }
}

/// A section's key, and where it stands among keys of its type.
struct SectionPlace: Sendable {
  let key: SectionKey
  let order: OrderKey

  init(_ value: some OrderedValue) {
    let key = value.sectionKey
    self.key = key
    // Values of one order may still be two keys; the key itself decides then.
    order = OrderKey { writer in
      value.encode(into: &writer)
      for byte in key.orderKey.bytes { writer.write(byte: byte) }
    }
  }

  private init() {
    key = .null
    order = OrderKey { _ in }
  }

  /// The one section of a list that is not cut.
  static let whole = SectionPlace()
}
