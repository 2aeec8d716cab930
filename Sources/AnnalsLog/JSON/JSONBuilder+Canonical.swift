/// A collection whose elements have an arbitrary order, which differs between processes.
private protocol WithoutOrder {
  /// The number of consecutive array elements that belong together, if the collection is encoded as an array.
  static var group: UInt8 { get }
}

extension Set: WithoutOrder {
  fileprivate static var group: UInt8 { 1 }
}

/// A dictionary whose keys are not strings is encoded as an array of alternating keys and values.
extension Dictionary: WithoutOrder {
  fileprivate static var group: UInt8 { 2 }
}

extension JSONBuilder {
  /// Records for a node whether the elements of its encoded value have an arbitrary order.
  func noteOrder<T>(of value: T, at node: Int) {
    guard isCanonical, nodes[node].kind == .array, let value = value as? any WithoutOrder else { return }
    nodes[node].group = type(of: value).group
  }

  /// Writes an array with its elements sorted by their JSON, or returns false if an element is nested too deeply.
  func emitSorted(_ array: Node, to text: JSONText) -> Bool {
    let start = text.count
    var ends: [Int] = []
    var (node, index) = (array.first, 0)
    while node >= 0 {
      if index % Int(array.group) != 0 { text.add(UInt8(ascii: ",")) }
      guard emit(Int(node), to: text) else { return false }
      node = nodes[Int(node)].next
      index += 1
      if index % Int(array.group) == 0 || node < 0 { ends.append(text.count) }
    }
    var parts: [[UInt8]] = []
    var from = start
    for end in ends {
      parts.append(Array(UnsafeBufferPointer(start: text.bytes + from, count: end - from)))
      from = end
    }
    parts.sort { $0.lexicographicallyPrecedes($1) }
    text.cut(to: start)
    text.add(UInt8(ascii: "["))
    for (index, part) in parts.enumerated() {
      if index > 0 { text.add(UInt8(ascii: ",")) }
      part.withUnsafeBufferPointer { if let bytes = $0.baseAddress { text.add(bytes, $0.count) } }
    }
    text.add(UInt8(ascii: "]"))
    return true
  }
}
