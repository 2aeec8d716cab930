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
  var appearances: [SectionKey: Position] = [:]

  var bytes: [UInt8] {
    var writer = PageWriter()
    writer.int(Self.form)
    writer.int(nextPage)
    writer.int(garbage.count)
    for page in garbage { writer.int(page) }
    for root in [ids, sections, handles] { root.write(&writer) }
    writer.int(facts.count)
    for (name, root) in facts.sorted(by: { $0.key < $1.key }) {
      writer.text(name)
      root.write(&writer)
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
    for _ in 0..<(try reader.count()) {
      let name = try reader.text()
      facts[name] = try SavedRoot(&reader)
    }
    for _ in 0..<(try reader.count()) {
      let key = try reader.sectionKey()
      appearances[key] = Position(try reader.int())
    }
    guard reader.isAtEnd else { throw PageError("there is more in the list than expected") }
  }
}

/// A projection's rows and the list of a request, at one position: what is saved.
struct ListState: Sendable {
  var list: SectionedList
  /// What the projection said of sections, by the names of the cuts.
  var facts: [String: SortedTree<BySectionFacts>]
  var appearances: [SectionKey: Position]
  var position: Position
}

/// Writes a row's content, and reads it again.
struct RowBytes<Row: Annals.Row> {
  private let encoder = JSONEncoder()
  private let decoder = JSONDecoder()

  init() {
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")
  }

  /// The bytes of a row, of which it is known that they lead to an equal row again.
  func encode(_ row: Row) throws -> [UInt8] {
    let data = try encoder.encode(row)
    let again = try decoder.decode(Row.self, from: data)
    // A row with NaN does not equal itself; what it holds is compared then.
    guard again == row || row != row && "\(again)" == "\(row)", OrderKey(again.id) == OrderKey(row.id) else {
      throw PageError(
        "a row of \(Row.self) with the id \(row.id) cannot be saved: expected its coding to lead to an equal row, found "
          + "\(again); make Codable keep all that == compares")
    }
    return Array(data)
  }

  func decode(_ bytes: ArraySlice<UInt8>) throws -> Row { try decoder.decode(Row.self, from: Data(bytes)) }
}

/// Reads the trees of a saved list.
struct SavedListReader<Row: Annals.Row>: Sendable {
  let pages: TreePages
  let recipe: ListRecipe
  /// The same list and facts, made again from the events.
  let restored: @Sendable () throws -> ListState

  /// The list; of its pages none is read yet.
  func state(_ root: SavedListRoot, at position: Position) -> ListState {
    let facts = Dictionary(
      uniqueKeysWithValues: root.facts.map { name, root in (name, self.facts(root, named: name)) })
    let list = SectionedList(
      saved: SortedTree(root.ids, of: rows { try restored().list.ids }),
      sections: SortedTree(root.sections, of: sections),
      handles: SortedTree(root.handles, of: handles),
      facts: recipe.keying.rules.cut.name.flatMap { facts[$0] } ?? SortedTree())
    return ListState(list: list, facts: facts, appearances: root.appearances, position: position)
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
  func save<Row: Annals.Row>(_ saver: TreeSaver, _: Row.Type) throws -> SavedListRoot {
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
    return freed
  }
}
