import AnnalsLog

/// An operation that removes and replaces a log's events, inside a transaction that holds the write lock.
struct LogRewriting {
  /// The parts of a replaced event that its replacement keeps.
  private struct Place {
    let position: Int64
    let transaction: Int64
    let stream: Int64
    let streamName: String
    let version: Int64
    let time: Int64
    let metadata: String
  }

  private let connection: SQLiteConnection
  private let plan: CompactionPlan
  private var horizon: Int64 { Int64(plan.horizon.rawValue) }

  init(_ connection: SQLiteConnection, _ plan: CompactionPlan) {
    self.connection = connection
    self.plan = plan
  }

  /// Removes and replaces the events that the plan lists, and returns the number of events in the log afterwards.
  func run(source: String, _ environment: StoreEnvironment) throws -> Int {
    try checkWhole()
    let streams = try plan.streams.sorted().map { name in
      let find = try connection.statement("SELECT key FROM stream WHERE name = ?1")
      try find.bind(1, name.text)
      return try find.firstInt() ?? 0
    }
    let versions = try streams.map { try version(of: $0) }
    let transaction = try transactionAtHorizon()
    let (places, identities) = try delete()
    try insert(places, source: source, environment)
    try TypeStretches.noteAll(connection, through: horizon)
    try keepVersions(streams, versions)
    if !plan.removedStreams.isEmpty { try forgetRemoved(streams, versions) }
    try noteGaps()
    let count = try keep(identities)
    let note = try connection.statement(
      """
      INSERT INTO compaction (position, "transaction", time, cut, replaced, identities, complete)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)
      """)
    try note.bind(1, horizon)
    try note.bind(2, transaction)
    try note.bind(3, environment.now().microseconds)
    try note.bind(4, plan.cutCount)
    try note.bind(5, plan.replacedCount)
    try note.bind(6, count)
    try note.run()
    try SharedMetadata.deleteUnused(connection)
    // Saved lists and states contain data of the events.
    if plan.removedStreams.isEmpty {
      try CacheTables(connection).hideAll()
    } else {
      // Hidden lists would keep the removed data in the file for an hour.
      try CacheTables(connection).deleteLists(named: nil)
    }
    try SnapshotTable(connection).deleteAll()
    return Int(try connection.int("SELECT count(*) FROM event") ?? 0)
  }

  /// Throws if events are missing although no compaction removed them, because they would later look like removed
  /// events.
  private func checkWhole() throws {
    let find = try connection.statement(
      """
      SELECT (SELECT count(*) FROM event WHERE position <= ?1)
        + (SELECT CAST(total(last - first + 1) AS INTEGER) FROM gap)
      """)
    try find.bind(1, horizon)
    let found = try find.firstInt() ?? 0
    guard found == horizon else {
      throw EventStoreError(
        .corrupt,
        "\(connection.path): the log is damaged: expected a total of \(horizon) existing and removed events up to "
          + "position \(horizon), found \(found). Restore the log from a copy")
    }
  }

  /// Returns a stream's version at the compacted position.
  private func version(of stream: Int64) throws -> Int64 {
    max(
      try QueryPlan.version(of: stream, at: plan.horizon, connection),
      Int64(try CompactionTables(connection).version(ofCut: stream)))
  }

  private func transactionAtHorizon() throws -> Int64 {
    let last = try connection.statement(
      """
      SELECT max(coalesce((SELECT "transaction" FROM event WHERE position <= ?1 ORDER BY position DESC LIMIT 1), 0),
        coalesce((SELECT "transaction" FROM compaction ORDER BY number DESC LIMIT 1), 0))
      """)
    try last.bind(1, horizon)
    return try last.firstInt() ?? 0
  }

  /// Deletes the events that the plan removes or replaces.
  ///
  /// Returns the places of the replaced events, and the identities of all deleted events.
  private func delete() throws -> (places: [Place], identities: [(identity: Int64, position: Int64)]) {
    var (places, identities): ([Place], [(Int64, Int64)]) = ([], [])
    // The triggers that protect events do not run in Annals' own connections.
    let find = try connection.statement(
      """
      SELECT "transaction", stream, stream.name, version, source.name, id, time, \(EventReader(connection).metadataSQL)
      FROM event JOIN stream ON stream.key = stream JOIN source ON source.key = source WHERE position = ?1
      """)
    let delete = try connection.statement("DELETE FROM event WHERE position = ?1")
    for (position, change) in plan.changes {
      let position = Int64(position.rawValue)
      try find.bind(1, position)
      try find.run { row in
        let id = EventID(source: row.text(4) ?? "", id: EventReader.id(row, 5) ?? "")
        identities.append((EventIdentity.of(id), position))
        guard case .replaced = change else { return }
        places.append(
          Place(
            position: position, transaction: row.int(0), stream: row.int(1), streamName: row.text(2) ?? "",
            version: row.int(3), time: row.int(6), metadata: row.text(7) ?? "{}"))
      }
      try delete.bind(1, position)
      try delete.run()
    }
    for table in ["event_tag", "personal"] {
      let clear = try connection.statement(
        "DELETE FROM \(table) WHERE position <= ?1 AND position NOT IN (SELECT position FROM event)")
      try clear.bind(1, horizon)
      try clear.run()
    }
    return (places, identities)
  }

  private func insert(_ places: [Place], source: String, _ environment: StoreEnvironment) throws {
    let writer = try EventWriter(connection)
    for place in places {
      guard case .replaced(let new) = plan.changes[Position(Int(place.position))] else { continue }
      let cut = try new.payload.map { try PersonalPayload(cutting: $0) }
      let id = new.id ?? EventID(source: source, id: environment.makeID())
      if let other = try EventReader(connection).position(of: id) {
        throw EventStoreError.duplicateEvent(id, at: other)
      }
      let tags = new.tags.sorted()
      let event = PreparedAppend.Event(
        stream: 0, id: id, hasOwnID: false, type: new.type, schema: new.schema, time: place.time,
        tags: tags, tagText: EventChecksum.tagText(tags), payload: cut?.payload, personal: cut?.fields ?? [],
        metadataText: place.metadata)
      try writer.insert(
        event, at: Int(place.position), transaction: Int(place.transaction), StreamName(place.streamName),
        key: place.stream, version: Int(place.version), isLast: false)
    }
  }

  /// Stores the versions of streams whose last events are removed.
  private func keepVersions(_ streams: [Int64], _ versions: [Int64]) throws {
    let keep = try connection.statement("INSERT OR REPLACE INTO cut_stream VALUES (?1, ?2)")
    for (stream, version) in zip(streams, versions)
    where try QueryPlan.version(of: stream, at: plan.horizon, connection) < version {
      try keep.bind(1, stream)
      try keep.bind(2, version)
      try keep.run()
    }
  }

  /// Resets the versions of removed streams, and changes the receipts of commands that used these streams.
  ///
  /// The number of versions of removed streams is stored under the key 0, which no stream has. So `verify`, also of
  /// older versions of Annals, finds as many missing versions as missing positions.
  private func forgetRemoved(_ streams: [Int64], _ versions: [Int64]) throws {
    let forget = try connection.statement("DELETE FROM cut_stream WHERE stream = ?1")
    var removed = Int64(try CompactionTables(connection).version(ofCut: Self.removedStreams))
    for ((name, stream), version) in zip(zip(plan.streams.sorted(), streams), versions)
    where plan.removedStreams.contains(name) {
      try forget.bind(1, stream)
      try forget.run()
      removed += version
    }
    let keep = try connection.statement("INSERT OR REPLACE INTO cut_stream VALUES (?1, ?2)")
    try keep.bind(1, Self.removedStreams)
    try keep.bind(2, removed)
    try keep.run()
    try CommandReceipts(connection).replaceAll { plan.receipt(replacing: $0) }
  }

  /// The key in `cut_stream` of all removed streams.
  private static var removedStreams: Int64 { 0 }

  /// Stores the ranges of removed events, which are the gaps between the remaining events.
  private func noteGaps() throws {
    try connection.execute("DELETE FROM gap")
    let insert = try connection.statement("INSERT INTO gap VALUES (?1, ?2)")
    var expected: Int64 = 1
    func note(before position: Int64) throws {
      if position > expected {
        try insert.bind(1, expected)
        try insert.bind(2, position - 1)
        try insert.run()
      }
      expected = position + 1
    }
    let find = try connection.statement("SELECT position FROM event WHERE position <= ?1 ORDER BY position")
    try find.bind(1, horizon)
    try find.run { try note(before: $0.int(0)) }
    try note(before: horizon + 1)
  }

  /// Stores the identities of removed events, and returns the number of added identities.
  private func keep(_ identities: [(identity: Int64, position: Int64)]) throws -> Int {
    let insert = try connection.statement("INSERT OR IGNORE INTO cut_event VALUES (?1, ?2)")
    let before = try connection.int("SELECT count(*) FROM cut_event") ?? 0
    // The rows are inserted in the order of their keys, so that every page is written once.
    for (identity, position) in identities.sorted(by: { $0.identity < $1.identity }) {
      try insert.bind(1, identity)
      try insert.bind(2, position)
      try insert.run()
    }
    return Int((try connection.int("SELECT count(*) FROM cut_event") ?? 0) - before)
  }
}
