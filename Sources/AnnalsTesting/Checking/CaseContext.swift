import Synchronization

/// The reports of a running property: notes, scores, counted situations and coverage.
final class CaseContext: Sendable {
  @TaskLocal static var current: CaseContext?

  struct Occurrence: Hashable {
    let name: String
    let isRequired: Bool
  }

  private struct State {
    var isDescribed = false
    var isSearching = true
    /// The first failure of the current case that the property didn't throw.
    var failure: Unmet?
    var notes: [String] = []
    var scores: [String: Double] = [:]
    var seen: [Occurrence: Bool] = [:]
    var cases: [Occurrence: Int] = [:]
    /// The coverage of the current case, and the coverage of all cases so far.
    var reached = Coverage()
    var coverage = Coverage()
    /// The features that any case has reached, so that the search can detect new features.
    var known: Set<Coverage.Feature> = []
  }

  private let state = Mutex(State())

  /// Begins a case.
  func begin(isDescribed: Bool) {
    state.withLock { state in
      state.isDescribed = isDescribed
      state.failure = nil
      if !state.notes.isEmpty { state.notes = [] }
      if !state.scores.isEmpty { state.scores.removeAll(keepingCapacity: true) }
      if !state.seen.isEmpty { state.seen.removeAll(keepingCapacity: true) }
      if !state.reached.isEmpty { state.reached = Coverage() }
    }
  }

  /// Fails the case, although its property might return normally.
  func fail(_ reason: Unmet) {
    state.withLock { state in
      if state.failure == nil { state.failure = reason }
    }
  }

  /// Returns the verdict of a case, from the verdict of its property.
  ///
  /// A recorded failure precedes an error of the property, because `#require` records its failure and then throws.
  func verdict(_ verdict: Verdict) -> Verdict {
    if case .cancelled = verdict { return verdict }
    return state.withLock { $0.failure.map { .failed($0) } } ?? verdict
  }

  /// Adds the counted situations and the coverage of the case to the totals.
  ///
  /// - Returns: The number of features that this case reached and no earlier case had reached.
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

  /// Records the shape of a state, and returns whether no earlier case had that shape.
  func note(_ shape: StateShape, of subject: Coverage.Subject) -> Bool {
    state.withLock { state in
      let isNew = state.reached.states[subject, default: []].insert(shape).inserted
      return isNew && !state.known.contains(.init(subject: subject, what: .state(shape), often: 1))
    }
  }

  /// Whether the states of the case are examined.
  ///
  /// This is false while a failure is shrunk, and in some cases of a search.
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

  /// Adds to the coverage of the case.
  func cover(_ body: (inout Coverage) -> Void) {
    state.withLock { body(&$0.reached) }
  }

  var notes: [String] { state.withLock { $0.notes } }
  var scores: [String: Double] { state.withLock { $0.scores } }
  var coverage: Coverage { state.withLock { $0.coverage } }
  var cases: [Occurrence: Int] { state.withLock { $0.cases } }
}
