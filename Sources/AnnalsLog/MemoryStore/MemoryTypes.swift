/// The positions of events by type, for a log in memory.
struct MemoryTypes: Sendable {
  /// The positions of events by type, in order.
  private var positions: [ExactString: [Int]] = [:]

  /// The types of the log's events.
  var names: [ExactString] { Array(positions.keys) }

  /// Adds an event at the log's end.
  mutating func append(_ type: String, at position: Int) { positions[ExactString(type), default: []].append(position) }

  /// Returns the first positions of events of some types, in order, after one position and through another position.
  func positions(of types: [ExactString], after: Int, through: Int, limit: Int) -> [Int] {
    var ways: [(positions: [Int], next: Int)] = []
    for type in types {
      guard let positions = positions[type] else { continue }
      let next = positions.firstIndexInOrder { $0 > after }
      if next < positions.count, positions[next] <= through { ways.append((positions, next)) }
    }
    var found: [Int] = []
    while found.count < limit, !ways.isEmpty {
      // A linear search is enough, because a reader has few types.
      var best = 0
      for index in ways.indices.dropFirst()
      where ways[index].positions[ways[index].next] < ways[best].positions[ways[best].next] {
        best = index
      }
      found.append(ways[best].positions[ways[best].next])
      ways[best].next += 1
      let way = ways[best]
      if way.next == way.positions.count || way.positions[way.next] > through { ways.remove(at: best) }
    }
    return found
  }
}
