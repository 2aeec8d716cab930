import AnnalsLog
import Foundation
import Synchronization

/// A saved list's data that isn't stored on the list's pages.
struct SavedListRoot {
  /// The version of this page format.
  ///
  /// A list in any other page format isn't used.
  static let form = 5

  /// The upper limit of the next page's number, because page numbers have 32 bits.
  static let lastPage = 1 << 32
  /// The maximum number of saves of a list in one cache.
  static let lastGeneration = 1 << 60

  var nextPage = 1
  /// Pages that no list needs any longer but that a reader may still use.
  var garbage: [Int] = []
  var ids = SavedRoot()
  var sections = SavedRoot()
  var headersByKey = SavedRoot()
  /// The settings, by the name of the sectioning.
  var settings: [String: SavedRoot] = [:]
  /// The entities, by the name of the kind.
  var entities: [String: SavedRoot] = [:]
  var appearances: [SectionKey: Position] = [:]
  /// The page with sample rows, and the digest of its bytes.
  var samples = (page: 0, digest: UInt64(0))

  var bytes: [UInt8] {
    var writer = PageWriter()
    writer.int(Self.form)
    writer.int(nextPage)
    writer.int(garbage.count)
    for page in garbage { writer.int(page) }
    writer.int(samples.page)
    writer.word(samples.digest)
    for root in [ids, sections, headersByKey] { root.write(&writer) }
    for roots in [settings, entities] {
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
    guard form == Self.form else { throw PageError("expected a list in format \(Self.form), found format \(form)") }
    nextPage = try reader.int()
    guard nextPage >= 1, nextPage <= Self.lastPage else {
      throw PageError("expected a number from 1 to \(Self.lastPage) for the next page, found \(nextPage)")
    }
    for _ in 0..<(try reader.count()) {
      let page = try reader.int()
      guard page >= 1, page < nextPage else {
        throw PageError("expected a free page from 1 to \(nextPage - 1), found \(page)")
      }
      garbage.append(page)
    }
    samples = (try reader.int(), try reader.word())
    (ids, sections, headersByKey) = (try SavedRoot(&reader), try SavedRoot(&reader), try SavedRoot(&reader))
    (settings, entities) = (try Self.roots(&reader), try Self.roots(&reader))
    for _ in 0..<(try reader.count()) {
      let key = try reader.sectionKey()
      appearances[key] = try reader.position()
    }
    guard reader.isAtEnd else { throw PageError("expected the end of the saved list, found more bytes") }
    // The list can't show more rows than the projection has, and every section must have one key.
    guard sections.weight <= ids.count, sections.count == headersByKey.count else {
      throw PageError(
        "the counts of the list contradict each other: \(ids.count) rows, \(sections.weight) of them in "
          + "\(sections.count) sections with \(headersByKey.count) keys")
    }
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

/// A projection's rows and a request's list at one position, saved together.
struct ListState: Sendable {
  var list: SectionedList
  /// The projection's section settings, by the names of the sectionings.
  var settings: [String: SortedTree<BySectionSettings>]
  /// The entities that the rows depend on, by the names of the kinds.
  var entities: [String: SortedTree<ByRelated>]
  var appearances: [SectionKey: Position]
  var position: Position
  /// The log revision that the list's events were read from.
  var revision = LogRevision.original

  /// Throws if it is known that a part of the list is lost.
  func checkIsWhole() throws { try list.origin?.checkIsWhole() }

  /// Reads all of a saved list, or returns false if a part of it can't be read.
  func readAll() -> Bool {
    list.ids.readAll() && list.sections.readAll { $0.rows.readAll() } && list.headersByKey.readAll()
      && settings.values.allSatisfy { $0.readAll() }
      && entities.values.allSatisfy { $0.readAll { $0.dependents.readAll() } }
  }
}

/// The encoded rows of a save.
///
/// A row is in the tree of all rows and in its section, and its bytes are checked by decoding them. So the bytes for
/// the first tree are kept for the second tree.
private final class EncodedRows<Row: Annals.Row> {
  let coder = RowBytes<Row>()
  /// The bytes by row, with the row itself, so that no other row can have the same address.
  private var kept: [ObjectIdentifier: (entry: RowEntry, bytes: [UInt8])] = [:]
  /// The maximum number of kept rows, which bounds the memory for the save of a whole list.
  private static var limit: Int { 8_192 }

  /// Returns the bytes of a row, and keeps them.
  func bytes(of entry: RowEntry) throws -> [UInt8] {
    let bytes = try coder.encode(Rows<Row>.box(entry).row)
    if kept.count < Self.limit { kept[ObjectIdentifier(entry)] = (entry, bytes) }
    return bytes
  }

  /// Returns the kept bytes of a row, or encodes the row.
  func again(_ entry: RowEntry) throws -> [UInt8] {
    try kept[ObjectIdentifier(entry)]?.bytes ?? coder.encode(Rows<Row>.box(entry).row)
  }
}

extension ListState {
  /// Saves the parts of the list that a cache doesn't contain yet.
  ///
  /// - Parameters:
  ///   - saver: The saver that receives the pages.
  ///   - relations: The relations of the rows.
  ///   - samples: Sample rows of the parts that were saved before.
  /// - Returns: The places of the trees.
  /// - Throws: The error that prevents a row from being saved.
  func save<Row: Annals.Row>(
    _ saver: TreeSaver, _ relations: [Relation<Row>], _ samples: inout RowSamples
  ) throws -> SavedListRoot {
    let rows = EncodedRows<Row>()
    func write(_ entry: RowEntry, _ writer: inout PageWriter) throws {
      writer.int(entry.event.rawValue)
      writer.blob(try rows.again(entry))
    }
    var root = SavedListRoot()
    root.ids = try list.ids.save(saver) { entry, writer in
      let bytes = try rows.bytes(of: entry)
      try samples.look(at: bytes, rows.coder.shape)
      writer.int(entry.event.rawValue)
      writer.blob(bytes)
    }
    func write(_ header: SectionHeader, _ writer: inout PageWriter) throws {
      writer.header(header)
      writer.optional(try header.first.map { try rows.again($0) }) { $0.blob($1) }
    }
    root.sections = try list.sections.save(saver) { section, writer in
      try write(section.header, &writer)
      try section.rows.save(saver, write).write(&writer)
    }
    root.headersByKey = try list.headersByKey.save(saver) { try write($0, &$1) }
    for (name, settings) in settings { root.settings[name] = try settings.save(saver) { $1.settings($0) } }
    for (name, entities) in entities {
      guard let coder = relations.first(where: { $0.name == name })?.entities else { continue }
      root.entities[name] = try entities.save(saver) { related, writer in
        writer.blob(related.key.bytes)
        let bytes = try related.entity.map { try coder.encode($0) }
        if let bytes { try samples.look(at: bytes, kind: name, coder.shape) }
        writer.optional(bytes) { $0.blob($1) }
        try related.dependents.save(saver) { $1.blob($0.id.bytes) }.write(&writer)
      }
    }
    root.appearances = appearances
    try samples.save(saver)
    root.samples = (samples.page.page, samples.page.digest)
    root.nextPage = saver.nextPage
    return root
  }

  /// Returns the pages that a cache contains for this list, but that the newer list doesn't need.
  func pages(notKeptBy saver: TreeSaver) -> [Int] {
    var freed: [Int] = []
    list.ids.pages(notKeptBy: saver) { freed.append($0) }
    list.sections.pages(notKeptBy: saver) {
      freed.append($0)
    } _: { section in
      section.rows.pages(notKeptBy: saver) { freed.append($0) }
    }
    list.headersByKey.pages(notKeptBy: saver) { freed.append($0) }
    for settings in settings.values { settings.pages(notKeptBy: saver) { freed.append($0) } }
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
