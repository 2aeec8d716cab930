/// The order of sections.
///
/// Each order can descend: `.byTitle.descending`. Sections that are equal in an order stand by their keys, which
/// descend too where the order does.
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

  /// By the section's key; if the request's first sort key is the property that the rows are cut by, in the order of
  /// that sort key.
  ///
  /// This is the order of a ported request: `sort: [.descending(\.year), .ascending(\.title)], section: .by(\.year)`
  /// begins with the last year.
  public static let automatic = SectionOrder(.automatic)
  /// By the section's key.
  public static let byKey = SectionOrder(.key(nil))
  /// By the section's title.
  public static let byTitle = SectionOrder(.title(nil))
  /// By the section's key in the order of a language, where the key is a text.
  ///
  /// - Parameter collation: The order of texts; keys that it takes for the same stand in their own order.
  /// - Returns: The order.
  public static func byKey(in collation: Collation) -> SectionOrder { SectionOrder(.key(collation)) }
  /// By the section's title in the order of a language.
  ///
  /// - Parameter collation: The order of texts; sections whose titles it takes for the same stand by their keys.
  /// - Returns: The order.
  public static func byTitle(in collation: Collation) -> SectionOrder { SectionOrder(.title(collation)) }
  /// By the number that the projection gave the section; sections without a number come last.
  public static let byNumber = SectionOrder(.number)
  /// By the event that first made the section non-empty; sections that never had a row come last.
  ///
  /// A section keeps its place when it empties and fills again. What counts is the rows that the request's filter lets
  /// through, before limit and offset.
  public static let byFirstAppearance = SectionOrder(.firstAppearance)
  /// By the sections' first rows, in the order of the request's sort; pinned sections without rows come last.
  ///
  /// A section stands where its first row would stand in the list without sections, so that it moves if another row
  /// becomes its first: conversations by their latest message. What counts is the rows that the request's filter lets
  /// through, before limit and offset. If the first sort key is the property that the rows are cut by, the order is
  /// ``automatic``.
  public static let byRows = SectionOrder(.rows)

  /// In the order of a list of keys; sections that are not in it come last.
  ///
  /// ```swift
  /// section: .by(\.status, order: .inOrder(of: ["open", "blocked", "done"]))
  /// ```
  ///
  /// - Parameter keys: The keys' values, of the type that the rows are cut by; of equal ones the first counts.
  /// - Returns: The order.
  public static func inOrder<K: OrderedValue>(of keys: [K]) -> SectionOrder {
    SectionOrder(.keys(keys.map(\.sectionKey)))
  }

  /// In the order in which an enum declares its cases; sections that are none of them come last.
  ///
  /// An enum that gets its order as an ``OrderedValue`` from its cases has this order by key already.
  ///
  /// - Parameter type: The enum that the rows are cut by.
  /// - Returns: The order.
  public static func byCases<K: OrderedValue & CaseIterable>(of type: K.Type) -> SectionOrder {
    inOrder(of: Array(type.allCases))
  }

  /// The same order from its end; sections that come last still do.
  ///
  /// An order that descends already stays as it is.
  public var descending: SectionOrder {
    var order = self
    order.isDescending = true
    return order
  }

  /// The same order, or the same from its end.
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
  /// The order by key that a sort's first key gives sections of its own property.
  static func byKey(descending: Bool, in collation: Collation? = nil) -> SectionOrder {
    SectionOrder(.key(collation)).descending(descending)
  }

  /// The language in whose order the sections are; nil for the order of bytes.
  var collation: Collation? {
    switch criterion {
    case .key(let collation), .title(let collation): collation
    default: nil
    }
  }
}
