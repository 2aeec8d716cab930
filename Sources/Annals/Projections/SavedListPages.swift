import Foundation
import Synchronization

/// What a saved list is beside its pages.
struct SavedListRoot {
  /// The number of this form of lists on pages; another one is a miss.
  static let form = 1

  var nextPage = 1
  /// Pages that no list needs any more, and that somebody may still look at.
  var garbage: [Int] = []
  var ids = SavedRoot()
  var sections = SavedRoot()
  var handles = SavedRoot()
  /// By the name of the cut.
  var facts: [String: SavedRoot] = [:]
  /// By the name of the kind.
  var entities: [String: SavedRoot] = [:]
  var appearances: [SectionKey: Position] = [:]

  var bytes: [UInt8] {
    var writer = PageWriter()
    writer.int(Self.form)
    writer.int(nextPage)
    writer.int(garbage.count)
    for page in garbage { writer.int(page) }
    for root in [ids, sections, handles] { root.write(&writer) }
    for roots in [facts, entities] {
      writer.int(roots.count)
      for (name, root) in roots.sorted(by: { $0.key < $1.key }) {
        writer.text(name)
        root.write(&writer)
      }
    }
    writer.int(appearances.count)
    for (key, position) in appearances.sorted(by: { $0.value < $1.value }) {
      writer.sectionKey(key)
      writer.int(position.rawValue)
    }
    return writer.bytes
  }
}

extension SavedListRoot {
  init(_ bytes: [UInt8]) throws {
    var reader = PageReader(bytes)
    let form = try reader.int()
    guard form == Self.form else { throw PageError("the list is saved in form \(form); expected \(Self.form)") }
    nextPage = try reader.int()
    for _ in 0..<(try reader.count()) { garbage.append(try reader.int()) }
    (ids, sections, handles) = (try SavedRoot(&reader), try SavedRoot(&reader), try SavedRoot(&reader))
    (facts, entities) = (try Self.roots(&reader), try Self.roots(&reader))
    for _ in 0..<(try reader.count()) {
      let key = try reader.sectionKey()
      appearances[key] = Position(try reader.int())
    }
    guard reader.isAtEnd else { throw PageError("there is more in the list than expected") }
  }

  private static func roots(_ reader: inout PageReader) throws -> [String: SavedRoot] {
    var roots: [String: SavedRoot] = [:]
    for _ in 0..<(try reader.count()) {
      let name = try reader.text()
      roots[name] = try SavedRoot(&reader)
    }
    return roots
  }
}

/// A projection's rows and the list of a request, at one position: what is saved.
struct ListState: Sendable {
  var list: SectionedList
  /// What the projection said of sections, by the names of the cuts.
  var facts: [String: SortedTree<BySectionFacts>]
  /// What the rows depend on, by the names of the kinds.
  var entities: [String: SortedTree<ByRelated>]
  var appearances: [SectionKey: Position]
  var position: Position
  /// How often the log had been rewritten when its events were read.
  var rewrites = 0

  /// Reads all of a list that was saved; false if some of it cannot be read.
  func readAll() -> Bool {
    list.ids.readAll() && list.sections.readAll { $0.rows.readAll() } && list.handles.readAll()
      && facts.values.allSatisfy { $0.readAll() }
      && entities.values.allSatisfy { $0.readAll { $0.dependents.readAll() } }
  }
}

/// Reads the trees of a saved list.
struct SavedListReader<Row: Annals.Row>: Sendable {
  let pages: TreePages
  let recipe: ListRecipe
  /// What the rows depend on.
  let relations: [Relation<Row>]
  /// The same list and facts, made again from the events.
  let restored: @Sendable () throws -> ListState

  /// The list; of its pages none is read yet.
  func state(_ root: SavedListRoot, at position: Position) -> ListState {
    let facts = Dictionary(
      uniqueKeysWithValues: root.facts.map { name, root in (name, self.facts(root, named: name)) })
    let entities = Dictionary(
      root.entities.compactMap { name, root in
        relations.first { $0.name == name }.map { (name, self.entities(root, of: $0)) }
      }
    ) { first, _ in first }
    let list = SectionedList(
      saved: SortedTree(root.ids, of: rows { try restored().list.ids }),
      sections: SortedTree(root.sections, of: sections),
      handles: SortedTree(root.handles, of: handles),
      facts: recipe.keying.rules.cut.name.flatMap { facts[$0] } ?? SortedTree())
    return ListState(list: list, facts: facts, entities: entities, appearances: root.appearances, position: position)
  }

  private func rows<Order: TreeOrder>(
    _ restored: @escaping @Sendable () throws -> SortedTree<Order>
  ) -> OrderedSavedTree<Order> where Order.Element == RowEntry {
    let keying = recipe.keying
    return OrderedSavedTree(
      pages,
      readLeaf: { count, reader in
        let coder = RowBytes<Row>()
        var (places, writer) = (SectionPlaces(nil), KeyWriter(capacity: 64))
        return try (0..<count).map { _ in
          let row = try coder.decode(try reader.blob())
          let entry = Rows<Row>.Box(row, id: OrderKey(row.id))
          keying.key(entry, after: nil, &places, &writer)
          return entry
        }
      }, restored: restored)
  }

  private var sections: OrderedSavedTree<BySection> {
    OrderedSavedTree(
      pages,
      readLeaf: { count, reader in
        try (0..<count).map { _ in
          let handle = try reader.handle()
          let root = try SavedRoot(&reader)
          let rows = rows { () throws -> SortedTree<ByRow> in
            let list = try restored().list
            guard let found = list.handle(handle.place.key, hash: handle.place.hash) else {
              throw PageError("the list that was made again has no section \(handle.title)")
            }
            return list.sections.element(head: found.order.head) { BySection.compare($0.handle, found) }?.rows
              ?? SortedTree()
          }
          return SectionNode(handle, SortedTree(root, of: rows))
        }
      }, restored: { try restored().list.sections })
  }

  private func entities(_ root: SavedRoot, of relation: Relation<Row>) -> SortedTree<ByRelated> {
    let (name, coder) = (relation.name, relation.entities)
    let tree = OrderedSavedTree<ByRelated>(
      pages,
      readLeaf: { count, reader in
        try (0..<count).map { _ in
          let key = try reader.orderKey()
          let entity = try reader.optional { try coder.decode(try $0.blob()) }
          let dependents = OrderedSavedTree<ByID>(
            pages, readLeaf: { count, reader in try (0..<count).map { _ in RowEntry(id: try reader.orderKey()) } },
            restored: { try restored().entities[name]?.related(key)?.dependents ?? SortedTree() })
          return Related(key, entity, SortedTree(try SavedRoot(&reader), of: dependents))
        }
      }, restored: { try restored().entities[name] ?? SortedTree() })
    return SortedTree(root, of: tree)
  }

  private var handles: OrderedSavedTree<BySectionKey> {
    OrderedSavedTree(
      pages, readLeaf: { count, reader in try (0..<count).map { _ in try reader.handle() } },
      restored: { try restored().list.handles })
  }

  private func facts(_ root: SavedRoot, named name: String) -> SortedTree<BySectionFacts> {
    SortedTree(
      root,
      of: OrderedSavedTree(
        pages, readLeaf: { count, reader in try (0..<count).map { _ in try reader.facts() } },
        restored: { try restored().facts[name] ?? SortedTree() }))
  }
}

extension ListState {
  /// Saves what a cache does not have yet.
  ///
  /// - Returns: Where the trees are.
  func save<Row: Annals.Row>(_ saver: TreeSaver, _ relations: [Relation<Row>]) throws -> SavedListRoot {
    let coder = RowBytes<Row>()
    func write(_ entry: RowEntry, _ writer: inout PageWriter) throws {
      writer.blob(try coder.encode(Rows<Row>.box(entry).row))
    }
    var root = SavedListRoot()
    root.ids = try list.ids.save(saver, write)
    root.sections = try list.sections.save(saver) { section, writer in
      writer.handle(section.handle)
      try section.rows.save(saver, write).write(&writer)
    }
    root.handles = try list.handles.save(saver) { $1.handle($0) }
    for (name, facts) in facts { root.facts[name] = try facts.save(saver) { $1.facts($0) } }
    for (name, entities) in entities {
      guard let coder = relations.first(where: { $0.name == name })?.entities else { continue }
      root.entities[name] = try entities.save(saver) { related, writer in
        writer.blob(related.key.bytes)
        let bytes = try related.entity.map { try coder.encode($0) }
        writer.optional(bytes) { $0.blob($1) }
        try related.dependents.save(saver) { $1.blob($0.id.bytes) }.write(&writer)
      }
    }
    root.appearances = appearances
    root.nextPage = saver.nextPage
    return root
  }

  /// The pages that the list has in a cache and that a newer one does not need.
  func pages(notKeptBy saver: TreeSaver) -> [Int] {
    var freed: [Int] = []
    list.ids.pages(notKeptBy: saver) { freed.append($0) }
    list.sections.pages(notKeptBy: saver) {
      freed.append($0)
    } _: { section in
      section.rows.pages(notKeptBy: saver) { freed.append($0) }
    }
    list.handles.pages(notKeptBy: saver) { freed.append($0) }
    for facts in facts.values { facts.pages(notKeptBy: saver) { freed.append($0) } }
    for entities in entities.values {
      entities.pages(notKeptBy: saver) {
        freed.append($0)
      } _: { related in
        related.dependents.pages(notKeptBy: saver) { freed.append($0) }
      }
    }
    return freed
  }
}
