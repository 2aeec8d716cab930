import Annals

extension ScrubEngine {
  /// Looks for a row whose text has some words, once around the list.
  func search(_ text: String, from path: RowPath?, forwards: Bool) throws -> ScrubAnswer {
    guard let list = moment?.list, list.rowCount > 0 else { return .note("the list is empty") }
    let words = text.lowercased()
    var path = path ?? RowPath(section: 0, row: -1)
    for count in 0..<list.rowCount {
      if count.isMultiple(of: 256) { try check() }
      guard let next = list.path(after: path, forwards: forwards) else { break }
      path = next
      let record = list.record(at: path)
      let line = list.line(at: path) ?? ""
      if record.id.lowercased().contains(words) || line.lowercased().contains(words)
        || record.members.contains(where: { TextLines.value($0.value).lowercased().contains(words) })
      {
        return .found(id: record.id)
      }
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
    let found = forwards ? try nextEvent(query, filter) : try lastEvent(query, filter)
    try session.console.patterns.check()
    guard let found else { return .note("no event \(forwards ? "after" : "before") this is \(text)") }
    let isShown = log.compacted.shows(found.position)
    let moment = try isShown ? show(found.position, isEvent: true) : show(log.compacted.horizon)
    return .moved(moment, note: "\(found.type) at \(found.position)")
  }

  private func nextEvent(_ query: EventQuery, _ filter: EventFilter) throws -> StoredEvent? {
    var after = position
    while true {
      let page = try log.store.events(query, after: after, through: log.end, limit: 256)
      if let found = page.first(where: filter.includes) { return found }
      guard page.count == 256, let last = page.last else { return nil }
      after = last.position
      try check()
      said(after)
    }
  }

  private func lastEvent(_ query: EventQuery, _ filter: EventFilter) throws -> StoredEvent? {
    var through = position.before
    while through > 0 {
      let page = try log.store.eventsBackwards(query, after: 0, through: through, limit: 256)
      if let found = page.first(where: filter.includes) { return found }
      guard page.count == 256, let last = page.last else { return nil }
      through = last.position.before
      try check()
      said(through)
    }
    return nil
  }

  /// Goes from transaction to transaction until one makes a row of the list meet a condition.
  private func findRow(_ condition: RowCondition, _ text: String, forwards: Bool) throws -> ScrubAnswer {
    let start = position
    do {
      var place = start
      let steps = TransactionSteps(log: log, check: check)
      try reader.move(to: place)
      while true {
        try check()
        said(place)
        let next = try steps.position(forwards ? 1 : -1, from: place)
        if next == place { break }
        let batch = try reader.go(to: next)
        // Backwards, the row before the step is the one after it in time.
        let found = batch.rows.first { step in
          let (old, new) = step.sides
          let (before, after) = forwards ? (old, new) : (new, old)
          return after.map(condition.includes) ?? false && !(before.map(condition.includes) ?? false)
        }
        // What the present transaction did itself is not before it.
        if let found, forwards || place < start {
          return .moved(
            try show(forwards ? next : place), note: "\(found.change.row.id): \(text)")
        }
        place = next
      }
    } catch let error as Cancelled {
      _ = try show(start)
      throw error
    }
    _ = try show(start)
    return .note("no row begins to meet \(text) \(forwards ? "after" : "before") this")
  }

  /// Goes from transaction to transaction until one makes the list meet a condition.
  private func findList(_ condition: FindCondition, _ text: String, forwards: Bool) throws -> ScrubAnswer {
    let (start, isEvent) = (position, isOfEvent)
    let steps = TransactionSteps(log: log, check: check)
    let state = FindState(condition)
    func go(_ place: Position) throws -> Bool {
      try check()
      said(place)
      let batch = try reader.go(to: place)
      return try state.holds(after: batch, in: reader.list)
    }
    /// Whether it holds after the transaction that ends at a place.
    func holds(at place: Position) throws -> Bool {
      _ = try go(try steps.position(-1, from: place))
      // At 0 that was no step, and what happened on the way there is not asked.
      return try go(place)
    }
    do {
      try reader.move(to: 0)
      var place = start
      var isHolding = try holds(at: place)
      while true {
        let next = try steps.position(forwards ? 1 : -1, from: place)
        if next == place { break }
        let held = try forwards ? go(next) : holds(at: next)
        if forwards, held, !isHolding { return .moved(try show(next), note: "\(text) holds") }
        if !forwards, isHolding, !held, place < start { return .moved(try show(place), note: "\(text) holds") }
        (place, isHolding) = (next, held)
      }
      if !forwards, isHolding, place < start { return .moved(try show(place), note: "\(text) holds") }
    } catch let error as Cancelled {
      _ = try show(start, isEvent: isEvent)
      throw error
    }
    _ = try show(start, isEvent: isEvent)
    return .note("the list does not begin to meet \(text) \(forwards ? "after" : "before") this")
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

extension ShownList {
  /// The row after or before a path, around the list's end; nil in an empty list.
  func path(after path: RowPath, forwards: Bool) -> RowPath? {
    guard rowCount > 0 else { return nil }
    var (section, row) = (path.section, path.row)
    if forwards {
      row += 1
      while section >= sectionCount || row >= self.section(section).count {
        section = section + 1 >= sectionCount ? 0 : section + 1
        row = 0
      }
    } else {
      row -= 1
      while section >= sectionCount || row < 0 {
        section = section <= 0 || section > sectionCount ? sectionCount - 1 : section - 1
        row = self.section(section).count - 1
      }
    }
    return RowPath(section: section, row: row)
  }
}
