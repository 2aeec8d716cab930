/// The output of an encoder, which contains values in the order in which they were encoded.
///
/// Codable permits code to write containers in any order. But an object's members must be sorted by name, so that an
/// event's JSON is the same in every program. Therefore, a builder writes the JSON of single values to one buffer, and
/// the structure of all values to a flat list. At the end, it creates the sorted JSON from both. A builder is reused
/// for the next event, unless an encoder still references it.
final class JSONBuilder {
  enum Kind: UInt8 {
    /// No value was written yet.
    case empty
    /// A value that is neither an array nor an object, with its own JSON.
    case value
    case array
    case object
  }

  struct Node {
    var kind = Kind.empty
    /// The number of elements in a group for an array with an arbitrary order, or 0 for every other node.
    var group: UInt8 = 0
    var depth: Int32 = 0
    var parent: Int32
    /// The first child, the last child and the next sibling, or -1.
    var first: Int32 = -1
    var last: Int32 = -1
    var next: Int32 = -1
    /// The number of values in an array or an object.
    var count: Int32 = 0
    /// The location of the node's name in the parent object, or the node's index in the parent array.
    var keyStart: Int32 = 0
    var keyCount: Int32 = 0
    /// The location of the node's own JSON.
    var start: Int32 = 0
    var length: Int32 = 0
  }

  /// The root node.
  static let root = 0

  /// True if equal values must have equal JSON.
  ///
  /// Elements with an arbitrary order are then sorted by their JSON.
  let isCanonical: Bool
  /// True to write a name, such as `NaN`, for a number that JSON cannot represent.
  ///
  /// Such JSON is compared but never read.
  let takesAnyNumber: Bool
  let scratch = JSONText()
  private(set) var nodes: UnsafeMutablePointer<Node>
  private(set) var nodeCount = 0
  private var nodeCapacity = 32
  /// The keys under which values with nested values were encoded.
  ///
  /// They are stored for coding paths, because a key can't be recreated from its string alone.
  var usedKeys: [(node: Int, key: any CodingKey)] = []
  /// The number of values that are being encoded as the single value of another value.
  ///
  /// They add no level to the JSON.
  private var plainValues = 0
  /// A buffer for sorting members.
  private var order: [Int32] = []

  init(isCanonical: Bool = false, takesAnyNumber: Bool = false) {
    self.isCanonical = isCanonical
    self.takesAnyNumber = takesAnyNumber
    nodes = .allocate(capacity: nodeCapacity)
    clear()
  }

  deinit { nodes.deallocate() }

  /// Clears the builder for the next value.
  func clear() {
    scratch.clear()
    nodeCount = 0
    if !usedKeys.isEmpty { usedKeys.removeAll(keepingCapacity: usedKeys.count < 1_024) }
    _ = make(in: -1, depth: 0)
  }

  /// Creates a node without attaching it to its parent, so that a failed encoding doesn't change the parent.
  func make(in parent: Int, depth: Int32) -> Int {
    if nodeCount == nodeCapacity {
      let more = UnsafeMutablePointer<Node>.allocate(capacity: 2 * nodeCapacity)
      more.moveInitialize(from: nodes, count: nodeCount)
      nodes.deallocate()
      nodes = more
      nodeCapacity = 2 * nodeCapacity
    }
    precondition(nodeCount < Int(Int32.max) && scratch.count < Int(Int32.max), "the payload must be smaller than 2 GB")
    (nodes + nodeCount).initialize(to: Node(depth: depth, parent: Int32(truncatingIfNeeded: parent)))
    nodeCount += 1
    return nodeCount - 1
  }

  /// Creates a node for an object's member.
  func make(in parent: Int, named name: String) -> Int {
    let node = make(in: parent, depth: nodes[parent].depth + 1)
    nodes[node].keyStart = Int32(truncatingIfNeeded: scratch.count)
    scratch.add(bare: name)
    nodes[node].keyCount = Int32(truncatingIfNeeded: scratch.count) - nodes[node].keyStart
    return node
  }

  /// Creates a node for an array's next element.
  func makeElement(in parent: Int) -> Int {
    let node = make(in: parent, depth: nodes[parent].depth + 1)
    nodes[node].keyStart = nodes[parent].count
    return node
  }

  /// Attaches a node to its parent.
  func attach(_ node: Int) {
    let parent = Int(nodes[node].parent)
    let number = Int32(truncatingIfNeeded: node)
    if nodes[parent].last < 0 {
      nodes[parent].first = number
    } else {
      nodes[Int(nodes[parent].last)].next = number
    }
    nodes[parent].last = number
    nodes[parent].count += 1
  }

  /// Writes the JSON of a node's own value.
  @inline(__always)
  func write(_ node: Int, _ text: (JSONText) -> Void) {
    let start = scratch.count
    text(scratch)
    nodes[node].kind = .value
    nodes[node].start = Int32(truncatingIfNeeded: start)
    nodes[node].length = Int32(truncatingIfNeeded: scratch.count - start)
  }

  /// Turns an empty node into an array or an object.
  func open(_ node: Int, as kind: Kind) {
    let found = nodes[node].kind
    precondition(
      found == .empty || found == kind,
      "a value must be encoded in only one form: as an array, as an object or as a plain value")
    nodes[node].kind = kind
  }

  /// Begins a value that is the single value of another value.
  ///
  /// Such values add no level to the JSON, but every value needs 1 KB of stack in a debug build. So their number has
  /// the same limit as the number of levels.
  ///
  /// - Throws: `EncodingError` if too many of these values contain each other.
  func beginPlainValue(of type: Any.Type) throws {
    if plainValues == JSON.maximumDepth { throw Self.tooDeep(type) }
    plainValues += 1
  }

  /// Ends the value that was begun last.
  func endPlainValue() { plainValues -= 1 }

  /// Removes the contents of a node.
  func empty(_ node: Int) {
    (nodes[node].kind, nodes[node].group) = (.empty, 0)
    (nodes[node].first, nodes[node].last, nodes[node].count) = (-1, -1, 0)
  }

  /// Returns the most recently written member with a name in an object, or `nil`.
  func member(_ name: String, of object: Int) -> Int? {
    var name = name
    return name.withUTF8 { name in
      var found: Int?
      var node = nodes[object].first
      while node >= 0 {
        let member = nodes[Int(node)]
        if member.keyCount == name.count,
          (0..<name.count).allSatisfy({ scratch.bytes[Int(member.keyStart) + $0] == name[$0] })
        {
          found = Int(node)
        }
        node = member.next
      }
      return found
    }
  }

  /// Returns the coding path from the root to a node.
  func path(to node: Int) -> [any CodingKey] {
    var path: [any CodingKey] = []
    var node = node
    while nodes[node].parent >= 0 {
      let parent = Int(nodes[node].parent)
      if let used = usedKeys.last(where: { $0.node == node }) {
        path.append(used.key)
      } else if nodes[parent].kind == .array {
        path.append(PayloadKey(intValue: Int(nodes[node].keyStart)))
      } else {
        let name = UnsafeBufferPointer(
          start: scratch.bytes + Int(nodes[node].keyStart), count: Int(nodes[node].keyCount))
        path.append(PayloadKey(stringValue: String(decoding: name, as: UTF8.self)))
      }
      node = parent
    }
    return path.reversed()
  }

  /// Writes the JSON of a node with sorted members, or returns false if the node is nested too deeply.
  ///
  /// The members of objects are sorted by the bytes of their names.
  func emit(_ node: Int, to text: JSONText) -> Bool {
    let value = nodes[node]
    switch value.kind {
    case .empty: text.add("{}")
    case .value: text.add(scratch.bytes + Int(value.start), Int(value.length))
    case .array:
      guard value.depth < JSON.maximumDepth else { return false }
      if value.group > 0 { return emitSorted(value, to: text) }
      text.add(UInt8(ascii: "["))
      var element = value.first
      while element >= 0 {
        if element != value.first { text.add(UInt8(ascii: ",")) }
        guard emit(Int(element), to: text) else { return false }
        element = nodes[Int(element)].next
      }
      text.add(UInt8(ascii: "]"))
    case .object:
      guard value.depth < JSON.maximumDepth else { return false }
      return emitMembers(value, to: text)
    }
    return true
  }

  private func emitMembers(_ object: Node, to text: JSONText) -> Bool {
    let start = order.count
    defer { order.removeSubrange(start...) }
    var node = object.first
    while node >= 0 {
      order.append(node)
      node = nodes[Int(node)].next
    }
    sort(from: start)
    text.add(UInt8(ascii: "{"))
    var isFirst = true
    for index in start..<order.count {
      // Only the last value for a name is written.
      if index + 1 < order.count, !precedes(order[index], order[index + 1]) { continue }
      if !isFirst { text.add(UInt8(ascii: ",")) }
      isFirst = false
      let member = nodes[Int(order[index])]
      text.add(
        quoted: UnsafeRawBufferPointer(start: scratch.bytes + Int(member.keyStart), count: Int(member.keyCount)))
      text.add(UInt8(ascii: ":"))
      guard emit(Int(order[index]), to: text) else { return false }
    }
    text.add(UInt8(ascii: "}"))
    return true
  }

  /// Sorts the members in `order` by name, from an index to the end.
  ///
  /// Members with the same name keep their order.
  private func sort(from start: Int) {
    if order.count - start > 16 {
      // Nodes are numbered in the order of their encoding, so the numbers keep members with the same name in order.
      order[start...].sort { left, right in
        precedes(left, right) || (!precedes(right, left) && left < right)
      }
      return
    }
    var end = start + 1
    while end < order.count {
      let node = order[end]
      var index = end
      while index > start, precedes(node, order[index - 1]) {
        order[index] = order[index - 1]
        index -= 1
      }
      order[index] = node
      end += 1
    }
  }

  private func precedes(_ left: Int32, _ right: Int32) -> Bool {
    let (left, right) = (nodes[Int(left)], nodes[Int(right)])
    let (one, other) = (scratch.bytes + Int(left.keyStart), scratch.bytes + Int(right.keyStart))
    for offset in 0..<Int(min(left.keyCount, right.keyCount)) where one[offset] != other[offset] {
      return one[offset] < other[offset]
    }
    return left.keyCount < right.keyCount
  }
}
