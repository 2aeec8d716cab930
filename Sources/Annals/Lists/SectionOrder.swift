/// An order of sections.
///
/// Every order can be reversed: `.byTitle.descending`. Sections that are equal in an order are sorted by their keys. In
/// a reversed order, these keys are sorted in reverse, too.
public struct SectionOrder: Hashable, Sendable {
  enum Criterion: Hashable, Sendable {
    case automatic
    case key(Collation?)
    case title(Collation?)
    case number
    case firstAppearance
    case rows
    case keys([SectionKey])
  }

  let criterion: Criterion
  private(set) var isDescending = false

  private init(_ criterion: Criterion) { self.criterion = criterion }

  /// The default order: by the section's key, ascending.
  ///
  /// If the first sort key and the sections use the same property, the sections have the same direction as this sort
  /// key.
  ///
  /// Core Data orders sections in the same way. For example, with `sort: [.descending(\.year), .ascending(\.title)]`
  /// and `section: .by(\.year)`, the first section is the most recent year.
  public static let automatic = SectionOrder(.automatic)
  /// An order by the section's key.
  public static let byKey = SectionOrder(.key(nil))
  /// An order by the section's title.
  public static let byTitle = SectionOrder(.title(nil))
  /// Creates an order by the section's key, in which string keys follow the order of a language.
  ///
  /// - Parameter collation: The order of strings. Keys that are equal in this order are sorted in their default order.
  /// - Returns: The order.
  public static func byKey(in collation: Collation) -> SectionOrder { SectionOrder(.key(collation)) }
  /// Creates an order by the section's title, in which titles follow the order of a language.
  ///
  /// - Parameter collation: The order of strings. Sections whose titles are equal in this order are sorted by their
  ///   keys.
  /// - Returns: The order.
  public static func byTitle(in collation: Collation) -> SectionOrder { SectionOrder(.title(collation)) }
  /// An order by the number that the projection assigned to the section, with unnumbered sections last.
  public static let byNumber = SectionOrder(.number)
  /// An order by the event that first added a row to the section, with sections that never had a row last.
  ///
  /// If a section becomes empty and rows are added to it later, it returns to its former place. The order considers all
  /// rows that pass the request's filter, even rows that are excluded by the limit or offset.
  public static let byFirstAppearance = SectionOrder(.firstAppearance)
  /// An order by the first row of every section, compared by the request's sort keys, with empty pinned sections last.
  ///
  /// For example, you can sort conversations by their latest message. The sections are in the order in which their
  /// first rows would be in a list without sections. A section moves when another row becomes its first row. The order
  /// considers all rows that pass the request's filter, even rows that are excluded by the limit or offset. If the
  /// first sort key and the sections use the same property, the order is ``automatic``.
  public static let byRows = SectionOrder(.rows)

  /// Creates an order in which sections follow a list of keys, with all other sections last.
  ///
  /// For example, `section: .by(\.status, order: .inOrder(of: ["open", "blocked", "done"]))`.
  ///
  /// - Parameter keys: The keys. They have the same type as the property that groups the rows. If a key occurs twice,
  ///   only its first occurrence is used.
  /// - Returns: The order.
  public static func inOrder<K: OrderedValue>(of keys: [K]) -> SectionOrder {
    SectionOrder(.keys(keys.map(\.sectionKey)))
  }

  /// Creates an order that follows an enum's case declarations, with other sections last.
  ///
  /// For an enum whose ``OrderedValue`` conformance sorts by its cases, ``byKey`` is already this order.
  ///
  /// - Parameter type: The enum that defines the sections.
  /// - Returns: The order.
  public static func byCases<K: OrderedValue & CaseIterable>(of type: K.Type) -> SectionOrder {
    inOrder(of: Array(type.allCases))
  }

  /// The reversed order, in which sections that are always last, such as sections without a number, remain last.
  ///
  /// If the order is already descending, it doesn't change.
  public var descending: SectionOrder {
    var order = self
    order.isDescending = true
    return order
  }

  /// Returns the same order in the given direction.
  func descending(_ isDescending: Bool) -> SectionOrder {
    var order = self
    order.isDescending = isDescending
    return order
  }
}

extension SectionOrder: CustomStringConvertible {
  /// The order's name, such as "byTitle descending".
  public var description: String {
    let name =
      switch criterion {
      case .automatic: "automatic"
      case .key(let collation): "byKey" + Self.suffix(collation)
      case .title(let collation): "byTitle" + Self.suffix(collation)
      case .number: "byNumber"
      case .firstAppearance: "byFirstAppearance"
      case .rows: "byRows"
      case .keys(let keys): "inOrder(of: \(keys.map(\.orderKey.bytes)))"
      }
    return isDescending ? name + " descending" : name
  }

  private static func suffix(_ collation: Collation?) -> String { collation.map { "(in: \($0))" } ?? "" }
}

extension SectionOrder {
  /// Returns the order by key that the first sort key implies if the sections use the same property.
  static func byKey(descending: Bool, in collation: Collation? = nil) -> SectionOrder {
    SectionOrder(.key(collation)).descending(descending)
  }

  /// The language whose order the sections follow, or `nil` for the order of bytes.
  var collation: Collation? {
    switch criterion {
    case .key(let collation), .title(let collation): collation
    default: nil
    }
  }
}
