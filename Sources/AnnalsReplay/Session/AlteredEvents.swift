import Annals

/// Which events of a log are supposed not to be there, and which have another payload.
struct AlteredEvents: Sendable {
  /// The hidden positions up to `known`, as ranges in order that do not touch.
  private(set) var hidden: [ClosedRange<Int>] = []
  /// Payloads that stand in for those of the log, by position.
  let payloads: [Int: String]
  /// The choices of events after `known`.
  private let choices: [EventFilter]
  /// The log's last position when the choices were resolved.
  private let known: Int

  /// - Parameters:
  ///   - ranges: Positions that are hidden, in any order.
  ///   - payloads: Payloads that stand in for those of the log, by position.
  ///   - choices: What hides events that are appended later.
  ///   - known: The log's last position.
  init(_ ranges: [ClosedRange<Int>], payloads: [Int: String], choices: [EventFilter], known: Position) {
    self.payloads = payloads
    self.choices = choices
    self.known = known.rawValue
    for range in ranges.sorted(by: { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }) {
      if let last = hidden.last, range.lowerBound <= last.upperBound + 1 {
        hidden[hidden.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        hidden.append(range)
      }
    }
  }

  /// The first position that is not as the log has it; nil if that is not known yet.
  var first: Position? {
    if let first = [hidden.first?.lowerBound, payloads.keys.min()].compactMap({ $0 }).min() { return Position(first) }
    return nil
  }

  /// True if a known position is hidden.
  ///
  /// - Complexity: O(log r) for r ranges.
  func hides(_ position: Int) -> Bool {
    let index = hidden.firstIndexInOrder { $0.upperBound >= position }
    return index < hidden.count && hidden[index].lowerBound <= position
  }

  /// True if an event after one position and up to another may be altered.
  func touches(after start: Position, through end: Position) -> Bool {
    if end.rawValue > known, !choices.isEmpty { return true }
    if payloads.keys.contains(where: { $0 > start.rawValue && $0 <= end.rawValue }) { return true }
    let index = hidden.firstIndexInOrder { $0.upperBound > start.rawValue }
    return index < hidden.count && hidden[index].lowerBound <= end.rawValue
  }

  /// The event as it is supposed to be; nil if it is supposed not to be there.
  func altered(_ event: StoredEvent) -> StoredEvent? {
    let position = event.position.rawValue
    if hides(position) || position > known && choices.contains(where: { $0.includes(event) }) { return nil }
    return payloads[position].map { event.with(payload: $0) } ?? event
  }
}
