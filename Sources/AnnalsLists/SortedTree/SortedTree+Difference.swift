/// A difference between two trees at one key.
package enum TreeChange<Element> {
  /// The old tree has an element at a rank, but the new tree has no element with its key.
  case removed(Element, at: Int)
  /// The new tree has an element at a rank, but the old tree has no element with its key.
  case added(Element, at: Int)
  /// Both trees have an element with the key, but they are different objects.
  case replaced(Element, at: Int, by: Element, newAt: Int)
}

extension SortedTree {
  /// Calls a closure with every difference from an older tree, in order, without visiting shared nodes.
  ///
  /// - Complexity: O(k log n) for k differences, if the newer tree was derived from the older tree by k changes.
  @inline(__always)
  package func difference(from old: SortedTree, _ body: (TreeChange<Element>) -> Void) {
    if root === old.root { return }
    withUnsafeTemporaryAllocation(of: TreeCursor.Step.self, capacity: old.height + height + 2) { memory in
      // The memory has a step for every level of both trees, so it has at least two steps and an address.
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
          // The other cursor might have descended into this very node, but not further.
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
    // The heads are in the nodes, so most differences are detected without accessing the elements.
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

/// A position at a slot of a tree.
///
/// The slot can contain a whole subtree, which an advance skips without visiting its elements.
///
/// The tree and the memory must outlive the cursor.
private struct TreeCursor {
  struct Step {
    var node: Unmanaged<TreeNode>
    var slot: Int
  }

  /// The current node and slot per level, beginning with the leaves.
  ///
  /// Entries below `level` are unused.
  private let path: UnsafeMutablePointer<Step>
  private let height: Int
  /// The level of the current node, which is 0 if the current slot contains an element.
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

  /// The head of the current element, or of the first element below the current node.
  var head: UInt64 { path[level].node._withUnsafeGuaranteedRef { $0.heads[path[level].slot] } }

  /// The contents of the current slot.
  var current: UInt64 { path[level].node._withUnsafeGuaranteedRef { $0.refs[path[level].slot] } }

  func element<Element: AnyObject>() -> Element {
    (TreeNode.element(current) as Unmanaged<Element>).takeUnretainedValue()
  }

  /// Advances two cursors of the same level past the slots that they share, or returns false if they share no slots.
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

  /// Advances past the current slot.
  mutating func advance() {
    let step = path[level]
    advance(1, level == 0 ? 1 : step.node._withUnsafeGuaranteedRef { Int($0.counts[step.slot]) })
  }

  /// Advances past some slots with a number of elements.
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

  /// Descends to the first slot of the current child.
  mutating func descend() {
    let step = path[level]
    level -= 1
    path[level] = Step(node: step.node._withUnsafeGuaranteedRef { $0.child(step.slot) }, slot: 0)
  }

  mutating func descendToElement() {
    while level > 0 { descend() }
  }

  /// Returns whether the cursor is at the very beginning of a node at a higher level.
  func begins(_ node: UInt64, level: Int) -> Bool {
    // The child at `level` is the node of the cursor's step one level below.
    guard level <= height, level > self.level, TreeNode.word(path[level - 1].node) == node else {
      return false
    }
    for below in self.level..<level where path[below].slot != 0 { return false }
    return true
  }

  /// Climbs to a higher level, if the cursor is at the very beginning of the current child on this level.
  mutating func climb(to level: Int) { self.level = level }
}
