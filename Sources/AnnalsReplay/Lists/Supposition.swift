package import Annals
import Synchronization

/// What a list supposes that its log does not say: that events were not there, or had another payload.
///
/// An event that cannot be folded under it is left out, and noted here.
package final class Supposition: Sendable {
  /// An event that could not be folded.
  package struct Dropped: Error, Sendable {
    /// Its position.
    package let position: Position
    /// Why it could not.
    package let reason: String
  }

  private struct State {
    var dropped: [Position: String] = [:]
    /// How many of them were said.
    var said = 0
    /// The event that was folded last.
    var last: Position = 0
  }

  /// What is supposed, as a heading says it: `without 6, with another 21`.
  package let words: String
  /// What is left out, as it was asked for.
  package let without: [String]
  /// The events that have another payload, with it.
  package let instead: [(position: Position, payload: String)]
  /// The first position that differs from the log, or may.
  package let first: Position
  /// The positions that differ from the log, in order.
  package let altered: [ClosedRange<Int>]
  /// The log as it is supposed to be.
  package let store: any EventStore
  private let state = Mutex(State())

  /// - Parameters:
  ///   - without: What is left out, as it was asked for.
  ///   - instead: The events that have another payload, with it.
  ///   - first: The first position that differs from the log, or may.
  ///   - altered: The positions that differ from the log, in order.
  ///   - store: The log as it is supposed to be.
  package init(
    without: [String], instead: [(position: Position, payload: String)], first: Position, altered: [ClosedRange<Int>],
    store: any EventStore
  ) {
    self.without = without
    self.instead = instead
    self.first = first
    self.altered = altered
    self.store = store
    let left = without.isEmpty ? "" : "without " + without.joined(separator: ", ")
    let other = instead.isEmpty ? "" : "with another " + instead.map { "\($0.position)" }.joined(separator: ", ")
    words = [left, other].filter { !$0.isEmpty }.joined(separator: ", ")
  }

  /// True if an event cannot be affected: it comes before all that is supposed.
  func isBefore(_ position: Position) -> Bool { position < first }

  /// True if an event was left out.
  func isDropped(_ position: Position) -> Bool { state.withLock { $0.dropped[position] != nil } }

  /// Notes that an event is folded; true if a part of it may have been folded just before.
  func begins(_ position: Position) -> Bool {
    state.withLock { state in
      defer { state.last = position }
      return state.last == position
    }
  }

  /// Notes an event that could not be folded; each counts once, however often it is tried.
  func drop(_ position: Position, _ reason: any Error) {
    state.withLock { $0.dropped[position] = "\(reason)" }
  }

  /// The events that could not be folded between two positions, in order.
  package func dropped(after start: Position = 0, through end: Position) -> [Dropped] {
    state.withLock { $0.dropped }.filter { $0.key > start && $0.key <= end }
      .map { Dropped(position: $0.key, reason: $0.value) }.sorted { $0.position < $1.position }
  }

  /// True if more events could not be folded than when this was last asked.
  package func hasNews() -> Bool {
    state.withLock { state in
      defer { state.said = state.dropped.count }
      return state.said != state.dropped.count
    }
  }

  /// What an error of a fold is, if it comes from a payload that is only supposed.
  func explain(_ error: any Error, at event: StoredEvent) -> ReplayError? {
    guard let other = instead.first(where: { $0.position == event.position }) else { return nil }
    return ReplayError.usage(
      "--instead \(other.position): expected a payload of \(event.type), found \(other.payload): \(error)")
  }
}

extension Supposition {
  /// The members of the JSON of a list or a batch.
  ///
  /// - Parameters:
  ///   - start: The position after which events could not be folded.
  ///   - end: The last position of such events.
  /// - Returns: The members.
  func output(after start: Position = 0, through end: Position) -> Supposed {
    Supposed(
      without: without,
      instead: instead.isEmpty
        ? nil : instead.map { .init(position: $0.position, payload: RawJSON(text: $0.payload)) },
      dropped: dropped(after: start, through: end))
  }
}

/// The members of JSON about a supposition.
struct Supposed {
  struct Instead: JSONObject {
    let position: Position
    let payload: RawJSON

    static let form = Form(["position": .of(\.position), "payload": .of(\.payload)])
  }

  let without: [String]
  let instead: [Instead]?
  let dropped: [Supposition.Dropped]
}

extension Supposition.Dropped: JSONObject {
  static let form = Form(["position": .of(\.position), "reason": .of(\.reason)])
}
