/// A sectioned, sorted list at one position: an immutable value.
public struct Results<Row: Annals.Row>: Sendable {
  struct Entry: Sendable {
    let id: OrderKey
    let order: RowOrder
    let row: Row
  }

  /// The position of the log that the list shows.
  public let position: Position
  /// The sections, in order.
  public let sections: [ResultsSection<Row>]
  private let paths: [OrderKey: RowPath]

  /// Makes the list that a request asks for.
  ///
  /// - Parameters:
  ///   - request: Which rows, in which order, cut into which sections. Rows alone do not know which section appeared first:
  ///     here, an order of sections by first appearance is that by key.
  ///   - rows: The projection's rows.
  ///   - position: The position that the rows have been folded up to.
  /// - Complexity: O(n log n) for n rows.
  public init(_ request: FetchRequest<Row>, of rows: Rows<Row>, at position: Position) {
    self.init(request, of: rows, at: position, appearances: [:])
  }

  /// Makes the list of a request, knowing the positions at which its sections first had a row.
  init(
    _ request: FetchRequest<Row>, of rows: Rows<Row>, at position: Position, appearances: [SectionKey: Position]
  ) {
    self.position = position
    var groups: [SectionKey: (place: SectionPlace, entries: [Entry])] = [:]
    for place in request.section?.fixed ?? [.whole] where groups[place.key] == nil { groups[place.key] = (place, []) }
    for (id, row) in rows.all where request.filter?.includes(row) ?? true {
      let place = request.section?.key(row) ?? .whole
      let order = RowOrder(row, by: request.sort)
      groups[place.key, default: (place, [])].entries.append(Entry(id: id, order: order, row: row))
    }
    let cut = request.section?.cut ?? .whole
    let ordered = groups.values.map { group in
      let title = rows.title(of: group.place.key, cut: cut)
      let order = OrderKey { writer in
        switch request.section?.order ?? .byKey {
        case .byKey: break
        case .byTitle: writer.write(text: title)
        case .byNumber: (rows.number(of: group.place.key, cut: cut) ?? .nan).encode(into: &writer)
        case .byFirstAppearance: (appearances[group.place.key]?.rawValue ?? .max).encode(into: &writer)
        }
        for byte in group.place.order.bytes { writer.write(byte: byte) }
      }
      return (order: order, place: group.place, title: title, entries: group.entries.sorted { $0.order < $1.order })
    }.sorted { $0.order < $1.order }

    let fixed = Set((request.section?.fixed ?? [.whole]).map(\.key))
    var skipped = max(request.offset, 0)
    var room = request.limit.map { max($0, 0) } ?? .max
    var sections: [ResultsSection<Row>] = []
    var paths: [OrderKey: RowPath] = [:]
    for section in ordered {
      let entries = Array(section.entries.dropFirst(skipped).prefix(room))
      skipped -= min(skipped, section.entries.count)
      room -= entries.count
      guard !entries.isEmpty || fixed.contains(section.place.key) else { continue }
      for (index, entry) in entries.enumerated() {
        paths[entry.id] = RowPath(section: sections.count, row: index)
      }
      sections.append(ResultsSection(key: section.place.key, title: section.title, entries: entries))
    }
    self.sections = sections
    self.paths = paths
  }

  /// The number of rows.
  public var count: Int { paths.count }

  /// The row at a path, or nil if there is none.
  ///
  /// - Parameter path: The place.
  /// - Returns: The row.
  public func row(at path: RowPath) -> Row? {
    sections.indices.contains(path.section) && sections[path.section].indices.contains(path.row)
      ? sections[path.section][path.row] : nil
  }

  /// The path of the row with an id, or nil if the list does not show it.
  ///
  /// - Parameter id: The row's id.
  /// - Returns: The path.
  public func path(forID id: Row.ID) -> RowPath? { paths[OrderKey(id)] }

  func path(_ id: OrderKey) -> RowPath? { paths[id] }
  func entry(at path: RowPath) -> Entry { sections[path.section].entries[path.row] }
}

extension Results: Equatable {
  /// Tells whether two lists show the same sections and rows, at whatever positions.
  public static func == (left: Results, right: Results) -> Bool { left.sections == right.sections }
}
