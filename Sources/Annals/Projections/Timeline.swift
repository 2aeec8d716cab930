/// A projection's rows over time: at the live end, and at any position before it.
///
/// Not safe to share: whoever owns it calls it from one place at a time.
final class Timeline<Row: Annals.Row> {
  /// Rows, and the position that they have been folded up to.
  struct State {
    var rows = Rows<Row>()
    var position: Position = 0
  }

  /// Refuses a type that cannot be stored as an event.
  private let checkEventType: () throws -> Void
  /// Folds one event; throws a `ProjectionError`.
  private let apply: (StoredEvent, inout Rows<Row>) throws -> Void
  private let store: any EventStore
  /// The rows at the live end, as far as they have been folded.
  private(set) var live = State()
  /// States on the way, kept while somebody looks at the past, by position.
  private var kept: [State] = []
  /// Tells the section of a row that is shown, while first appearances are asked for.
  private var sectionKey: (@Sendable (Row) -> SectionKey?)?
  /// The position of the event that first made a section non-empty, up to `seen`.
  private(set) var appearances: [SectionKey: Position] = [:]
  private var seen: Position = 0

  init<P: Projection>(store: any EventStore, projection: P) where P.Row == Row {
    self.store = store
    var known: EventCoder<P.Event>?
    checkEventType = { if known == nil { known = try EventCoder() } }
    apply = { stored, rows in
      var coder = try known ?? EventCoder()
      defer { known = coder }
      let meaning = coder.meaning(of: stored.type)
      if meaning == .unknown, P.unknownEvents == .skip { return }
      let event: P.Event?
      do {
        event = try coder.decode(type: stored.type, payload: stored.payload)
      } catch {
        throw ProjectionError(
          meaning == .unknown ? .unknownEvent : .undecodable, at: stored, in: P.self, because: error)
      }
      guard let event else { return }
      do {
        try projection.project(Recorded(event, stored), into: &rows)
      } catch {
        throw ProjectionError(.refused, at: stored, in: P.self, because: error)
      }
    }
  }

  /// Folds the live end up to a position.
  ///
  /// On an error the live end stands where the last transaction that could be folded ended.
  func advance(through end: Position) throws {
    try checkEventType()
    guard live.position < end else { return }
    try fold(&live, through: end)
  }

  /// The list of the rows at the live end.
  func list(_ recipe: Results<Row>.Recipe, knowing known: Results<Row>) -> Results<Row> {
    Results(recipe, of: &live.rows, at: live.position, appearances: appearances, knowing: known)
  }

  /// The rows at a position of the past, which the log must have.
  ///
  /// Folds from the nearest state that is known. On the way about 16 states are kept, so that a step to a neighbour
  /// folds a sixteenth of the log and not all of it.
  func state(at position: Position) throws -> State {
    if position == live.position { return live }
    var state = kept.last { $0.position <= position } ?? State()
    if live.position < position, live.position > state.position { state = live }
    let stride = max(256, position.rawValue / 16)
    while state.position < position {
      let next = min(position.rawValue, (state.position.rawValue / stride + 1) * stride)
      try fold(&state, through: Position(next))
      guard next.isMultiple(of: stride), !kept.contains(where: { $0.position == state.position }) else { continue }
      kept.insert(state, at: kept.firstIndex { $0.position > state.position } ?? kept.endIndex)
    }
    return state
  }

  /// Lets go of the states that were kept for looking at the past.
  func forgetPast() { kept = [] }

  /// Begins to note when the sections of a request first appeared; nil ends it.
  ///
  /// What happened before is folded again: whether a section was empty then depends on the request.
  func track(_ sectionKey: (@Sendable (Row) -> SectionKey?)?, through end: Position) throws {
    self.sectionKey = sectionKey
    appearances = [:]
    seen = 0
    guard sectionKey != nil else { return }
    var state = State()
    try fold(&state, through: end)
  }

  private func fold(_ state: inout State, through end: Position) throws {
    let start = state
    var wholeEnd = start.position
    do {
      var transaction: Int?
      try store.forEachEvent(after: start.position, through: end) { event in
        if let transaction, transaction != event.transaction { wholeEnd = state.position }
        transaction = event.transaction
        try foldOne(event, into: &state)
      }
    } catch {
      // Half a transaction, or half an event, may be in the rows: fold again what was whole.
      let failure = error
      state = start
      if wholeEnd > start.position {
        try store.forEachEvent(after: start.position, through: wholeEnd) { try foldOne($0, into: &state) }
      }
      throw failure
    }
    state.position = end
  }

  private func foldOne(_ event: StoredEvent, into state: inout State) throws {
    let notes = sectionKey != nil && event.position > seen
    state.rows.touched = notes ? [] : nil
    defer { state.rows.touched = nil }
    try apply(event, &state.rows)
    state.position = event.position
    guard notes, let sectionKey, let touched = state.rows.touched else { return }
    for id in touched {
      guard let row = state.rows[key: id], let key = sectionKey(row), appearances[key] == nil else { continue }
      appearances[key] = event.position
    }
    seen = event.position
  }
}
