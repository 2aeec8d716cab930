/// What becomes of some of a log's events, by their positions.
///
/// An event that is cut takes a bit, so that a compaction of millions of events needs little memory.
///
///     for (position, change) in plan.changes { … }   // in the order of positions
///     if plan.changes[17] == .cut { … }
public struct EventChanges: Sequence, Sendable {
  /// A position and what becomes of its event.
  public typealias Element = (position: Position, change: CompactionPlan.Change)

  /// The number of events that something becomes of.
  public private(set) var count = 0
  /// A bit for each position of a stretch that something becomes of, by the stretch's number.
  private var stretches: [Int: [UInt64]] = [:]
  /// The events that stand in the place of others.
  private var replacements: [Int: NewEvent] = [:]

  /// The number of words of 64 positions in a stretch.
  private static var words: Int { 64 }

  /// Creates changes of nothing.
  package init() {}

  /// True if nothing becomes of any event.
  public var isEmpty: Bool { count == 0 }

  /// The number of events that are cut.
  var cutCount: Int { count - replacements.count }

  /// What becomes of the event at a position; nil if it stays.
  ///
  /// - Complexity: O(1).
  public subscript(position: Position) -> CompactionPlan.Change? {
    let (stretch, word, bit) = Self.place(position.rawValue)
    guard let words = stretches[stretch], words[word] & bit != 0 else { return nil }
    return change(at: position.rawValue)
  }

  /// Walks through the changes in the order of positions.
  ///
  /// - Returns: What gives one change after the other.
  /// - Complexity: O(n) for n changes, beside sorting the stretches of 4,096 positions.
  public func makeIterator() -> Iterator { Iterator(self, stretches.keys.sorted()) }

  /// Adds a change; false if the event has one.
  @discardableResult
  package mutating func add(_ change: CompactionPlan.Change, at position: Position) -> Bool {
    let (stretch, word, bit) = Self.place(position.rawValue)
    let isNew = stretches[stretch, default: Array(repeating: 0, count: Self.words)].withUnsafeMutableBufferPointer {
      words in
      defer { words[word] |= bit }
      return words[word] & bit == 0
    }
    guard isNew else { return false }
    count += 1
    if case .replaced(let event) = change { replacements[position.rawValue] = event }
    return true
  }

  /// The same changes with other events in the place of those that are replaced.
  func mapReplacements(_ transform: (NewEvent) throws -> NewEvent) rethrows -> EventChanges {
    var changes = self
    for (position, event) in replacements { changes.replacements[position] = try transform(event) }
    return changes
  }

  private func change(at position: Int) -> CompactionPlan.Change {
    replacements[position].map { .replaced(by: $0) } ?? .cut
  }

  private static func place(_ position: Int) -> (stretch: Int, word: Int, bit: UInt64) {
    (position / (64 * words), position / 64 % words, 1 << UInt64(position % 64))
  }

  /// Gives one change after the other.
  public struct Iterator: IteratorProtocol {
    private let changes: EventChanges
    /// The stretches that are to come, the first one last.
    private var stretches: [Int]
    private var words: [UInt64] = []
    private var word = 0
    private var first = 0

    fileprivate init(_ changes: EventChanges, _ stretches: [Int]) {
      (self.changes, self.stretches) = (changes, stretches.reversed())
    }

    /// The next change; nil at the end.
    public mutating func next() -> Element? {
      while true {
        while word < words.count, words[word] == 0 { word += 1 }
        if word < words.count {
          let position = first + 64 * word + words[word].trailingZeroBitCount
          words[word] &= words[word] - 1
          return (Position(position), changes.change(at: position))
        }
        guard let stretch = stretches.popLast() else { return nil }
        (words, word, first) = (changes.stretches[stretch] ?? [], 0, stretch * 64 * EventChanges.words)
      }
    }
  }
}
