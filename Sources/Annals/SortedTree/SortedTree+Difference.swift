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
  @inline(__always)
  package func difference(from old: SortedTree, _ body: (TreeChange<Element>) -> Void) {
    if root === old.root { return }
    withUnsafeTemporaryAllocation(of: TreeCursor.Step.self, capacity: old.height + height + 2) { memory in
      // As long as the levels ask for; two at least.
      guard let path = memory.baseAddress else { return }
      var left = TreeCursor(old.root, height: old.height, path)
      var right = TreeCursor(root, height: height, path + old.height + 1)
      while !left.isAtEnd, !right.isAtEnd {
        if left.level == right.level {
          if TreeCursor.skipShared(&left, &right) { continue }
          if left.level > 0 {
            left.descend()
            right.descend()
          } else {
            Self.step(&left, &right, body)
          }
        } else if left.level > right.level {
          // The other side may have gone into this very node, and no further.
          if right.begins(left.current, level: left.level) {
            right.climb(to: left.level)
          } else {
            left.descend()
          }
        } else if left.begins(right.current, level: right.level) {
          left.climb(to: right.level)
        } else {
          right.descend()
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
      withExtendedLifetime((self, old)) {}
    }
  }

  private static func step(_ left: inout TreeCursor, _ right: inout TreeCursor, _ body: (TreeChange<Element>) -> Void) {
    // The heads are in the nodes: most elements that differ are known to, without a look at them.
    let (one, other) = (left.head, right.head)
    let order = one == other ? Order.compare(left.element(), right.element()) : one < other ? -1 : 1
    if order < 0 {
      body(.removed(left.element(), at: left.rank))
      left.advance()
    } else if order > 0 {
      body(.added(right.element(), at: right.rank))
      right.advance()
    } else {
      body(.replaced(left.element(), at: left.rank, by: right.element(), newAt: right.rank))
      left.advance()
      right.advance()
    }
  }
}

/// A slot in a tree, which may hold a whole subtree: going on from there passes it by without a look inside.
///
/// The tree and the memory must outlive it.
private struct TreeCursor {
  struct Step {
    var node: Unmanaged<TreeNode>
    var slot: Int
  }

  /// By level from the leaves: the node that the cursor is in, and the slot; below `level` they mean nothing.
  private let path: UnsafeMutablePointer<Step>
  private let height: Int
  /// The level of the node whose slot the cursor is at: 0 if that holds an element.
  private(set) var level: Int
  private(set) var isAtEnd: Bool
  /// The number of elements before the slot.
  private(set) var rank = 0

  init(_ root: TreeNode?, height: Int, _ path: UnsafeMutablePointer<Step>) {
    self.height = height
    level = height
    isAtEnd = root == nil
    self.path = path
    if let root { path[height] = Step(node: .passUnretained(root), slot: 0) }
  }

  /// The head of the element that the cursor stands at, or of the first one below.
  var head: UInt64 { path[level].node._withUnsafeGuaranteedRef { $0.heads[path[level].slot] } }

  /// What the cursor stands at.
  var current: UInt64 { path[level].node._withUnsafeGuaranteedRef { $0.refs[path[level].slot] } }

  func element<Element: AnyObject>() -> Element {
    (TreeNode.unmanaged(current) as Unmanaged<Element>).takeUnretainedValue()
  }

  /// Goes past what two cursors of one level have in common from where they stand; false if that is nothing.
  static func skipShared(_ left: inout TreeCursor, _ right: inout TreeCursor) -> Bool {
    let (one, other) = (left.path[left.level], right.path[right.level])
    return one.node._withUnsafeGuaranteedRef { one in
      other.node._withUnsafeGuaranteedRef { other in
        let (from, start) = (left.path[left.level].slot, right.path[right.level].slot)
        let (mine, theirs) = (one.refs + from, other.refs + start)
        let most = min(one.info.pointee.slots - from, other.info.pointee.slots - start)
        var shared = 0
        while shared < most, mine[shared] == theirs[shared] { shared += 1 }
        if shared == 0 { return false }
        var count = shared
        if left.level > 0 {
          count = 0
          for slot in from..<from + shared { count += Int(one.counts[slot]) }
        }
        left.advance(shared, count)
        right.advance(shared, count)
        return true
      }
    }
  }

  /// Goes past what the cursor stands at.
  mutating func advance() {
    let step = path[level]
    advance(1, level == 0 ? 1 : step.node._withUnsafeGuaranteedRef { Int($0.counts[step.slot]) })
  }

  /// Goes past some slots, which have a number of elements.
  private mutating func advance(_ slots: Int, _ count: Int) {
    rank += count
    path[level].slot += slots
    while path[level].slot == path[level].node._withUnsafeGuaranteedRef({ $0.info.pointee.slots }) {
      if level == height {
        isAtEnd = true
        return
      }
      level += 1
      path[level].slot += 1
    }
  }

  /// Goes into the node that the cursor stands at, to its first slot.
  mutating func descend() {
    let step = path[level]
    level -= 1
    path[level] = Step(node: step.node._withUnsafeGuaranteedRef { $0.child(step.slot) }, slot: 0)
  }

  mutating func descendToElement() {
    while level > 0 { descend() }
  }

  /// Tells whether the cursor stands at the very beginning of a node of a level above its own.
  func begins(_ node: UInt64, level: Int) -> Bool {
    // What stands at a level is the node that the step below goes through.
    guard level <= height, level > self.level, TreeNode.word(path[level - 1].node) == node else {
      return false
    }
    for below in self.level..<level where path[below].slot != 0 { return false }
    return true
  }

  /// Stands at the node of a level that the cursor is at the very beginning of.
  mutating func climb(to level: Int) { self.level = level }
}
