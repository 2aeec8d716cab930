/// A sort order for the sections of a list.
///
/// You can reverse every sort order, for example with `.byTitle.descending`. If two sections are equal in the sort
/// order, for example because they have the same title, they are sorted by their keys (``SectionKey``). A reversed sort
/// order also reverses this sorting by keys.
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
  package private(set) var isDescending = false

  private init(_ criterion: Criterion) { self.criterion = criterion }

  /// The default sort order, which usually sorts sections by their keys, ascending.
  ///
  /// If the request's first sort key is also the property that groups the rows into sections, the sections are instead
  /// sorted like the rows, for example descending.
  ///
  /// Core Data sorts sections in the same way. For example, with `sort: [.descending(\.year), .ascending(\.title)]` and
  /// `section: .by(\.year)`, the first section is the most recent year.
  public static let automatic = SectionOrder(.automatic)
  /// A sort order that compares the sections' keys.
  public static let byKey = SectionOrder(.key(nil))
  /// A sort order that compares the sections' titles.
  public static let byTitle = SectionOrder(.title(nil))
  /// Creates a sort order that compares the sections' keys, with a language's rules for keys that are strings.
  ///
  /// - Parameter collation: The language's rules for sorting strings. Keys that are equal by these rules are sorted by
  ///   their Unicode scalars.
  /// - Returns: The sort order.
  public static func byKey(in collation: Collation) -> SectionOrder { SectionOrder(.key(collation)) }
  /// Creates a sort order that compares the sections' titles by a language's rules.
  ///
  /// - Parameter collation: The language's rules for sorting strings. Sections whose titles are equal by these rules
  ///   are sorted by their keys.
  /// - Returns: The sort order.
  public static func byTitle(in collation: Collation) -> SectionOrder { SectionOrder(.title(collation)) }
  /// A sort order that compares the numbers that the projection assigned to the sections, with unnumbered sections
  /// last.
  ///
  /// A projection assigns a number with `numberSection(_:of:to:)` of ``Rows``.
  public static let byNumber = SectionOrder(.number)
  /// A sort order that compares the sections' first appearances in the log.
  ///
  /// The first appearance of a section is the position of the event that first added a row to the section. Pinned
  /// sections (``Sectioning/by(_:order:pinned:)``) that never had a row are last. If an empty section receives rows
  /// later, the section returns to its former place. The sort order considers all rows that pass the request's filter,
  /// even rows that are excluded by the limit or offset.
  public static let byFirstAppearance = SectionOrder(.firstAppearance)
  /// A sort order that compares the sections' first rows by the request's sort keys.
  ///
  /// For example, you can sort conversations by their latest message. Pinned sections
  /// (``Sectioning/by(_:order:pinned:)``) without rows are last. The other sections are sorted as their first rows
  /// would be sorted in a list without sections. A section moves when another row becomes its first row. The sort order
  /// considers all rows that pass the request's filter, even rows that are excluded by the limit or offset. If the
  /// request's first sort key is also the property that groups the rows into sections, this sort order behaves like
  /// ``automatic``.
  public static let byRows = SectionOrder(.rows)

  /// Creates a sort order in which sections appear in the order of the given keys, with all other sections last.
  ///
  /// For example, in `section: .by(\.status, order: .inOrder(of: ["open", "blocked", "done"]))`, the open section is
  /// first.
  ///
  /// - Parameter keys: The sections' keys, which must have the same type as the property that groups the rows into
  ///   sections. If a key occurs twice, only its first occurrence is used.
  /// - Returns: The sort order.
  public static func inOrder<K: OrderedValue>(of keys: [K]) -> SectionOrder {
    SectionOrder(.keys(keys.map(\.sectionKey)))
  }

  /// Creates a sort order in which sections appear in the order of an enum's cases, with all other sections last.
  ///
  /// A `CaseIterable` enum's default ``OrderedValue`` conformance already sorts values in the order of the cases. For
  /// such an enum, ``byKey`` has the same effect.
  ///
  /// - Parameter type: The enum type of the property that groups the rows into sections.
  /// - Returns: The sort order.
  public static func byCases<K: OrderedValue & CaseIterable>(of type: K.Type) -> SectionOrder {
    inOrder(of: Array(type.allCases))
  }

  /// The same sort order, reversed.
  ///
  /// Some sections are always last, for example sections without a number in ``byNumber``. They remain last in the
  /// reversed sort order. If the sort order is already reversed, this property returns it unchanged.
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
  /// The sort order's name, such as "byTitle descending".
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
  /// Returns the order by key that the request's first sort key implies, if it reads the same property as the
  /// sectioning.
  static func byKey(descending: Bool, in collation: Collation? = nil) -> SectionOrder {
    SectionOrder(.key(collation)).descending(descending)
  }

  /// The language's rules for sorting the sections, or `nil` for the order of bytes.
  var collation: Collation? {
    switch criterion {
    case .key(let collation), .title(let collation): collation
    default: nil
    }
  }
}
