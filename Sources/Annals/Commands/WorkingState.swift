/// A state that a transaction decides on.
protocol AnyWorkingState: AnyObject {
  /// The events that the state was read from.
  var place: StatePlace { get }
  /// Keeps the state with the transaction's own events, which were committed.
  func settle(_ receipt: Receipt, _ decided: inout DecidedEvents)
}

/// A decider's state as a transaction has it: as it was read, and with what the transaction has decided since.
///
/// It is an object, so that an event is folded into it where it lies. One transaction uses it alone.
final class WorkingState<D: Decider>: AnyWorkingState {
  let shelf: StateShelf<D>
  private(set) var fold: DeciderFold<D>
  let place: StatePlace
  /// How many events were folded since the state was saved.
  private let unsaved: Int
  /// Which events it takes, and what its boundary was called when it was named.
  private let subject: StateSubject
  private let named: EventQuery
  /// True if the state at `place` may be kept.
  private let mayKeep: Bool
  /// How many of the transaction's events were looked at.
  private var seen = 0
  /// True if some of them were folded: it is no state of the log any more.
  private var isAhead = false

  init(
    _ fold: DeciderFold<D>, at place: StatePlace, unsaved: Int, of subject: StateSubject, named: EventQuery = .all,
    on shelf: StateShelf<D>, mayKeep: Bool
  ) {
    (self.fold, self.place, self.unsaved, self.subject, self.named) = (fold, place, unsaved, subject, named)
    (self.shelf, self.mayKeep) = (shelf, mayKeep)
  }

  /// The state with all that the transaction has decided so far: each event is folded once.
  func state(with decided: inout DecidedEvents) throws -> D {
    for index in decided.indices(of: subject, from: seen) {
      isAhead = true
      try fold.fold(decided.entries[index], in: named)
    }
    seen = decided.count
    return fold.state
  }

  /// The stored form of an event.
  func encode(_ event: D.Event) throws -> NewEvent { try fold.coder.encode(event) }

  func settle(_ receipt: Receipt, _ decided: inout DecidedEvents) {
    guard mayKeep, shelf.isOpen, let positions = receipt.events, positions.lowerBound > place.position else { return }
    let own = decided.indices(of: subject, from: 0)
    let version = place.version + own.count
    let position: Position
    switch subject {
    case .stream(let stream):
      guard let last = own.last, receipt.versions[stream] == version else { return }
      position = Position(positions.lowerBound.rawValue + last)
    case .boundary: position = receipt.position
    }
    var isTaken = false
    if !isAhead, !own.isEmpty {
      // The state that is kept is the one that we have: both let go of it, so that nothing is copied.
      switch shelf.take(at: place) {
      case .taken(let state):
        fold.resume(from: state)
        isTaken = true
      case .elsewhere: return
      case .missing: break
      }
    }
    do {
      for index in own where index >= seen { try fold.fold(decided.entries[index], in: named) }
    } catch {
      // What cannot be read is met by the next command, which says so.
      if isTaken { shelf.release() }
      return
    }
    let place = StatePlace(version: version, position: position, revision: place.revision)
    shelf.put(fold.state, at: place, unsaved: unsaved + own.count)
  }
}
