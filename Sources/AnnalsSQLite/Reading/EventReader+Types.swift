import Annals

/// Takes rows of `EventReader.columns`, until it has enough.
private protocol RowTaker {
  /// Takes a row; false if it was the last one.
  mutating func take(_ row: SQLiteRow) throws -> Bool
}

extension EventReader {
  /// Some events as bytes, all of the types that are wanted.
  ///
  /// What is read is checked as every batch is. Of events of other types nothing but their type is looked at, and
  /// stretches of the log without a wanted type are passed by.
  func batch(of types: EventTypeChoice, after: Position, through: Position, limit: Int) throws -> EventBatch {
    try consistently {
      let keys = try TypeKeys.of(types, connection)
      // Without an index a rare type would be a walk through all of the log at once.
      if try keys.areAll || !connection.hasTypeStretches {
        return try batch(after: after, through: through, limit: limit)
      }
      var taker = BatchTaker(self, limit: limit)
      try read(keys, after: after, through: through, into: &taker)
      return taker.batch.finish()
    }
  }

  /// The first events of some types after a position.
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
    ReadingPlace.note(walk.next - 1)
  }
}

/// Goes along the log from one stretch with wanted types to the next.
///
/// How a stretch is read follows from the share of wanted events in the one before: columns of all events where most
/// are wanted, and types alone where few are. Where almost none is, the next stretch is looked up.
private struct TypeWalk {
  /// How many events are read before it is asked again what the best way is.
  private static let stride: Int64 = 512

  let reader: EventReader
  let keys: TypeKeys
  var next: Int64
  private var index: TypeStretches?
  /// How many of a thousand events were wanted.
  private var share = 0

  init(reader: EventReader, keys: TypeKeys, next: Int64) throws {
    (self.reader, self.keys, self.next) = (reader, keys, next)
    if try reader.connection.hasTypeStretches { index = TypeStretches(reader.connection, keys.wanted) }
  }

  /// Reads on; false at the end, or if the taker has enough.
  mutating func step(through end: Int64, into taker: inout some RowTaker) throws -> Bool {
    if next > end { return false }
    var last = min(end, next + Self.stride - 1)
    // The rest of a stretch is read sooner than the next ones of all types are looked up.
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

  /// Reads all columns of a stretch; true if the taker has enough.
  private mutating func readAll(through last: Int64, into taker: inout some RowTaker) throws -> Bool {
    let find = try reader.connection.statement(
      "SELECT \(EventReader.columns) FROM event WHERE position BETWEEN ?1 AND ?2 ORDER BY position")
    try find.bind(1, next)
    try find.bind(2, last)
    var (expected, seen, wanted, isFull) = (next, 0, 0, false)
    try find.runWhile { row in
      let position = row.int(0)
      try reader.checkHole(from: expected, to: position)
      (expected, seen) = (position + 1, seen + 1)
      guard try reader.areWanted(row.int(4), at: position, keys) else { return true }
      wanted += 1
      isFull = try !taker.take(row)
      return !isFull
    }
    if !isFull { try checkEnd(from: expected, through: last) }
    note(wanted, of: seen)
    return isFull
  }

  /// Reads the types of a stretch, and the columns of what is wanted; true if the taker has enough.
  private mutating func readTypes(through last: Int64, into taker: inout some RowTaker) throws -> Bool {
    let find = try reader.connection.statement(
      "SELECT position, type FROM event WHERE position BETWEEN ?1 AND ?2 ORDER BY position")
    try find.bind(1, next)
    try find.bind(2, last)
    var (expected, seen, places) = (next, 0, [Int64]())
    try find.run { row in
      let position = row.int(0)
      try reader.checkHole(from: expected, to: position)
      (expected, seen) = (position + 1, seen + 1)
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

/// Puts events into a batch.
private struct BatchTaker: RowTaker {
  let batch: EventBatchBuilder
  private let reader: EventReader
  private let (streams, sources): (NameTable, NameTable)
  private let limit: Int
  private var count = 0

  init(_ reader: EventReader, limit: Int) {
    (self.reader, self.limit) = (reader, limit)
    (streams, sources) = (reader.connection.streamNames, reader.connection.sourceNames)
    batch = EventBatchBuilder(capacity: min(limit, 64))
  }

  mutating func take(_ row: SQLiteRow) throws -> Bool {
    try reader.add(row, to: batch, streams, sources)
    count += 1
    return count < limit && batch.byteCount < EventReader.batchBytes
  }
}

/// Makes values of events.
private struct EventTaker: RowTaker {
  private let reader: EventReader
  private let names: NameCache
  private let limit: Int
  private(set) var events: [StoredEvent] = []

  init(_ reader: EventReader, limit: Int) {
    (self.reader, self.limit, names) = (reader, limit, NameCache(reader.connection))
  }

  mutating func take(_ row: SQLiteRow) throws -> Bool {
    events.append(try reader.event(row, names))
    return events.count < limit
  }
}

extension EventReader {
  /// Tells whether an event's type is wanted.
  @inline(__always)
  fileprivate func areWanted(_ key: Int64, at position: Int64, _ keys: TypeKeys) throws -> Bool {
    guard let answer = keys.areWanted(key) else {
      throw damaged(position, "its stream, type or source has no name")
    }
    return answer
  }
}
