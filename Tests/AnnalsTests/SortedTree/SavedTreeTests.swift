import AnnalsTesting
import Synchronization
import Testing

@testable import AnnalsLists

/// Trees on pages, compared with dictionaries.
@Suite struct SavedTreeTests {
  /// The pages of a tree in memory, with counts of the elements that were read from them or written to them.
  private final class Pages: Sendable {
    private struct State {
      var pages: [Int: [UInt8]] = [:]
      var nextPage = 1
      var reads = 0
      var writes = 0
      /// The numbers of elements that can't be read.
      var unreadable: Set<Int> = []
      /// The elements that are rebuilt in place of unreadable elements, or an empty array if none can be rebuilt.
      var rebuilt: [Numbered] = []
    }

    private let state = Mutex(State())

    var reads: Int { state.withLock { $0.reads } }
    var writes: Int { state.withLock { $0.writes } }

    func damage(_ numbers: Set<Int>, rebuilding elements: [Numbered] = []) {
      state.withLock { ($0.unreadable, $0.rebuilt) = (numbers, elements) }
    }

    func treePages() -> TreePages { TreePages(cache: 1) { [self] page in state.withLock { $0.pages[page] } } }

    /// Saves a tree, on top of the tree's own pages if it has any.
    func save(_ tree: SortedTree<Usual>, on pages: TreePages) throws -> SavedRoot {
      let saver = TreeSaver(pages, nextPage: state.withLock { $0.nextPage }) { [self] page, bytes in
        state.withLock { $0.pages[page] = bytes }
      }
      let root = try tree.save(saver) { [self] element, writer in
        state.withLock { $0.writes += 1 }
        writer.int(element.number)
        writer.text(element.note)
      }
      state.withLock { $0.nextPage = saver.nextPage }
      return root
    }

    func open(_ root: SavedRoot, in pages: TreePages) throws -> SortedTree<Usual> {
      try SortedTree(
        root, in: pages,
        OrderedSavedTree<Usual>.Elements(
          read: { [self] reader in
            let number = try reader.int()
            try state.withLock { state in
              state.reads += 1
              if state.unreadable.contains(number) { throw PageError("the element \(number) is unreadable") }
            }
            return Numbered(number, try reader.text())
          }, standIn: { _ in Numbered(0, "lost") },
          restored: { [self] in
            let elements = state.withLock { $0.rebuilt }
            if elements.isEmpty { throw PageError("there are no events") }
            return SortedTree(sorted: elements)
          }))
    }
  }

  /// A tree of multiples of 3, whose heads are all different, on pages.
  private static func tree(_ count: Int, on pages: Pages) throws -> (tree: SortedTree<Usual>, pages: TreePages) {
    let elements = (0..<count).map { Numbered($0 * 3, "note \($0)") }
    let root = try pages.save(SortedTree(sorted: elements), on: pages.treePages())
    let treePages = pages.treePages()
    return (try pages.open(root, in: treePages), treePages)
  }

  private enum Step: Sendable {
    case insert(Int)
    case remove(Int)
    case find(Int)
    case save
    case reopen
  }

  @Test func `a tree that is saved and reopened among its changes is a dictionary`() throws {
    let number = Generator<Int>.int(in: 0...1_500)
    let step: Generator<Step> = .frequency(
      (12, number.map { .insert($0) }), (8, number.map { .remove($0) }), (8, number.map { .find($0) }),
      (1, .constant(.save)), (1, .constant(.reopen)))
    try check(.array(of: step, count: 100...300), settings: CheckSettings(examples: 60)) { steps in
      let pages = Pages()
      var (tree, treePages) = try Self.tree(400, on: pages)
      var model = Dictionary(uniqueKeysWithValues: (0..<400).map { ($0 * 3, "note \($0)") })
      for (index, step) in steps.enumerated() {
        switch step {
        case .insert(let number):
          let old = tree.insert(Numbered(number, "\(index)"))
          try require(old?.note == model.updateValue("\(index)", forKey: number), "\(number) was replaced")
        case .remove(let number):
          try require(
            tree.remove(Numbered(number))?.note == model.removeValue(forKey: number), "\(number) was removed")
        case .find(let number):
          try require(
            tree.lookup(of: Numbered(number)).element?.note == model[number], "\(number) was found")
        // A later save shares the pages of this save.
        case .save: _ = try pages.save(tree, on: treePages)
        case .reopen:
          let root = try pages.save(tree, on: treePages)
          treePages = pages.treePages()
          tree = try pages.open(root, in: treePages)
        }
      }
      let copy = tree
      try require(tree.defects == [], tree.defects.joined(separator: " "))
      let sorted = model.sorted { $0.key < $1.key }
      try require(copy.map(\.number) == sorted.map(\.key) && copy.map(\.note) == sorted.map(\.value), "the elements")
      try require(treePages.whatIsWrong == nil, "the pages are whole")
    }
  }

  @Test func `a change reads only the elements that it compares, and a save writes only the changed elements`() throws {
    let pages = Pages()
    var (tree, treePages) = try Self.tree(10_000, on: pages)
    #expect(pages.writes == 10_000 && pages.reads == 0)
    #expect(tree.lookup(of: Numbered(3_000)).element?.note == "note 1000")
    #expect(pages.reads == 1)
    tree.insert(Numbered(3_000, "changed"))
    #expect(pages.reads == 1)
    tree.insert(Numbered(6_001, "new"))
    // The leaf's element 6,000 has the same head.
    #expect(pages.reads == 2)
    tree.remove(Numbered(9_000))
    #expect(pages.reads == 3)
    let root = try pages.save(tree, on: treePages)
    #expect(pages.writes == 10_002 && pages.reads == 3)
    let again = try pages.open(root, in: pages.treePages())
    #expect(again.map(\.note) == tree.map(\.note) && again.count == 10_000)
    // A separate cache gets all elements, because it can't contain bytes of another cache.
    treePages = pages.treePages()
    let other = try pages.save(again, on: treePages)
    #expect(pages.writes == 20_002)
    #expect(try pages.open(other, in: treePages).map(\.number) == tree.map(\.number))
  }

  @Test func `an unreadable element is rebuilt, and the elements next to it are read`() throws {
    let pages = Pages()
    let (tree, treePages) = try Self.tree(500, on: pages)
    pages.damage([300], rebuilding: (0..<500).map { Numbered($0 * 3, "rebuilt") })
    #expect(tree[99].note == "note 99" && tree[100].note == "rebuilt" && tree[101].note == "note 101")
    #expect(treePages.whatIsWrong == "the element 300 is unreadable" && !treePages.isLost)
    #expect(tree.readAll() && tree.map(\.number) == (0..<500).map { $0 * 3 })
  }

  @Test func `an element that can neither be read nor rebuilt is lost, and the elements next to it are read`() throws {
    let pages = Pages()
    let (tree, treePages) = try Self.tree(500, on: pages)
    pages.damage([300])
    #expect(try tree.read(at: 99)?.note == "note 99")
    #expect(throws: UnreadablePage.self) { try tree.read(at: 100) }
    #expect(throws: UnreadablePage.self) { try tree.read(head: 100) { $0.number - 300 } }
    #expect(treePages.isLost && !tree.readAll())
    #expect(tree[100].note == "lost" && tree[101].note == "note 101" && tree.count == 500)
  }

  @Test func `an element whose key contradicts its page is rebuilt`() throws {
    let pages = Pages()
    let wrong = SortedTree<Usual>(sorted: (0..<40).map { Numbered($0 * 3, "note \($0)") })
    var written: [Int: [UInt8]] = [:]
    let lying = TreeSaver(pages.treePages(), nextPage: 1) { written[$0] = $1 }
    let root = try wrong.save(lying) { element, writer in
      writer.int(element.number == 60 ? 900 : element.number)
      writer.text(element.note)
    }
    let stored = written
    let treePages = TreePages(cache: 1) { stored[$0] }
    pages.damage([], rebuilding: (0..<40).map { Numbered($0 * 3, "rebuilt") })
    let tree = try pages.open(root, in: treePages)
    #expect(tree[19].note == "note 19" && tree[20].note == "rebuilt" && treePages.whatIsWrong != nil)
  }

  @Test func `threads that read the same elements get the same objects`() throws {
    let pages = Pages()
    let (tree, treePages) = try Self.tree(2_000, on: pages)
    let found = Parallel.map(8, threshold: 0, rows: { _ in 2_000 }) { _ in tree.map { $0 } }
    for other in found.dropFirst() { #expect(found[0].elementsEqual(other) { $0 === $1 }) }
    #expect(found[0].map(\.note) == (0..<2_000).map { "note \($0)" } && treePages.whatIsWrong == nil)
  }

  @Test func `threads that rebuild the same elements leave the other elements of the page readable`() throws {
    let pages = Pages()
    let (tree, treePages) = try Self.tree(2_000, on: pages)
    let unreadable = Set((0..<2_000).filter { $0 % 5 < 3 }.map { $0 * 3 })
    pages.damage(unreadable, rebuilding: (0..<2_000).map { Numbered($0 * 3, "note \($0)") })
    let found = Parallel.map(8, threshold: 0, rows: { _ in 2_000 }) { part in
      // Every part begins elsewhere, so the threads are in the same pages at different elements.
      (0..<2_000).map { tree[($0 + part * 2) % 2_000].note }
    }
    for (part, notes) in found.enumerated() {
      #expect(notes == (0..<2_000).map { "note \(($0 + part * 2) % 2_000)" })
    }
    #expect(!treePages.isLost && tree.readAll())
  }

  private func require(_ isTrue: Bool, _ what: String) throws {
    if !isTrue { throw Difference(what: what) }
  }

  private struct Difference: Error, CustomStringConvertible {
    let what: String
    var description: String { what }
  }
}
