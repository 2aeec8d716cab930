import AnnalsLog

/// A state on which a transaction bases its decisions.
protocol AnyWorkingState: AnyObject {
  /// The place of the last event from which the state was read.
  var place: StateVersion { get }
  /// Keeps the state in memory, including the transaction's own committed events.
  ///
  /// - Parameters:
  ///   - receipt: The receipt of the transaction's last append with events.
  ///   - decided: The events of all appends of the transaction.
  func settle(_ receipt: Receipt, _ decided: inout DecidedEvents)
}

/// A decider's state during a transaction: as it was read, plus the events that the transaction has decided since.
///
/// It is an object, so that events are folded into it in place. Only one transaction uses it.
final class WorkingState<D: Decider>: AnyWorkingState {
  let shelf: StateShelf<D>
  private(set) var fold: DeciderFold<D>
  let place: StateVersion
  /// The number of events that were folded since the last save.
  private let unsaved: Int
  /// The stream or the boundary whose events are in the state.
  private let subject: StateSubject
  /// The boundary as the decider declared it.
  private let named: EventQuery
  /// True if the state at `place` may be kept.
  private let mayKeep: Bool
  /// The number of the transaction's events that were already considered.
  private var seen = 0
  /// True if some of these events were folded, so that the state no longer matches the log.
  private var isAhead = false
  /// True if an upcaster used the time of an event to which the commit gives its time.
  ///
  /// The state that is read after the commit may be different, so this state isn't kept.
  private var hasGuessedTime = false

  init(
    _ fold: DeciderFold<D>, at place: StateVersion, unsaved: Int, of subject: StateSubject, named: EventQuery = .all,
    on shelf: StateShelf<D>, mayKeep: Bool
  ) {
    self.fold = fold
    self.place = place
    self.unsaved = unsaved
    self.subject = subject
    self.named = named
    self.shelf = shelf
    self.mayKeep = mayKeep
  }

  /// Returns the state including all events that the transaction has decided.
  ///
  /// Every event is folded once.
  func state(with decided: inout DecidedEvents) throws -> D {
    for index in decided.indices(of: subject, from: seen) {
      isAhead = true
      try add(decided.entries[index])
    }
    seen = decided.count
    return fold.state
  }

  private func add(_ entry: Append.Entry) throws {
    try fold.fold(entry, in: named) {
      hasGuessedTime = true
      return shelf.log.environment.now()
    }
  }

  /// Returns the stored form of an event.
  func encode(_ event: D.Event) throws -> NewEvent { try fold.coder.encode(event) }

  func settle(_ receipt: Receipt, _ decided: inout DecidedEvents) {
    guard mayKeep, shelf.isOpen, let positions = receipt.events, positions.lowerBound > place.position else { return }
    let own = decided.indices(of: subject, from: 0)
    let version = place.version + own.count
    let position: Position
    switch subject {
    case .stream(let stream):
      guard let last = own.last, receipt.versions[stream] == version else { return }
      position = Position(receipt.position.rawValue - (decided.count - 1 - last))
      // Between appends, the log may have other streams' events, so only the last append's positions are known.
      if position < positions.lowerBound { return }
    case .boundary: position = receipt.position
    }
    var isTaken = false
    if !isAhead, !own.isEmpty {
      // Take the kept state and release this one, so that the state isn't copied.
      switch shelf.take(at: place) {
      case .taken(let state):
        fold.resume(from: state)
        isTaken = true
      case .elsewhere: return
      case .missing: break
      }
    }
    do {
      for index in own where index >= seen { try add(decided.entries[index]) }
    } catch {
      // The next command reads the unreadable event, and reports it.
      if isTaken { shelf.release() }
      return
    }
    if hasGuessedTime {
      if isTaken { shelf.release() }
      return
    }
    let place = StateVersion(version: version, position: position, revision: place.revision)
    shelf.put(fold.state, at: place, unsaved: unsaved + own.count)
  }
}
