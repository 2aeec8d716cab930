extension SortedTree {
  /// The tree's defects as sentences, or an empty array for a valid tree.
  ///
  /// - Complexity: O(n) for n elements.
  package var defects: [String] {
    guard let root else {
      return height == 0 ? [] : ["An empty tree must have the height 0, but has the height \(height)."]
    }
    var found: [String] = []
    if height > 0, root.info.pointee.slots < 2, TreeNode.pageIfAny(root.refs[0]) == nil {
      found.append("The root has \(root.info.pointee.slots) children, but it needs two.")
    }
    Self.check(root, level: height, &found)
    var previous: Element?
    var number = 0
    for element in self {
      if let previous, Order.compare(previous, element) >= 0 {
        found.append("The element at rank \(number) is not after the previous element.")
      }
      previous = element
      number += 1
    }
    if number != count { found.append("The tree has \(number) elements, but its count is \(count).") }
    return found
  }

  private static func check(_ node: TreeNode, level: Int, _ found: inout [String]) {
    let (info, slots) = (node.info, node.info.pointee.slots)
    let most = level == 0 ? Order.leafCapacity : Order.innerCapacity
    if info.pointee.isLeaf != (level == 0) {
      let kinds = level == 0 ? "an inner node instead of a leaf" : "a leaf instead of an inner node"
      found.append("A node on level \(level) is \(kinds).")
    }
    if slots == 0 { found.append("A node on level \(level) is empty.") }
    if slots > info.pointee.capacity || info.pointee.capacity > Swift.max(most, 4) {
      found.append(
        "A node on level \(level) uses \(slots) slots (capacity \(info.pointee.capacity)), but the maximum is \(most).")
    }
    if level == 0 {
      for slot in 0..<slots {
        let element: Element = node.element(slot).takeUnretainedValue()
        if node.heads[slot] != Order.head(element) {
          found.append(
            "A leaf stores a wrong head for one of its elements. The head is the first bytes of the element's key.")
        }
      }
    } else {
      for slot in 0..<slots {
        let child = node.child(slot).takeUnretainedValue()
        check(child, level: level - 1, &found)
        let isOther = node.firsts[slot] != 0 && child.first != 0 && node.firsts[slot] != child.first
        if node.heads[slot] != child.firstHead || isOther {
          found.append("A node on level \(level) stores a wrong first element for one of its children.")
        }
        if node.counts[slot] != UInt64(child.info.pointee.count)
          || Int(truncatingIfNeeded: node.weights[slot]) != child.info.pointee.weight
        {
          found.append("A node on level \(level) stores a wrong count or weight for one of its children.")
        }
      }
    }
    let (count, weight) = tally(node)
    if info.pointee.count != count {
      found.append("A node has \(count) elements, but its count is \(info.pointee.count).")
    }
    if info.pointee.weight != weight {
      found.append("A node has the weight \(weight), but stores the weight \(info.pointee.weight).")
    }
  }
}
