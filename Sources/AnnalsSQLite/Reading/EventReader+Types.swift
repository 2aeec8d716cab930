import AnnalsLog

/// A consumer of rows with the columns of `EventReader.columns`, which can stop the reading early.
private protocol RowTaker {
  /// Consumes a row, and returns false if it needs no more.
  mutating func take(_ row: SQLiteRow) throws -> Bool
}

extension EventReader {
  /// Returns a batch of events as bytes.
  ///
  /// All events have one of the wanted types.
  ///
  /// The returned events are checked as in every batch. For events of other types, only the type is read. Stretches of
  /// 64 positions that contain no wanted type are skipped.
  func batch(of types: EventTypeFilter, after: Position, through: Position, limit: Int) throws -> EventBatch {
    try consistently {
      let keys = try TypeKeys.of(types, connection)
      // Without an index, a search for a rare type would scan the whole log in one call.
      if try keys.areAll || !connection.hasTypeStretches {
        return try batch(after: after, through: through, limit: limit)
      }
      var taker = BatchTaker(self, limit: limit)
      try read(keys, after: after, through: through, into: &taker)
      return taker.batch.finish()
    }
  }

  /// Returns the first events of some types after a position.
  func events(
    ofTypes types: [String], after: Position, through: Position?, limit: Int
  ) throws -> [StoredEvent] {
    try consistently {
      var taker = EventTaker(self, limit: limit)
      let keys = try TypeKeys(ofNames: types, connection)
      try read(keys, after: after, through: through ?? Position(Int(LogNumber.most)), into: &taker)
      return taker.events
    }
  }

  private func read(
    _ keys: TypeKeys, after: Position, through: Position, into taker: inout some RowTaker
  ) throws {
    if keys.wanted.isEmpty || after >= through { return }
    var walk = try TypeWalk(reader: self, keys: keys, next: Int64(max(0, after.rawValue)) + 1)
    let end = Int64(min(try head(), through).rawValue)
    while try walk.step(through: end, into: &taker) {}
    ReadingOffset.note(walk.next - 1)
  }
}

/// A walk along the log that skips stretches of 64 positions without wanted types.
///
/// The share of wanted events among the last events determines how the next events are read. If at least half are
/// wanted, all columns of all events are read. Otherwise only the types are read first, and then the columns of wanted
/// events. If fewer than 6 percent are wanted, the next stretch with a wanted type is looked up.
private struct TypeWalk {
  /// The maximum number of events that are read in the same way before the share is computed.
  private static let stride: Int64 = 512

  let reader: EventReader
  let keys: TypeKeys
  var next: Int64
  private var index: TypeStretches?
  /// The share of wanted events among the last events, per thousand.
  private var share = 0

  init(reader: EventReader, keys: TypeKeys, next: Int64) throws {
    self.reader = reader
    self.keys = keys
    self.next = next
    if try reader.connection.hasTypeStretches { index = TypeStretches(reader.connection, keys.wanted) }
  }

  /// Reads the next events, and returns false at the end or if the consumer needs no more events.
  mutating func step(through end: Int64, into taker: inout some RowTaker) throws -> Bool {
    if next > end { return false }
    var last = min(end, next + Self.stride - 1)
    // Reading the rest of a stretch is faster than a lookup of the next stretches of all types.
    if share < 60, index != nil, end - next >= 64 {
      let (here, there) = (TypeStretches.stretch(of: next), TypeStretches.stretch(of: end))
      guard let stretch = try index?.first(from: here, through: there) else { return false }
      next = max(next, TypeStretches.first(of: stretch))
      last = min(end, TypeStretches.last(of: stretch))
    }
    let isFull = share >= 500 ? try readAll(through: last, into: &taker) : try readTypes(through: last, into: &taker)
    next = last + 1
    return !isFull
  }

  /// Reads all columns of the events up to a position, and returns true if the consumer needs no more events.
  private mutating func readAll(through last: Int64, into taker: inout some RowTaker) throws -> Bool {
    let find = try reader.connection.statement(
      "SELECT \(EventReader.columns) FROM event WHERE position BETWEEN ?1 AND ?2 ORDER BY position")
    try find.bind(1, next)
    try find.bind(2, last)
    var (expected, seen, wanted, isFull) = (next, 0, 0, false)
    try find.runWhile { row in
      let position = row.int(0)
      try reader.checkHole(from: expected, to: position)
      expected = position + 1
      seen += 1
      guard try reader.areWanted(row.int(4), at: position, keys) else { return true }
      wanted += 1
      isFull = try !taker.take(row)
      return !isFull
    }
    if !isFull { try checkEnd(from: expected, through: last) }
    note(wanted, of: seen)
    return isFull
  }

  /// Reads the types of the events up to a position, and then all columns of wanted events.
  ///
  /// Returns true if the consumer needs no more events.
  private mutating func readTypes(through last: Int64, into taker: inout some RowTaker) throws -> Bool {
    let find = try reader.connection.statement(
      "SELECT position, type FROM event WHERE position BETWEEN ?1 AND ?2 ORDER BY position")
    try find.bind(1, next)
    try find.bind(2, last)
    var (expected, seen, places) = (next, 0, [Int64]())
    try find.run { row in
      let position = row.int(0)
      try reader.checkHole(from: expected, to: position)
      expected = position + 1
      seen += 1
      if try reader.areWanted(row.int(1), at: position, keys) { places.append(position) }
    }
    note(places.count, of: seen)
    let read = try reader.connection.statement("SELECT \(EventReader.columns) FROM event WHERE position = ?1")
    for place in places {
      try read.bind(1, place)
      var isFull = false
      try read.run { isFull = try !taker.take($0) }
      if isFull { return true }
    }
    try checkEnd(from: expected, through: last)
    return false
  }

  private mutating func note(_ wanted: Int, of seen: Int) { share = seen == 0 ? 0 : wanted * 1_000 / seen }

  private func checkEnd(from expected: Int64, through last: Int64) throws {
    if expected <= last { try reader.checkHole(from: expected, to: last + 1) }
  }
}

/// A consumer that adds events to a batch of bytes.
private struct BatchTaker: RowTaker {
  let batch: EventBatchBuilder
  private let reader: EventReader
  private let (streams, sources): (NameTable, NameTable)
  private let limit: Int
  private var count = 0

  init(_ reader: EventReader, limit: Int) {
    self.reader = reader
    self.limit = limit
    streams = reader.connection.streamNames
    sources = reader.connection.sourceNames
    batch = EventBatchBuilder(capacity: min(limit, 64))
  }

  mutating func take(_ row: SQLiteRow) throws -> Bool {
    try reader.add(row, to: batch, streams, sources)
    count += 1
    return count < limit && batch.byteCount < EventReader.batchBytes
  }
}

/// A consumer that creates ``StoredEvent`` values.
private struct EventTaker: RowTaker {
  private let reader: EventReader
  private let names: NameCache
  private let limit: Int
  private(set) var events: [StoredEvent] = []

  init(_ reader: EventReader, limit: Int) {
    self.reader = reader
    self.limit = limit
    names = NameCache(reader.connection)
  }

  mutating func take(_ row: SQLiteRow) throws -> Bool {
    events.append(try reader.event(row, names))
    return events.count < limit
  }
}

extension EventReader {
  /// Returns whether an event's type is wanted.
  @inline(__always)
  fileprivate func areWanted(_ key: Int64, at position: Int64, _ keys: TypeKeys) throws -> Bool {
    guard let answer = keys.areWanted(key) else {
      throw damaged(position, "the name of the event's stream, type or source is missing")
    }
    return answer
  }
}
