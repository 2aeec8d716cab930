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
    let groups = SectionGroups(request, rows)
    let cut = request.section?.cut ?? .whole
    let ordered = groups.places.indices.map { index in
      let place = groups.places[index]
      let title = rows.title(of: place.key, cut: cut)
      let order = OrderKey { writer in
        switch request.section?.order ?? .byKey {
        case .byKey: break
        case .byTitle: writer.write(text: title)
        case .byNumber: (rows.number(of: place.key, cut: cut) ?? .nan).encode(into: &writer)
        case .byFirstAppearance: (appearances[place.key]?.rawValue ?? .max).encode(into: &writer)
        }
        for byte in place.order.bytes { writer.write(byte: byte) }
      }
      return (order: order, place: place, title: title, index: index)
    }.sorted { $0.order < $1.order }

    let fixed = Set((request.section?.fixed ?? [.whole]).map(\.key))
    var skipped = max(request.offset, 0)
    var room = request.limit.map { max($0, 0) } ?? .max
    var sections: [ResultsSection<Row>] = []
    var paths: [OrderKey: RowPath] = [:]
    for section in ordered {
      let all = groups.entries[section.index]
      let entries = skipped == 0 && room >= all.count ? all : Array(all.dropFirst(skipped).prefix(room))
      skipped -= min(skipped, all.count)
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

/// The rows that a request shows, by section and in order.
private struct SectionGroups<Row: Annals.Row> {
  private(set) var places: [SectionPlace] = []
  private(set) var entries: [[Results<Row>.Entry]] = []

  init(_ request: FetchRequest<Row>, _ rows: Rows<Row>) {
    var indices: [SectionKey: Int] = [:]
    for place in request.section?.fixed ?? [.whole] where indices[place.key] == nil {
      indices[place.key] = places.count
      places.append(place)
      entries.append([])
    }
    for (id, row) in rows.all where request.filter?.includes(row) ?? true {
      let place = request.section?.key(row) ?? .whole
      let entry = Results<Row>.Entry(id: id, order: RowOrder(row, by: request.sort), row: row)
      if let index = indices[place.key] {
        // In place: taken out of a dictionary's value, the whole section would be copied for each row.
        entries[index].append(entry)
      } else {
        indices[place.key] = places.count
        places.append(place)
        entries.append([entry])
      }
    }
    for index in entries.indices { entries[index].sort { $0.order < $1.order } }
  }
}
