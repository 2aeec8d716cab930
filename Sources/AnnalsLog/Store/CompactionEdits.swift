/// A collection of the changes that a compaction makes to a log's events.
///
/// You access a change by the position of the changed event.
///
/// A removed event needs only one bit of memory, so a compaction of millions of events needs little memory.
///
///     for (position, change) in plan.changes { … }   // in the order of positions
///     if plan.changes[17] == .cut { … }
public struct CompactionEdits: Sequence, Sendable {
  /// The position of an event, and the change to that event.
  public typealias Element = (position: Position, change: CompactionPlan.Change)

  /// The number of changed events.
  public private(set) var count = 0
  /// The bit sets of changed positions, by stretch number, where a stretch contains 4,096 positions.
  private var stretches: [Int: [UInt64]] = [:]
  /// The replacement events, by position.
  private var replacements: [Int: NewEvent] = [:]

  /// The number of words in a stretch, where a word has one bit per position.
  private static var words: Int { 64 }

  /// Creates an empty set of changes.
  package init() {}

  /// True if the compaction changes no event.
  public var isEmpty: Bool { count == 0 }

  /// The number of removed events.
  package var cutCount: Int { count - replacements.count }

  /// The change to the event at a position, or `nil` if the event is kept.
  ///
  /// - Complexity: O(1).
  public subscript(position: Position) -> CompactionPlan.Change? {
    let (stretch, word, bit) = Self.place(position.rawValue)
    guard let words = stretches[stretch], words[word] & bit != 0 else { return nil }
    return change(at: position.rawValue)
  }

  /// Returns an iterator over the changes, in the order of the events' positions.
  ///
  /// - Returns: An iterator over the changes.
  /// - Complexity: O(n + b log b) for n changes in b blocks of 4,096 positions.
  public func makeIterator() -> Iterator { Iterator(self, stretches.keys.sorted()) }

  /// Adds a change.
  ///
  /// Returns false if the event already has a change.
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

  /// Returns the same changes with transformed replacement events.
  func mapReplacements(_ transform: (NewEvent) throws -> NewEvent) rethrows -> CompactionEdits {
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

  /// An iterator over the changes, in the order of the events' positions.
  public struct Iterator: IteratorProtocol {
    private let changes: CompactionEdits
    /// The numbers of the remaining stretches, in reverse order.
    private var stretches: [Int]
    private var words: [UInt64] = []
    private var word = 0
    private var first = 0

    fileprivate init(_ changes: CompactionEdits, _ stretches: [Int]) {
      self.changes = changes
      self.stretches = stretches.reversed()
    }

    /// Returns the next changed position with its change, or `nil` after the last change.
    public mutating func next() -> Element? {
      while true {
        while word < words.count, words[word] == 0 { word += 1 }
        if word < words.count {
          let position = first + 64 * word + words[word].trailingZeroBitCount
          words[word] &= words[word] - 1
          return (Position(position), changes.change(at: position))
        }
        guard let stretch = stretches.popLast() else { return nil }
        words = changes.stretches[stretch] ?? []
        word = 0
        first = stretch * 64 * CompactionEdits.words
      }
    }
  }
}
