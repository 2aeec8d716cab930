import AnnalsLog

/// A check that every event can be found by its type, made in the pass that reads the events.
///
/// A query that compared all events with the table read the events a second time, and looked up all of them. In one
/// pass, a type is looked up once for 64 positions.
struct TypeIndexCheck {
  private let connection: SQLiteConnection
  /// The stretch of the last event, and the types that the table contains for it.
  private var (stretch, known): (Int64, [Int64]) = (.min, [])
  /// The positions of the first events whose type the table doesn't contain.
  private(set) var lost: [Int64] = []
  /// The error that ended the check.
  private var failure: (any Error)?

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// Checks the event of a row with the columns of `EventReader.columns`.
  mutating func add(_ row: SQLiteRow) {
    guard failure == nil, lost.count < 20 else { return }
    let (position, type) = (row.int(0), row.int(4))
    let stretch = TypeStretches.stretch(of: position)
    if stretch != self.stretch {
      self.stretch = stretch
      known.removeAll(keepingCapacity: true)
    } else if known.contains(type), row.isInt(4) {
      return
    }
    do {
      guard try connection.hasTypeStretches else { return }
      let find = try connection.statement("SELECT 1 FROM type_stretch WHERE type = ?1 AND stretch = ?2")
      try find.bind(1, type)
      try find.bind(2, stretch)
      if try row.isInt(4) && find.firstInt() != nil { known.append(type) } else { lost.append(position) }
    } catch {
      failure = error
    }
  }

  /// Returns the positions of the first events that can't be found by their types.
  func positions() throws -> [Int64] {
    if let failure { throw failure }
    return lost
  }
}

/// A check that every event can be found by its identity, and that no two events have the same identity, made in the
/// pass that reads the events.
struct IDIndexCheck {
  /// A source's ids that are stored as bytes.
  private struct Source {
    /// The highest id so far.
    var last: OrderedID?
    /// The stretch that the index contains for the ids in a range, which is `nil` without a range.
    var marked: (from: OrderedID, end: OrderedID?, stretch: Int64?)?
  }

  private let connection: SQLiteConnection
  private var sources: [Int64: Source] = [:]
  private var problems: [(position: Int64, sentence: String)] = []
  /// The error that ended the check.
  private var failure: (any Error)?

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// Checks the event of a row with the columns of `EventReader.columns`.
  mutating func add(_ row: SQLiteRow) {
    guard failure == nil, problems.count < 20 else { return }
    do {
      guard try connection.hasShortEvents else { return }
      let (position, key) = (row.int(0), row.int(6))
      if let id = row.orderedID(7) {
        try check(id, at: position, ofSource: key)
      } else if row.isText(7), row.bytes(7)?.count == OrderedID.textCount, let id = row.text(7).flatMap(OrderedID.init),
        let other = try EventIDs(connection).position(of: id, ofSource: key)
      {
        problems.append((position, "event \(other) has the same id"))
      }
    } catch {
      failure = error
    }
  }

  private mutating func check(_ id: OrderedID, at position: Int64, ofSource key: Int64) throws {
    var source = sources[key] ?? Source()
    if let before = source.last, before >= id {
      problems.append(
        (
          position,
          "the event's id must be higher than every earlier id of the same source, but is equal or lower. This "
            + "rule applies to all ids that are stored as bytes"
        ))
      return
    }
    source.last = id
    let stretch = try stretch(of: id, &source, key)
    sources[key] = source
    if stretch != TypeStretches.stretch(of: position) {
      problems.append((position, "the index of ids doesn't contain this event"))
    }
  }

  /// Returns the stretch that the index contains for an id.
  ///
  /// All ids from one mark to the next mark have the same stretch, so the index is read once for them.
  private func stretch(of id: OrderedID, _ source: inout Source, _ key: Int64) throws -> Int64? {
    if let marked = source.marked, marked.from <= id, marked.end.map({ id < $0 }) ?? true { return marked.stretch }
    let stretch = try EventIDs(connection).stretch(of: id, ofSource: key)
    source.marked = nil
    let next = try connection.statement(
      "SELECT id FROM id_mark WHERE source = ?1 AND id > ?2 ORDER BY id LIMIT 1")
    try next.bind(1, key)
    try next.bind(2, id)
    var (hasNext, end) = (false, nil as OrderedID?)
    try next.run { (hasNext, end) = (true, $0.orderedID(0)) }
    // The range of a mark that isn't an id has no known end.
    if !hasNext || end != nil { source.marked = (id, end, stretch) }
    return stretch
  }

  /// Returns the first events that can't be found by their ids, and the problems.
  func found() throws -> [(position: Int64, sentence: String)] {
    if let failure { throw failure }
    return problems
  }
}
