/// What differs between two trees at one key.
package enum TreeChange<Element> {
  /// The old tree has an element at a rank, the new one none with its key.
  case removed(Element, at: Int)
  /// The new tree has an element at a rank, the old one none with its key.
  case added(Element, at: Int)
  /// Both trees have an element with a key, and they are two objects.
  case replaced(Element, at: Int, by: Element, newAt: Int)
}

extension SortedTree {
  /// Tells what differs from an older tree, in order, without looking at what the two share.
  ///
  /// - Complexity: O(k log n) for k differences, if the newer tree was made from the older one by as many changes.
  package func difference(from old: SortedTree, _ body: (TreeChange<Element>) -> Void) {
    if root === old.root { return }
    var left = TreeCursor(old.root, height: old.height)
    var right = TreeCursor(root, height: height)
    while !left.isAtEnd, !right.isAtEnd {
      if left.level == right.level, left.current == right.current {
        left.advance()
        right.advance()
      } else if left.level > right.level {
        // The other side may have gone into this very node, and no further.
        if right.begins(left.current, level: left.level) {
          right.climb(to: left.level)
        } else {
          left.descend()
        }
      } else if right.level > left.level {
        if left.begins(right.current, level: right.level) {
          left.climb(to: right.level)
        } else {
          right.descend()
        }
      } else if left.level > 0 {
        left.descend()
        right.descend()
      } else {
        step(&left, &right, body)
      }
    }
    while !left.isAtEnd {
      left.descendToElement()
      body(.removed(left.element(), at: left.rank))
      left.advance()
    }
    while !right.isAtEnd {
      right.descendToElement()
      body(.added(right.element(), at: right.rank))
      right.advance()
    }
  }

  private func step(_ left: inout TreeCursor, _ right: inout TreeCursor, _ body: (TreeChange<Element>) -> Void) {
    let (old, new): (Element, Element) = (left.element(), right.element())
    let order = Order.compare(old, new)
    if order < 0 {
      body(.removed(old, at: left.rank))
      left.advance()
    } else if order > 0 {
      body(.added(new, at: right.rank))
      right.advance()
    } else {
      body(.replaced(old, at: left.rank, by: new, newAt: right.rank))
      left.advance()
      right.advance()
    }
  }
}

/// A place in a tree that may be a whole subtree: whoever goes on from there passes it by without having looked inside.
///
/// The tree must outlive it.
private struct TreeCursor {
  /// By level from the leaves: the node that the cursor is in, and the slot; below `container` they mean nothing.
  private var path: ContiguousArray<(node: Unmanaged<TreeNode>, slot: Int)>
  /// The level of the node whose slot is the cursor's place.
  private var container: Int
  private let height: Int
  private(set) var isAtEnd: Bool
  /// The number of elements before the place.
  private(set) var rank = 0

  init(_ root: TreeNode?, height: Int) {
    self.height = height
    container = height
    isAtEnd = root == nil
    path = root.map { ContiguousArray(repeating: (Unmanaged.passUnretained($0), 0), count: height + 1) } ?? []
  }

  /// The level of what the cursor stands at: 0 for an element, else a node's level and one.
  var level: Int { container }

  /// What the cursor stands at.
  var current: UInt {
    let (node, slot) = path[container]
    return node._withUnsafeGuaranteedRef { $0.refs[slot] }
  }

  func element<Element: AnyObject>() -> Element {
    (TreeNode.unmanaged(current) as Unmanaged<Element>).takeUnretainedValue()
  }

  /// Goes past what the cursor stands at.
  mutating func advance() {
    let (node, slot) = path[container]
    node._withUnsafeGuaranteedRef { node in
      rank += container == 0 ? 1 : Int(node.counts[slot])
    }
    while true {
      path[container].slot += 1
      if path[container].slot < path[container].node._withUnsafeGuaranteedRef({ $0.header.slots }) { return }
      if container == height {
        isAtEnd = true
        return
      }
      container += 1
    }
  }

  /// Goes into the node that the cursor stands at, to its first slot.
  mutating func descend() {
    let (node, slot) = path[container]
    container -= 1
    path[container] = (node._withUnsafeGuaranteedRef { $0.child(slot) }, 0)
  }

  mutating func descendToElement() {
    while container > 0 { descend() }
  }

  /// Tells whether the cursor stands at the very beginning of a node of a level above its own.
  func begins(_ node: UInt, level: Int) -> Bool {
    // What stands at level l is the node that `path[l - 1]` goes through.
    guard level <= height, level > container, UInt(bitPattern: path[level - 1].node.toOpaque()) == node else {
      return false
    }
    for below in container..<level where path[below].slot != 0 { return false }
    return true
  }

  /// Stands at the node of a level that the cursor is at the very beginning of.
  mutating func climb(to level: Int) { container = level }
}
