/// How far a controller is with its first fetch, and what it does after it.
///
///     idle ──begun──▸ fetching ──fetched──▸ arriving ──shown──▸ showing
///       ▴                │
///       └─requestChanged─┘
///
/// A phase is a value, and ``after(_:)`` is a pure function: a controller changes its phase by nothing else.
package enum FetchPhase: Hashable, Sendable {
  /// No fetch has begun, or the request has changed since one began.
  case idle(standsIn: Bool)
  /// The first fetch has begun. If it is ended early, the next one goes on from there.
  case fetching(standsIn: Bool)
  /// The first list is made, and is not shown yet.
  case arriving(standsIn: Bool, isStopped: Bool)
  /// The list is shown and keeps itself current, until an event cannot be folded.
  case showing(isStopped: Bool)

  /// What happens to a controller.
  package enum Event: Hashable, Sendable {
    /// A first fetch began.
    case begun
    /// The list of a former version is shown until the first list is there.
    case stoodIn
    /// The request has changed.
    case requestChanged
    /// The first fetch ended; `isStopped` if it ended at an event that cannot be folded.
    case fetched(isStopped: Bool)
    /// The list was shown.
    case shown
    /// Reading or folding failed; `isFinal` if that is only tried again when you ask for it.
    case failed(isFinal: Bool)
    /// What failed is tried again.
    case retried
  }

  /// True once a first fetch has begun that is still of use.
  package var hasBegun: Bool { if case .idle = self { false } else { true } }

  /// True once the first fetch has ended: from then on the list keeps itself current.
  package var hasFetched: Bool {
    switch self {
    case .idle, .fetching: false
    case .arriving, .showing: true
    }
  }

  /// True while the first list is made and not shown yet.
  package var isArriving: Bool { if case .arriving = self { true } else { false } }

  /// True while the list of a former version is shown.
  package var standsIn: Bool {
    switch self {
    case .idle(let standsIn), .fetching(let standsIn), .arriving(let standsIn, _): standsIn
    case .showing: false
    }
  }

  /// True if the delegate is not notified of the list that is shown next: it is the first, and none stood in for it.
  package var isSilent: Bool { isArriving && !standsIn }

  /// True after a failure that is only tried again when you ask for it.
  package var isStopped: Bool {
    switch self {
    case .idle, .fetching: false
    case .arriving(_, let isStopped), .showing(let isStopped): isStopped
    }
  }

  /// The phase after an event; the same one if the event means nothing in this phase.
  ///
  /// - Parameter event: What happened.
  /// - Returns: The next phase.
  package func after(_ event: Event) -> FetchPhase {
    switch (self, event) {
    case (.idle(let standsIn), .begun): .fetching(standsIn: standsIn)
    case (.fetching, .stoodIn): .fetching(standsIn: true)
    case (.fetching(let standsIn), .requestChanged): .idle(standsIn: standsIn)
    case (.idle(let standsIn), .fetched(let isStopped)), (.fetching(let standsIn), .fetched(let isStopped)):
      .arriving(standsIn: standsIn, isStopped: isStopped)
    case (.arriving(_, let isStopped), .shown): .showing(isStopped: isStopped)
    case (.arriving(let standsIn, _), .failed(let isFinal)): .arriving(standsIn: standsIn, isStopped: isFinal)
    case (.arriving(let standsIn, _), .retried): .arriving(standsIn: standsIn, isStopped: false)
    case (.showing, .failed(let isFinal)): .showing(isStopped: isFinal)
    case (.showing, .retried): .showing(isStopped: false)
    default: self
    }
  }
}
