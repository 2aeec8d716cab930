import Synchronization

/// What a property reports while it runs: notes, scores, and events to count.
final class CaseContext: Sendable {
  @TaskLocal static var current: CaseContext?

  struct Occurrence: Hashable {
    let name: String
    let isRequired: Bool
  }

  private struct State {
    var isDescribed = false
    var isSearching = true
    var notes: [String] = []
    var scores: [String: Double] = [:]
    var seen: [Occurrence: Bool] = [:]
    var cases: [Occurrence: Int] = [:]
    /// What this case reached, and what all cases before it did.
    var reached = Coverage()
    var coverage = Coverage()
    /// All that cases reached, for the search.
    var known: Set<Coverage.Feature> = []
  }

  private let state = Mutex(State())

  /// Begins a case.
  func begin(isDescribed: Bool) {
    state.withLock { state in
      state.isDescribed = isDescribed
      if !state.notes.isEmpty { state.notes = [] }
      if !state.scores.isEmpty { state.scores.removeAll(keepingCapacity: true) }
      if !state.seen.isEmpty { state.seen.removeAll(keepingCapacity: true) }
      if !state.reached.isEmpty { state.reached = Coverage() }
    }
  }

  /// Counts the events of the case.
  ///
  /// - Returns: How many things it reached that no case before it did.
  func count() -> Int {
    state.withLock { state in
      let before = state.known.count
      for (occurrence, happened) in state.seen {
        state.cases[occurrence, default: 0] += happened ? 1 : 0
        if happened { state.known.insert(.init(subject: nil, what: .occurrence(occurrence.name), often: 1)) }
      }
      if !state.reached.isEmpty {
        state.reached.addFeatures(to: &state.known)
        state.coverage.add(state.reached)
      }
      return state.known.count - before
    }
  }

  /// Notes how a state looks, and returns whether none before it did.
  func note(_ shape: StateShape, of subject: Coverage.Subject) -> Bool {
    state.withLock { state in
      let isNew = state.reached.states[subject, default: []].insert(shape).inserted
      return isNew && !state.known.contains(.init(subject: subject, what: .state(shape), often: 1))
    }
  }

  /// True if the states of the case are looked at: not while a failure is shrunk, and not in each case of a search.
  var isSearching: Bool {
    get { state.withLock { $0.isSearching } }
    set { state.withLock { $0.isSearching = newValue } }
  }

  func note(_ text: () -> String) {
    guard state.withLock({ $0.isDescribed }) else { return }
    let text = text()
    state.withLock { $0.notes.append(text) }
  }

  func score(_ score: Double, _ label: String) {
    guard !score.isNaN else { return }
    state.withLock { $0.scores[label] = max(score, $0.scores[label] ?? -.infinity) }
  }

  func occurred(_ happened: Bool, _ occurrence: Occurrence) {
    state.withLock { state in
      let before = state.seen[occurrence] ?? false
      state.seen[occurrence] = before || happened
    }
  }

  /// Notes what the case reached.
  func cover(_ body: (inout Coverage) -> Void) {
    state.withLock { body(&$0.reached) }
  }

  var notes: [String] { state.withLock { $0.notes } }
  var scores: [String: Double] { state.withLock { $0.scores } }
  var coverage: Coverage { state.withLock { $0.coverage } }
  var cases: [Occurrence: Int] { state.withLock { $0.cases } }
}
