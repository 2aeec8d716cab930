import Annals

extension ScrubEngine {
  /// What became of a row, from the beginning to the log's end.
  func history(of id: String) throws -> ScrubHistory {
    if let known = histories[id] { return known }
    let steps = try reader.history(of: id, through: log.end) { position in
      try check()
      said(position)
    }
    var actors: [Position: String] = [:]
    for step in steps.suffix(500) {
      actors[step.position] = try log.event(at: step.position)?.metadata.author
    }
    let history = ScrubHistory(id: id, end: log.end, steps: steps, actors: actors)
    if histories.count > 200 { histories = [:] }
    histories[id] = history
    return history
  }

  /// Goes to the end of the transaction in which a row changed next, or last before this one.
  func rowChange(of id: String, forwards: Bool) throws -> ScrubAnswer {
    let steps = try history(of: id).steps
    let first = firstOfBatch
    let step = forwards ? steps.first { $0.position > position } : steps.last { $0.position < first }
    guard let step else {
      return .note(forwards ? "\(id) does not change after this" : "\(id) does not change before this")
    }
    return .moved(try show(end(of: step.position)), note: nil)
  }

  /// Goes to where a field of a row got its value; from there to where it got the value before.
  func blame(_ id: String, field: String) throws -> ScrubAnswer {
    let path = FieldPath(field)
    func value(_ record: Record?) -> JSONValue { record.map { path.value(in: $0) } ?? .null }
    let steps = try history(of: id).steps.filter { value($0.old) != value($0.new) }
    // If this transaction set it, the one before is meant.
    guard let step = steps.last(where: { $0.position < firstOfBatch }) ?? steps.last(where: { $0.position <= position })
    else { return .note("\(field) of \(id) was never set up to here") }
    let note =
      "event \(step.position) set \(field) of \(id): \(TextLines.value(value(step.old))) → "
      + TextLines.value(value(step.new))
    return .moved(try show(end(of: step.position)), note: note)
  }

  /// Goes to the next or the last event of a stream.
  func stream(_ name: StreamName, of event: Position, forwards: Bool) throws -> ScrubAnswer {
    let query = EventQuery.stream(name)
    let found =
      forwards
      ? try log.store.events(query, after: event, through: log.end, limit: 1).first
      : try log.store.eventsBackwards(query, after: 0, through: event.before, limit: 1).first
    guard let found, found.position != event else {
      return .note("\(name.text) has no event \(forwards ? "after" : "before") this")
    }
    return .moved(try show(found.position, isEvent: true), note: "\(name.text) \(found.version)")
  }

  /// The first position of what the screen shows as the cause.
  private var firstOfBatch: Position {
    guard let batch = moment?.batch, moment?.since == nil else { return position }
    return batch.from < position ? Position(batch.from.rawValue + 1) : position
  }

  /// The end of the transaction of a position, which the list can show.
  func end(of position: Position) throws -> Position {
    if position <= log.compacted.horizon { return log.compacted.horizon }
    guard let event = try log.event(at: position) else { return position }
    return try log.store.index.transaction(of: event).upperBound
  }
}
