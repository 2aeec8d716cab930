/// The place at which a tree or a part of a tree was saved, with a summary of its first page.
package struct SavedRoot: Hashable, Sendable {
  /// The page's number, or 0 for an empty tree.
  package var page = 0
  package var level = 0
  package var count = 0
  package var weight = 0
  package var head: UInt64 = 0
  /// A digest that distinguishes the page's bytes from other pages' bytes, so that pages cannot be confused.
  package var digest: UInt64 = 0

  package init(
    page: Int = 0, level: Int = 0, count: Int = 0, weight: Int = 0, head: UInt64 = 0, digest: UInt64 = 0
  ) {
    self.page = page
    self.level = level
    self.count = count
    self.weight = weight
    self.head = head
    self.digest = digest
  }

  /// The highest level that a tree can have.
  ///
  /// With 16 slots per node, a tree of this height has space for more elements than any log has events.
  static let topLevel = 15

  package func write(_ writer: inout PageWriter) {
    for value in [page, level, count, weight] { writer.int(value) }
    writer.word(head)
    writer.word(digest)
  }
}

extension SavedRoot {
  package init(_ reader: inout PageReader) throws {
    (page, level, count, weight) = (try reader.int(), try reader.int(), try reader.int(), try reader.int())
    (head, digest) = (try reader.word(), try reader.word())
  }

  /// Checks that a saved tree can have these values, because any program might have written the file.
  ///
  /// - Throws: `PageError` if no saved tree can have these values.
  func check<Order: TreeOrder>(_ order: Order.Type, in pages: TreePages) throws {
    if self == SavedRoot() { return }
    guard page >= 1, page < pages.nextPage else {
      throw PageError("expected a page number from 1 to \(pages.nextPage - 1), found \(page)")
    }
    guard (0...Self.topLevel).contains(level) else {
      throw PageError("page \(page): expected a level from 0 to \(Self.topLevel), found \(level)")
    }
    let most = min(pages.most, SortedTree<Order>.room(onLevel: level))
    guard count >= 1, count <= most else {
      throw PageError("page \(page): expected 1 to \(most) elements, found \(count)")
    }
    guard weight >= 0, weight <= (Order.isWeighted ? pages.most : 0) else {
      throw PageError(
        "page \(page): expected a weight from 0 to \(Order.isWeighted ? pages.most : 0), found \(weight). The weight "
          + "is the number of rows in sections")
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
