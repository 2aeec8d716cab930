import Annals

extension ScrubEngine {
  /// The changes of a row, from the beginning to the log's end.
  func history(of id: String) throws -> ScrubHistory {
    if let known = histories[id] { return known }
    let steps = try reader.history(of: id, through: log.end, progress: reach)
    var actors: [Position: String] = [:]
    for step in steps.suffix(500) { actors[step.position] = try log.event(at: step.position)?.metadata.author }
    let history = ScrubHistory(id: id, end: log.end, steps: steps, actors: actors)
    if histories.count > 200 { histories = [:] }
    histories[id] = history
    return history
  }

  /// Moves to the end of the transaction with the next or the previous change of a row.
  func rowChange(of id: String, forwards: Bool) throws -> ScrubAnswer {
    let steps = try history(of: id).steps
    let first = firstOfBatch
    let step = forwards ? steps.first { $0.position > position } : steps.last { $0.position < first }
    guard let step else { return .note("\(id) does not change \(forwards ? "after" : "before") this") }
    return .moved(try show(end(of: step.position)))
  }

  /// Moves to the event that set a field of a row.
  ///
  /// From there, moves to the event that set the value before.
  func blame(_ id: String, field: String) throws -> ScrubAnswer {
    let path = FieldPath(field)
    func value(_ record: Record?) -> JSONValue { record.map { path.value(in: $0) } ?? .null }
    let steps = try history(of: id).steps.filter { value($0.old) != value($0.new) }
    let first = firstOfBatch
    guard let step = steps.last(where: { $0.position < first }) ?? steps.last(where: { $0.position <= position })
    else { return .note("\(field) of \(id) was never set up to here") }
    let note =
      "event \(step.position) set \(field) of \(id): \(TextLines.value(value(step.old))) → "
      + TextLines.value(value(step.new))
    return .moved(try show(end(of: step.position)), note: note)
  }

  /// Moves to the next or the previous event of a stream.
  func stream(_ name: StreamName, of event: Position, forwards: Bool) throws -> ScrubAnswer {
    let place = forwards ? event : event.before
    guard let found = try log.page(.stream(name), from: place, forwards: forwards, limit: 1).first else {
      return .note("\(name.text) has no event \(forwards ? "after" : "before") this")
    }
    return .moved(try show(found.position, isEvent: true), note: "\(name.text) \(found.version)")
  }

  /// The first position of the shown batch.
  private var firstOfBatch: Position {
    guard let batch = shown?.batch, shown?.since == nil, batch.from < position else { return position }
    return Position(batch.from.rawValue + 1)
  }

  /// The end of the transaction of a position, for which the log has a list.
  func end(of position: Position) throws -> Position {
    if position <= log.compacted.horizon { return log.compacted.horizon }
    guard let event = try log.event(at: position) else { return position }
    return try log.store.index.transaction(of: event).upperBound
  }
}
