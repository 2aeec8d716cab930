/// A reader of a saved list's trees.
struct SavedListReader<Row: Annals.Row>: Sendable {
  let pages: TreePages
  let prepared: PreparedRequest
  /// The relations of the rows.
  let relations: [Relation<Row>]
  /// A closure that rebuilds the same list and settings from the events.
  let restored: @Sendable () throws -> ListState

  /// Opens the list without reading its pages, except the page with sample rows.
  ///
  /// - Returns: The list, and the samples.
  /// - Throws: `PageError` if the saved data isn't a valid list of these rows.
  func state(_ root: SavedListRoot, at position: Position) throws -> (list: ListState, samples: RowSamples) {
    var samples = try RowSamples(
      root.samples.page == 0
        ? .none : TreePageID(pages: pages.number, page: root.samples.page, digest: root.samples.digest),
      in: pages)
    let anchor = try check(&samples, root)
    guard prepared.includes != nil || root.sections.weight == root.ids.count else {
      throw PageError("expected all \(root.ids.count) rows in sections, found \(root.sections.weight) rows")
    }
    guard Set(root.entities.keys) == Set(relations.map(\.name)) else {
      throw PageError(
        "expected entities of the kinds \(Set(relations.map(\.name)).sorted()), found "
          + "\(root.entities.keys.sorted())")
    }
    guard root.appearances.values.allSatisfy({ $0 <= position }) else {
      throw PageError(
        "the list was saved at position \(position), but one of its sections first appeared at a later position")
    }
    var settings: [String: SortedTree<BySectionSettings>] = [:]
    for (name, root) in root.settings { settings[name] = try self.settings(root, named: name) }
    var entities: [String: SortedTree<ByRelated>] = [:]
    for relation in relations where entities[relation.name] == nil {
      entities[relation.name] = try self.entities(
        root.entities[relation.name] ?? SavedRoot(), of: relation, most: root.ids.count)
    }
    let list = SectionedList(
      try SortedTree(root.ids, in: pages, rows(anchor, in: nil, through: position) { try restored().list.ids }),
      sections: try SortedTree(root.sections, in: pages, sections(anchor, through: position)),
      headersByKey: try SortedTree(root.headersByKey, in: pages, headersByKey),
      settings: prepared.keyer.rules.criterion.name.flatMap { settings[$0] } ?? SortedTree(), origin: pages)
    return (
      ListState(list: list, settings: settings, entities: entities, appearances: root.appearances, position: position),
      samples
    )
  }

  /// Throws if the types of rows or entities have different properties than when the list was saved.
  ///
  /// Otherwise, returns a row of the list, or `nil` if the list is empty.
  private func check(_ samples: inout RowSamples, _ root: SavedListRoot) throws -> RowEntry? {
    let coder = RowBytes<Row>()
    try samples.check(of: "\(Row.self)", coder.shape)
    for relation in relations {
      try samples.check(kind: relation.name, of: relation.entities.name, relation.entities.shape)
    }
    guard root.ids.count > 0 else { return nil }
    guard let sample = samples.all.first(where: { $0.kind == "" }) else {
      throw PageError(
        "the saved list has \(root.ids.count) rows, but no sample row. Without a sample row, the properties of the "
          + "saved rows can't be compared with the row type")
    }
    let row = try coder.decode(sample.bytes[...])
    let entry = Rows<Row>.Box(row, id: OrderKey(row.id))
    var (sectionIDs, writer) = (SectionIDs(nil), KeyWriter(capacity: 64))
    prepared.keyer.key(entry, after: nil, &sectionIDs, &writer)
    return entry
  }

  /// Opens the rows of a section or all rows, whose last events are at or before a position.
  private func rows<Order: TreeOrder>(
    _ anchor: RowEntry?, in section: SectionID?, through position: Position,
    _ restored: @escaping @Sendable () throws -> SortedTree<Order>
  ) -> OrderedSavedTree<Order>.Elements where Order.Element == RowEntry {
    let keyer = prepared.keyer
    return OrderedSavedTree<Order>.Elements(
      read: { reader in
        let event = try reader.position()
        guard event <= position else {
          throw PageError("expected a row's last event at or before position \(position), found position \(event)")
        }
        let row = try RowBytes<Row>().decode(try reader.blob())
        let entry = Rows<Row>.Box(row, id: OrderKey(row.id))
        entry.event = event
        var (sectionIDs, writer) = (SectionIDs(last: section), KeyWriter(capacity: 64))
        keyer.key(entry, after: nil, &sectionIDs, &writer)
        if let section, !entry.section.isSame(section) {
          throw PageError("the rows of a section contain a row of another section")
        }
        return entry
      },
      // A list without rows has no page for them.
      standIn: { _ in anchor ?? RowEntry(id: .empty) }, restored: restored)
  }

  private func sections(_ anchor: RowEntry?, through position: Position) -> OrderedSavedTree<BySection>.Elements {
    OrderedSavedTree<BySection>.Elements(
      haveTrees: true,
      read: { reader in
        let header = try header(&reader)
        let root = try SavedRoot(&reader)
        guard root.count > 0 || header.isPinned else { throw PageError("the section \(header.title) is empty") }
        let rows = rows(anchor, in: header.id, through: position) { () throws -> SortedTree<ByRow> in
          let list = try restored().list
          guard let found = list.header(header.id.key, hash: header.id.hash) else {
            throw PageError("the rebuilt list has no section \(header.title)")
          }
          return list.sections.find(found)?.node.rows ?? SortedTree()
        }
        return SectionNode(header, try SortedTree(root, in: pages, rows))
      },
      standIn: { weight in
        guard weight > 0, let anchor else { return SectionNode(.lost, SortedTree()) }
        return SectionNode(.lost, SortedTree(repeating: anchor, count: weight))
      }, restored: { try restored().list.sections })
  }

  private func entities(
    _ root: SavedRoot, of relation: Relation<Row>, most: Int
  ) throws -> SortedTree<ByRelated> {
    let (name, coder) = (relation.name, relation.entities)
    let elements = OrderedSavedTree<ByRelated>.Elements(
      haveTrees: true,
      read: { reader in
        let key = try reader.orderKey()
        let entity = try reader.optional { try coder.decode(try $0.blob()) }
        if let entity, entity.key != key {
          throw PageError(
            "an entity of the kind \(name) was saved under an id that differs from the id in the entity")
        }
        let dependents = OrderedSavedTree<ByID>.Elements(
          read: { RowEntry(id: try $0.orderKey()) }, standIn: { _ in RowEntry(id: .empty) },
          restored: { try restored().entities[name]?.related(key)?.dependents ?? SortedTree() })
        let root = try SavedRoot(&reader)
        guard root.count <= most else {
          throw PageError(
            "the saved list has \(most) rows, but \(root.count) rows depend on one entity of the kind \(name)")
        }
        return Related(key, entity, try SortedTree(root, in: pages, dependents))
      }, standIn: { _ in Related(.empty, nil, SortedTree()) },
      restored: { try restored().entities[name] ?? SortedTree() })
    return try SortedTree(root, in: pages, elements)
  }

  private var headersByKey: OrderedSavedTree<BySectionKey>.Elements {
    OrderedSavedTree<BySectionKey>.Elements(
      read: { try header(&$0) }, standIn: { _ in .lost }, restored: { try restored().list.headersByKey })
  }

  private func settings(_ root: SavedRoot, named name: String) throws -> SortedTree<BySectionSettings> {
    try SortedTree(
      root, in: pages,
      OrderedSavedTree<BySectionSettings>.Elements(
        read: { try $0.settings() }, standIn: { _ in SectionSettings(.empty, SectionSettings.Values()) },
        restored: { try restored().settings[name] ?? SortedTree() }))
  }
}

extension Row {
  /// The id's bytes.
  fileprivate var key: OrderKey { OrderKey(id) }
}

extension SectionHeader {
  /// A placeholder for a lost section, with an order key that is longer than any section's.
  fileprivate static let lost = SectionHeader(
    .whole, title: "", order: RowOrder(bytes: OrderKey { $0.write(bytes: Array(repeating: 0xFF, count: 64)) }),
    isPinned: false, appearance: nil)
}

extension SavedListReader {
  /// Reads a section, which must match the request's sectioning.
  private func header(_ reader: inout PageReader) throws -> SectionHeader {
    let keyer = prepared.keyer
    let saved = try reader.header()
    let first = try reader.optional { reader in
      let row = try RowBytes<Row>().decode(try reader.blob())
      let entry = Rows<Row>.Box(row, id: OrderKey(row.id))
      var (sectionIDs, writer) = (SectionIDs(nil), KeyWriter(capacity: 64))
      keyer.key(entry, after: nil, &sectionIDs, &writer)
      guard entry.section.isSame(saved.id) else {
        throw PageError("the first row of the section \(saved.title) belongs to another section")
      }
      return entry
    }
    guard let order = keyer.rules.order(of: saved, first: first) else {
      throw PageError(
        "the saved place of the section \(saved.title) among the sections contradicts the section's saved key, title "
          + "or first row")
    }
    return SectionHeader(
      saved.id, title: saved.title, order: order, isPinned: saved.isPinned, appearance: saved.appearance,
      first: first, isDescending: keyer.rules.order.isDescending)
  }
}

extension SectionRules {
  /// Returns a saved section's place, or `nil` if the saved place contradicts the data in the header.
  ///
  /// The ranks of strings aren't saved, because they are specific to the process.
  ///
  /// The check is incomplete, because the header doesn't contain the section's number. It also contains no first row if
  /// sections are compared only as bytes.
  fileprivate func order(of saved: SectionHeader, first: RowEntry?) -> RowOrder? {
    guard pinned.contains(where: { $0.isSame(saved.id) }) == saved.isPinned, isByAppearance || saved.appearance == nil,
      isByRows || first == nil
    else { return nil }
    if isByRows, first == nil, saved.order.bytes.first == 0 { return RowOrder(bytes: saved.order) }
    let number = order.isDescending && saved.order.head != .max ? ~saved.order.head : saved.order.head
    let order = order(
      of: saved.id, Place(title: saved.title, number: number, appearance: saved.appearance, first: first))
    return order.head == saved.order ? order : nil
  }
}
