/// The saved place of a tree or of a part, with a summary of the page.
struct SavedRoot: Hashable, Sendable {
  /// The page's number, or 0 for an empty tree.
  var page = 0
  var level = 0
  var count = 0
  var weight = 0
  var head: UInt64 = 0
  /// A digest that distinguishes the page's bytes from others, so that pages cannot be confused.
  var digest: UInt64 = 0

  /// The highest level of a tree, where a tree of 16 slots has more elements than any log has events.
  static let topLevel = 15

  func write(_ writer: inout PageWriter) {
    for value in [page, level, count, weight] { writer.int(value) }
    writer.word(head)
    writer.word(digest)
  }
}

extension SavedRoot {
  init(_ reader: inout PageReader) throws {
    (page, level, count, weight) = (try reader.int(), try reader.int(), try reader.int(), try reader.int())
    (head, digest) = (try reader.word(), try reader.word())
  }

  /// Throws for values that no saved tree can have, because the file might come from any program.
  func check<Order: TreeOrder>(_ order: Order.Type, in pages: TreePages) throws {
    if self == SavedRoot() { return }
    guard page >= 1, page < pages.nextPage else {
      throw PageError("a page is said to have the number \(page); expected one from 1 to \(pages.nextPage - 1)")
    }
    guard (0...Self.topLevel).contains(level) else {
      throw PageError("page \(page) is said to be on level \(level); expected one from 0 to \(Self.topLevel)")
    }
    let most = min(pages.most, SortedTree<Order>.room(onLevel: level))
    guard count >= 1, count <= most else {
      throw PageError("page \(page) is said to have \(count) elements; expected 1 to \(most)")
    }
    guard weight >= 0, weight <= (Order.isWeighted ? pages.most : 0) else {
      throw PageError("page \(page) is said to weigh \(weight); expected 0 to \(Order.isWeighted ? pages.most : 0)")
    }
  }
}

extension SortedTree {
  /// Returns the maximum number of elements below a node of a level.
  static func room(onLevel level: Int) -> Int {
    var room = Order.leafCapacity
    for _ in 0..<level {
      let (more, isTooMuch) = room.multipliedReportingOverflow(by: Order.innerCapacity)
      if isTooMuch { return .max }
      room = more
    }
    return room
  }
}
