import Annals
import AnnalsLog

extension ScrubEngine {
  /// Finds the next row with a text, once around the list.
  ///
  /// - Parameters:
  ///   - text: The text, in upper or lower case.
  ///   - path: The row at which to begin, nil for the first or last one.
  ///   - step: 1 or -1 for the first row after or before it, 0 for the row itself or the first one after it.
  /// - Returns: The found row, or a message.
  /// - Throws: ``ReplayError``, `EventStoreError`.
  func search(_ text: String, from path: RowPath?, step: Int) throws -> ScrubAnswer {
    if shown?.list == nil, case .failed(let error, _) = try readList() { throw error }
    guard let list = shown?.list?.rows, list.rowCount > 0 else { return .note("the list is empty") }
    let search = RowSearch(text)
    var path = path ?? RowPath(section: 0, row: -1)
    if step == 0, let path = list.nearest(path), search.matches(list, path) {
      return .found(id: list.record(at: path).id)
    }
    for count in 0..<list.rowCount {
      if count.isMultiple(of: 256) { try check() }
      guard let next = list.path(after: path, forwards: step >= 0) else { break }
      path = next
      if search.matches(list, path) { return .found(id: list.record(at: path).id) }
    }
    return .note("no row has \"\(text)\" here")
  }

  /// Goes to the next event of a choice, or to the place where a row or the list begins to meet a condition.
  ///
  /// A text with a key, such as `type:BookRepriced author:ann where:price > 5`, chooses events. Any other text is a
  /// condition of the subcommand find. A condition that can hold for one row alone is checked for every row.
  func find(_ text: String, forwards: Bool) throws -> ScrubAnswer {
    if (EventChoice.keys + ["where"]).contains(where: { (" " + text).contains(" \($0):") }) {
      return try findEvent(EventChoice(text), text, forwards: forwards)
    }
    let condition = try FindCondition(text)
    session.console.patterns.add(condition.patterns)
    let answer =
      try condition.ofOneRow.map { try findRow($0, text, forwards: forwards) }
      ?? findList(condition, text, forwards: forwards)
    try session.console.patterns.check()
    return answer
  }

  private func findEvent(_ choice: EventChoice, _ text: String, forwards: Bool) throws -> ScrubAnswer {
    let filter = try EventFilter(choice, session, log)
    guard let query = try filter.query(log) else { return .note("no event of the log is \(text)") }
    var (place, found) = (forwards ? position : position.before, nil as StoredEvent?)
    while found == nil {
      try reach(place)
      let page = try log.page(query, from: place, forwards: forwards, limit: 256)
      found = page.first(where: filter.includes)
      guard page.count == 256, let last = page.last else { break }
      place = forwards ? last.position : last.position.before
    }
    try session.console.patterns.check()
    guard let found else { return .note("no event \(forwards ? "after" : "before") this is \(text)") }
    let isShown = log.compacted.shows(found.position)
    let moment = try isShown ? show(found.position, isEvent: true) : show(log.compacted.horizon)
    return .moved(moment, note: "\(found.type) at \(found.position)")
  }

  /// Goes from transaction to transaction until one makes a row of the list meet a condition.
  private func findRow(_ condition: RowCondition, _ text: String, forwards: Bool) throws -> ScrubAnswer {
    let start = position
    var place = start
    try read(to: place)
    while let next = try transaction(forwards ? 1 : -1, from: place) {
      // Backwards, the row before the step is the one after it in time.
      let found = try go(to: next).rows.first { step in
        let (old, new) = step.sides
        let (before, after) = forwards ? (old, new) : (new, old)
        return after.map(condition.includes) ?? false && !(before.map(condition.includes) ?? false)
      }
      // A change by the present transaction is not before it.
      if let found, forwards || place < start {
        return .moved(try show(forwards ? next : place), note: "\(found.change.row.id): \(text)")
      }
      place = next
    }
    return .note(misspelled(condition) ?? "no row begins to meet \(text) \(forwards ? "after" : "before") this")
  }

  /// A sentence about a field of a condition that no row at the start has, but whose name is nearly one that rows have.
  private func misspelled(_ condition: RowCondition) -> String? {
    let rows = shown?.list?.rows.firstRecords(500) ?? []
    let names = Set(rows.flatMap { $0.members.map(\.name) }).sorted()
    let unknown = condition.fields.filter { field in !rows.contains { field.value(in: $0) != .null } }
    return unknown.lazy.compactMap { field in
      Nearest.name(to: field.text, among: names).map { "no row has a field \(field.text); did you mean \($0)?" }
    }.first
  }

  /// Goes from transaction to transaction until one makes the list meet a condition.
  private func findList(_ condition: FindCondition, _ text: String, forwards: Bool) throws -> ScrubAnswer {
    let start = position
    let state = FindState(condition)
    func hold(_ place: Position) throws -> Bool { try state.holds(after: go(to: place), in: reader.list) }
    /// Whether it holds after the transaction that ends at a place.
    func holds(at place: Position) throws -> Bool {
      _ = try hold(transaction(-1, from: place) ?? place)
      return try hold(place)
    }
    try read(to: start)
    try reader.move(to: 0)
    var place = start
    var isHolding = try holds(at: place)
    while let next = try transaction(forwards ? 1 : -1, from: place) {
      let held = try forwards ? hold(next) : holds(at: next)
      if forwards, held, !isHolding { return .moved(try show(next), note: "\(text) holds") }
      if !forwards, isHolding, !held, place < start { return .moved(try show(place), note: "\(text) holds") }
      (place, isHolding) = (next, held)
    }
    if !forwards, isHolding, place < start { return .moved(try show(place), note: "\(text) holds") }
    return .note("the list does not begin to meet \(text) \(forwards ? "after" : "before") this")
  }

  /// The end of the transaction before or after a position, or nil.
  private func transaction(_ count: Int, from place: Position) throws -> Position? {
    let next = try TransactionSteps(log: log, check: { try self.check() }).position(count, from: place)
    return next == place ? nil : next
  }
}

extension LogExtent {
  /// Events after a position, or up to a position in reverse order.
  func page(_ query: EventQuery, from place: Position, forwards: Bool, limit: Int) throws -> [StoredEvent] {
    try forwards
      ? store.events(query, after: place, through: end, limit: limit)
      : store.eventsBackwards(query, after: 0, through: place, limit: limit)
  }
}

extension RowStep {
  /// The row before and after; nil where it is not in the list.
  fileprivate var sides: (old: Record?, new: Record?) {
    switch change {
    case .insert(let row, _, let moved): (moved ? old : nil, row)
    case .delete(let row, _, let moved): moved ? (nil, nil) : (row, nil)
    case .move(let row, _, _, _), .update(let row, _, _): (old, row)
    }
  }
}
