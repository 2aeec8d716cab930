/// The progress of a controller's first fetch, and its state afterwards.
///
///     idle ──begun──▸ fetching ──fetched──▸ arriving ──shown──▸ showing
///       ▴                │
///       └─requestChanged─┘
///
/// A phase is a value. A controller changes its phase only by calling ``after(_:)``, which is a pure function.
package enum FetchPhase: Hashable, Sendable {
  /// No fetch has begun, or the request has changed since a fetch began.
  case idle(isShowingPlaceholder: Bool)
  /// The first fetch has begun. If this fetch is interrupted, the next fetch resumes it.
  case fetching(isShowingPlaceholder: Bool)
  /// The first list is built but not shown yet.
  case arriving(isShowingPlaceholder: Bool, isStopped: Bool)
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
  package var isShowingPlaceholder: Bool {
    switch self {
    case .idle(let isShowingPlaceholder), .fetching(let isShowingPlaceholder), .arriving(let isShowingPlaceholder, _):
      isShowingPlaceholder
    case .showing: false
    }
  }

  /// Returns true if a list is kept current and shown.
  ///
  /// - Parameter isSuspended: True while delivery is suspended. The first list is shown nevertheless.
  /// - Returns: True if new events and changes may be delivered.
  package func delivers(isSuspended: Bool) -> Bool { hasFetched && (!isSuspended || isArriving) }

  /// True if the delegate isn't notified of the next list, because the list is the first list and no former version's
  /// list is shown.
  package var isSilent: Bool { isArriving && !isShowingPlaceholder }

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
    case (.idle(let isShowingPlaceholder), .begun): .fetching(isShowingPlaceholder: isShowingPlaceholder)
    case (.fetching, .stoodIn): .fetching(isShowingPlaceholder: true)
    case (.fetching(let isShowingPlaceholder), .requestChanged): .idle(isShowingPlaceholder: isShowingPlaceholder)
    case (.idle(let isShowingPlaceholder), .fetched(let isStopped)),
      (.fetching(let isShowingPlaceholder), .fetched(let isStopped)):
      .arriving(isShowingPlaceholder: isShowingPlaceholder, isStopped: isStopped)
    case (.arriving(_, let isStopped), .shown): .showing(isStopped: isStopped)
    case (.arriving(let isShowingPlaceholder, _), .failed(let isFinal)):
      .arriving(isShowingPlaceholder: isShowingPlaceholder, isStopped: isFinal)
    case (.arriving(let isShowingPlaceholder, _), .retried):
      .arriving(isShowingPlaceholder: isShowingPlaceholder, isStopped: false)
    case (.showing, .failed(let isFinal)): .showing(isStopped: isFinal)
    case (.showing, .retried): .showing(isStopped: false)
    default: self
    }
  }
}
