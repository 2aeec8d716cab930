/// A sectioned, sorted list at one position: an immutable value.
public struct Results<Row: Annals.Row>: Sendable {
  /// A row in its place; an object, so that lists share it and moving it is moving one pointer.
  final class Entry: Sendable {
    let id: OrderKey
    let box: Rows<Row>.Box
    let place: SectionPlace
    let order: RowOrder

    var row: Row { box.row }

    init(id: OrderKey, box: Rows<Row>.Box, place: SectionPlace, order: RowOrder) {
      (self.id, self.box, self.place, self.order) = (id, box, place, order)
    }
  }

  /// What lists are made by; entries of a list can be used again in another of the same recipe.
  package final class Recipe: Sendable {
    package let request: FetchRequest<Row>

    package init(_ request: FetchRequest<Row>) { self.request = request }
  }

  /// The position of the log that the list shows.
  public let position: Position
  /// The sections, in order.
  public let sections: [ResultsSection<Row>]
  private let paths: [OrderKey: RowPath]
  fileprivate let recipe: Recipe

  /// Makes the list that a request asks for.
  ///
  /// - Parameters:
  ///   - request: Which rows, in which order, cut into which sections. Rows alone do not know which section appeared first:
  ///     here, an order of sections by first appearance is that by key.
  ///   - rows: The projection's rows.
  ///   - position: The position that the rows have been folded up to.
  /// - Complexity: O(n log n) for n rows.
  public init(_ request: FetchRequest<Row>, of rows: Rows<Row>, at position: Position) {
    self.init(Recipe(request), of: rows, at: position)
  }

  /// Makes the list of a request, knowing the positions at which its sections first had a row.
  ///
  /// Rows that are what they were in `known`, a list of the same recipe, keep their keys and their order.
  package init(
    _ recipe: Recipe, of rows: Rows<Row>, at position: Position, appearances: [SectionKey: Position] = [:],
    knowing known: Results? = nil
  ) {
    self.position = position
    self.recipe = recipe
    let request = recipe.request
    let groups = SectionGroups(request, rows, knowing: known?.recipe === recipe ? known : nil)
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
    paths.reserveCapacity(groups.entries.reduce(0) { $0 + $1.count })
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
  func entry(_ id: OrderKey) -> Entry? { paths[id].map { entry(at: $0) } }
}

extension Results: Equatable {
  /// Tells whether two lists show the same sections and rows, at whatever positions.
  public static func == (left: Results, right: Results) -> Bool { left.sections == right.sections }
}

/// The rows that a request shows, by section and in order.
private struct SectionGroups<Row: Annals.Row> {
  private(set) var places: [SectionPlace] = []
  private(set) var entries: [[Results<Row>.Entry]] = []
  private var indices: [SectionKey: Int] = [:]

  init(_ request: FetchRequest<Row>, _ rows: Rows<Row>, knowing known: Results<Row>?) {
    for place in request.section?.fixed ?? [.whole] { _ = index(of: place) }
    for section in known?.sections ?? [] {
      let kept = Self.kept(section.entries, rows)
      guard let place = kept.first?.place else { continue }
      entries[index(of: place)] = kept
    }
    var fresh: [Int: [Results<Row>.Entry]] = [:]
    for (id, box) in rows.boxes {
      if let entry = known?.entry(id), entry.box === box { continue }
      guard request.filter?.includes(box.row) ?? true else { continue }
      let place = request.section?.key(box.row) ?? .whole
      let entry = Results<Row>.Entry(id: id, box: box, place: place, order: RowOrder(box.row, by: request.sort))
      fresh[index(of: place), default: []].append(entry)
    }
    for (index, new) in fresh {
      let sorted = new.sorted { $0.order < $1.order }
      entries[index] = entries[index].isEmpty ? sorted : Self.merge(entries[index], sorted)
    }
  }

  /// The entries whose rows are what they were; the array itself, if all are.
  ///
  /// By index: an iterator of a generic type looks up its types at every step (measured: half of the time of a batch).
  private static func kept(_ entries: [Results<Row>.Entry], _ rows: Rows<Row>) -> [Results<Row>.Entry] {
    var index = 0
    while index < entries.count, rows.box(entries[index].id) === entries[index].box { index += 1 }
    if index == entries.count { return entries }
    var kept = Array(entries[..<index])
    while index < entries.count {
      if rows.box(entries[index].id) === entries[index].box { kept.append(entries[index]) }
      index += 1
    }
    return kept
  }

  private mutating func index(of place: SectionPlace) -> Int {
    if let known = indices[place.key] { return known }
    indices[place.key] = places.count
    places.append(place)
    entries.append([])
    return places.count - 1
  }

  /// Two sorted runs as one: O(k log n) comparisons for the k entries of the second.
  private static func merge(
    _ long: [Results<Row>.Entry], _ short: [Results<Row>.Entry]
  ) -> [Results<Row>.Entry] {
    var merged: [Results<Row>.Entry] = []
    merged.reserveCapacity(long.count + short.count)
    var start = 0
    for entry in short {
      var (low, high) = (start, long.count)
      while low < high {
        let middle = (low + high) / 2
        if long[middle].order < entry.order { low = middle + 1 } else { high = middle }
      }
      merged += long[start..<low]
      merged.append(entry)
      start = low
    }
    merged += long[start...]
    return merged
  }
}
