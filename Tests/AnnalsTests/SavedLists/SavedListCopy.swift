@testable import Annals
@testable import AnnalsLists
@testable import AnnalsLog

/// Copies a saved list page by page with one lie, and makes every digest right again.
///
/// Anyone who can write the file could make such a copy.
struct SavedListCopy {
  /// What the lie is about.
  enum Lie: Hashable, Sendable {
    case nothing
    /// The number at that index, in the order in which numbers are written, is wrong.
    case number(Int, Number)
    /// The children of the inner page at that index are wrong.
    case children(Int, Children)
    /// One tree is replaced by another.
    case trees(Trees)
  }

  enum Number: Hashable, Sendable {
    case other(Int)
    case more(Int)
  }

  enum Children: CaseIterable, Sendable { case swapped, repeated, missing, itself, parent, counted }
  enum Trees: CaseIterable, Sendable {
    case idsAsHandles, handlesAsIDs, sectionsAsIDs, factsAsHandles, noHandles, noIDs
  }

  private let lie: Lie
  private let read: (Int) -> [UInt8]
  /// The pages of the copy.
  private(set) var pages: [Int: [UInt8]] = [:]
  /// How many numbers there are.
  private(set) var numbers = 0
  /// How many inner pages there are.
  private(set) var inner = 0
  private var ancestors: [SavedRoot] = []

  init(_ lie: Lie, _ read: @escaping (Int) -> [UInt8]) { (self.lie, self.read) = (lie, read) }

  /// Copies a list, and returns its root.
  mutating func list(_ bytes: [UInt8]) throws -> [UInt8] {
    var root = try SavedListRoot(bytes)
    root.ids = try tree(root.ids) { try $0.row(&$1, &$2) }
    root.sections = try tree(root.sections) { copy, reader, writer in
      try copy.handle(&reader, &writer)
      try copy.nested(&reader, &writer) { try $0.row(&$1, &$2) }
    }
    root.headersByKey = try tree(root.headersByKey) { try $0.handle(&$1, &$2) }
    for (name, tree) in root.settings.sorted(by: { $0.key < $1.key }) {
      root.settings[name] = try self.tree(tree) { copy, reader, writer in
        try copy.blob(&reader, &writer)
        try copy.optional(&reader, &writer) { try $0.blob(&$1, &$2) }
        try copy.optional(&reader, &writer) { $2.word(try $1.word()) }
      }
    }
    for (name, tree) in root.entities.sorted(by: { $0.key < $1.key }) {
      root.entities[name] = try self.tree(tree) { copy, reader, writer in
        try copy.blob(&reader, &writer)
        try copy.optional(&reader, &writer) { try $0.blob(&$1, &$2) }
        try copy.nested(&reader, &writer) { try $0.blob(&$1, &$2) }
      }
    }
    if root.samples.page > 0 { pages[root.samples.page] = read(root.samples.page) }
    if case .trees(let trees) = lie { Self.exchange(trees, &root) }
    root.nextPage = number(root.nextPage)
    root.samples.page = number(root.samples.page)
    for path in [\SavedListRoot.ids, \.sections, \.headersByKey] { root[keyPath: path] = numbered(root[keyPath: path]) }
    root.settings = root.settings.mapValues { numbered($0) }
    root.entities = root.entities.mapValues { numbered($0) }
    return root.bytes
  }

  private static func exchange(_ trees: Trees, _ root: inout SavedListRoot) {
    switch trees {
    case .idsAsHandles: root.headersByKey = root.ids
    case .handlesAsIDs: root.ids = root.headersByKey
    case .sectionsAsIDs: root.ids = root.sections
    case .factsAsHandles: root.headersByKey = root.settings.values.first ?? SavedRoot()
    case .noHandles: root.headersByKey = SavedRoot()
    case .noIDs: root.ids = SavedRoot()
    }
  }

  private typealias Element = (inout SavedListCopy, inout PageReader, inout PageWriter) throws -> Void

  private mutating func tree(_ root: SavedRoot, _ element: Element) throws -> SavedRoot {
    guard root.count > 0 else { return root }
    var (reader, writer) = (PageReader(read(root.page)), PageWriter())
    let (level, slots) = (try reader.int(), try reader.int())
    writer.int(number(level))
    if level == 0 {
      writer.int(number(slots))
      for _ in 0..<slots { try saved(&reader, &writer, element) }
    } else {
      ancestors.append(root)
      var children = try (0..<slots).map { _ in try tree(try SavedRoot(&reader), element) }
      ancestors.removeLast()
      if case .children(inner, let kind) = lie { change(&children, kind, of: root) }
      inner += 1
      writer.int(number(children.count))
      for child in children { numbered(child).write(&writer) }
    }
    pages[root.page] = writer.bytes
    var copy = root
    copy.digest = PageWriter.digest(writer.bytes)
    return copy
  }

  /// Copies an element, after its length and its head.
  private mutating func saved(_ reader: inout PageReader, _ writer: inout PageWriter, _ element: Element) throws {
    var (own, copy) = (PageReader(Array(try reader.blob())), PageWriter())
    copy.word(UInt64(bitPattern: Int64(number(Int(Int64(bitPattern: try own.word()))))))
    try element(&self, &own, &copy)
    writer.int(number(copy.bytes.count))
    writer.append(copy.bytes)
  }

  private func change(_ children: inout [SavedRoot], _ kind: Children, of root: SavedRoot) {
    let (first, last) = (children[0], children.count - 1)
    switch kind {
    case .swapped: children.swapAt(0, last)
    case .repeated: children[last] = first
    case .missing: children.removeLast()
    case .itself: (children[0].page, children[0].digest) = (root.page, root.digest)
    case .parent:
      let parent = ancestors.first ?? root
      (children[last].page, children[last].digest, children[last].level) = (parent.page, parent.digest, parent.level)
    case .counted:
      children[0].count += 1
      children[last].count -= 1
    }
  }

  private mutating func nested(_ reader: inout PageReader, _ writer: inout PageWriter, _ element: Element) throws {
    numbered(try tree(try SavedRoot(&reader), element)).write(&writer)
  }

  private mutating func handle(_ reader: inout PageReader, _ writer: inout PageWriter) throws {
    let kind = try reader.int()
    writer.int(number(kind))
    if kind > 0 { try blob(&reader, &writer) }
    for _ in 0..<3 { try blob(&reader, &writer) }
    writer.int(number(try reader.int()))
    try optional(&reader, &writer) { copy, reader, writer in writer.int(copy.number(try reader.int())) }
    try optional(&reader, &writer) { try $0.blob(&$1, &$2) }
  }

  private mutating func optional(_ reader: inout PageReader, _ writer: inout PageWriter, _ body: Element) throws {
    let isThere = try reader.int()
    writer.int(number(isThere))
    if isThere != 0 { try body(&self, &reader, &writer) }
  }

  /// A row after the position of its last event.
  private mutating func row(_ reader: inout PageReader, _ writer: inout PageWriter) throws {
    writer.int(number(try reader.int()))
    try blob(&reader, &writer)
  }

  private mutating func blob(_ reader: inout PageReader, _ writer: inout PageWriter) throws {
    let bytes = try reader.blob()
    // The length is a number like any other.
    writer.int(number(bytes.count))
    writer.append(bytes)
  }

  private mutating func numbered(_ root: SavedRoot) -> SavedRoot {
    var root = root
    for path in [\SavedRoot.page, \.level, \.count, \.weight] { root[keyPath: path] = number(root[keyPath: path]) }
    root.head = UInt64(bitPattern: Int64(number(Int(Int64(bitPattern: root.head)))))
    return root
  }

  private mutating func number(_ value: Int) -> Int {
    defer { numbers += 1 }
    switch lie {
    case .number(numbers, .other(let other)): return other
    case .number(numbers, .more(let more)): return value &+ more
    default: return value
    }
  }
}
