/// The progress of a controller's first fetch, and its state afterwards.
///
///     idle ──begun──▸ fetching ──fetched──▸ arriving ──shown──▸ showing
///       ▴                │
///       └─requestChanged─┘
///
/// A phase is a value. A controller changes its phase only by calling ``after(_:)``, which is a pure function.
package enum FetchPhase: Hashable, Sendable {
  /// No fetch has begun, or the request has changed since a fetch began.
  case idle(standsIn: Bool)
  /// The first fetch has begun. If this fetch is interrupted, the next fetch resumes it.
  case fetching(standsIn: Bool)
  /// The first list is built but not shown yet.
  case arriving(standsIn: Bool, isStopped: Bool)
  /// The list is shown and kept current until an event can't be folded.
  case showing(isStopped: Bool)

  /// An event that changes a controller's phase.
  package enum Event: Hashable, Sendable {
    /// A first fetch began.
    case begun
    /// The list of a former version is shown until the first list is ready.
    case stoodIn
    /// The request has changed.
    case requestChanged
    /// The first fetch ended. `isStopped` is true if it ended at an event that can't be folded.
    case fetched(isStopped: Bool)
    /// The list was shown.
    case shown
    /// Reading or folding failed. `isFinal` is true if only an explicit call retries the operation.
    case failed(isFinal: Bool)
    /// The failed operation is retried.
    case retried
  }

  /// True once a first fetch has begun, unless the request has changed since.
  package var hasBegun: Bool { if case .idle = self { false } else { true } }

  /// True once the first fetch has ended.
  ///
  /// After that, the controller keeps the list current.
  package var hasFetched: Bool {
    switch self {
    case .idle, .fetching: false
    case .arriving, .showing: true
    }
  }

  /// True while the first list is built but not shown yet.
  package var isArriving: Bool { if case .arriving = self { true } else { false } }

  /// True while the list of a former version is shown.
  package var standsIn: Bool {
    switch self {
    case .idle(let standsIn), .fetching(let standsIn), .arriving(let standsIn, _): standsIn
    case .showing: false
    }
  }

  /// True if the delegate isn't notified of the next list, because the list is the first list and no former version's
  /// list is shown.
  package var isSilent: Bool { isArriving && !standsIn }

  /// True after a failure that only an explicit call retries.
  package var isStopped: Bool {
    switch self {
    case .idle, .fetching: false
    case .arriving(_, let isStopped), .showing(let isStopped): isStopped
    }
  }

  /// Returns the phase after an event, or the same phase if the event doesn't apply to it.
  ///
  /// - Parameter event: The event.
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
