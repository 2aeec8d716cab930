import AnnalsLog
import Foundation

/// A writer of events through a connection, inside a transaction that holds the write lock.
///
/// It caches the log's end and the keys of names, so that an append needs little more than its SQL inserts.
///
/// `@unchecked Sendable`: at any time only one thread uses it, the leader of the `WriteQueue`'s current round.
final class EventWriter: @unchecked Sendable {
  private let connection: SQLiteConnection
  private var names: NameKeys
  /// The last stretch of 64 positions that was recorded for each event type.
  private var stretches: [Int64: Int64] = [:]
  private let dataVersion: SQLiteStatement
  private let lastTransaction: SQLiteStatement
  private var ids: IDOrder
  private var metadata: SharedMetadata
  /// The last result of `PRAGMA data_version`, which changes when another connection commits.
  private var seen: Int64?
  private var position = 0
  private var transaction = 0
  /// `LogRevision.rebases` of the log's revision.
  private(set) var rebases = 0
  /// The log's revision, or `nil` if it must be read.
  private var revision: LogRevision?
  /// The last events that this connection wrote after other connections' last commit.
  var recent = RecentEvents()

  init(_ connection: SQLiteConnection) throws {
    self.connection = connection
    names = NameKeys(connection)
    ids = try IDOrder(connection, isStored: connection.hasShortEvents)
    metadata = try SharedMetadata(connection, isStored: connection.hasShortEvents)
    dataVersion = try connection.ownStatement("PRAGMA data_version")
    // The last event might have been removed, but its transaction's number must not be reused.
    lastTransaction = try connection.ownStatement(
      """
      SELECT max(coalesce((SELECT "transaction" FROM event ORDER BY position DESC LIMIT 1), 0),
        coalesce((SELECT "transaction" FROM compaction ORDER BY number DESC LIMIT 1), 0))
      """)
  }

  // The statements that insert are prepared at their first use, because a program's first screen inserts nothing.

  private var insertEvent: SQLiteStatement {
    get throws {
      try connection.statement(
        .insertEvent,
        """
        INSERT INTO event (position, "transaction", stream, version, type, schema, source, id, time, tags, payload,
          metadata, checksum)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
        """)
    }
  }

  private var insertTag: SQLiteStatement {
    get throws {
      try connection.statement(.insertTag, "INSERT INTO event_tag (tag, position) VALUES (?1, ?2)")
    }
  }

  private var insertPersonal: SQLiteStatement {
    get throws {
      try connection.statement(
        .insertPersonal,
        "INSERT INTO personal (position, place, subject, object, checksum) VALUES (?1, ?2, ?3, ?4, ?5)")
    }
  }

  /// The statement for a stretch, which another writer or an earlier append of this writer might have recorded.
  private var insertStretch: SQLiteStatement {
    get throws {
      try connection.statement(
        .insertStretch, "INSERT OR IGNORE INTO type_stretch (type, stretch) VALUES (?1, ?2)")
    }
  }

  /// Begins a transaction, after discarding cached data if another connection has committed.
  func begin() throws {
    if let version = try dataVersion.firstInt() { try look(version) }
  }

  /// Rereads the cached data if `PRAGMA data_version` returned a new number, which means that another connection
  /// committed.
  private func look(_ version: Int64) throws {
    if version == seen { return }
    seen = nil
    revision = nil
    position = try EventReader(connection).head().rawValue
    transaction = try LogNumber.checked(
      lastTransaction.firstInt() ?? 0, "the number of the last transaction", in: connection.path)
    names.forgetVersions()
    ids.forget()
    metadata.forgetKeys()
    recent.forget()
    let rebases = try CompactionTables(connection).rebases
    if rebases != self.rebases {
      // The other connection replaced all events, and with them the recorded stretches.
      stretches = [:]
      self.rebases = rebases
    }
    seen = version
  }

  /// Discards all cached data, because a transaction was rolled back.
  func forget() {
    names.forget()
    ids.forget()
    metadata.forget()
    recent.forget()
    stretches = [:]
    seen = nil
    revision = nil
  }

  /// Discards the cached revision, because this connection might have erased or compacted events.
  func forgetRevision() {
    revision = nil
    ids.forget()
    metadata.forgetKeys()
    recent.forget()
  }

  /// Runs a closure that reads one snapshot of the log, and passes it the log's last position and revision.
  ///
  /// Position and revision are cached until another connection commits. A single statement checks whether another
  /// connection has committed. The statement stays on its row while the closure runs, so that all reads return the same
  /// snapshot. Without the cache, reading the two values took 20,000 more instructions per call.
  func inState<T>(_ body: (_ head: Position, _ revision: LogRevision) throws -> T) throws -> T {
    let answer = try dataVersion.onFirstRow { row in
      try look(row.int(0))
      let found = try revision ?? CompactionTables(connection).revision
      revision = found
      return try body(Position(position), found)
    }
    guard let answer else { preconditionFailure("SQLite returned no row for PRAGMA data_version") }
    return answer
  }

  /// Returns false if a stream is known to have more events than the given number.
  func isShort(_ stream: StreamName, _ count: Int) -> Bool { names.knownVersion(of: stream) ?? 0 <= count }

  /// Returns true if a stream is known to have the given version in the snapshot that the closure of `inState` reads.
  func knows(_ version: Int, of stream: StreamName) -> Bool { names.knows(version, of: stream) }

  /// The event identities that are looked up before events are written.
  ///
  /// In every case, the index of identities refuses a duplicate identity. Then no event is written, and the append is
  /// retried with `all`, which finds the duplicate. The other cases save a search in that index, so they are for events
  /// that are most likely new.
  enum Identities {
    case all
    /// The identities that the store did not create itself, because an app might append the same event twice.
    case given
    /// No identities, for example in an import of many transactions whose events were looked up before.
    case none
  }

  /// Writes an append, or refuses it before any data is written.
  func write(_ append: PreparedAppend, _ identities: Identities) throws -> Receipt {
    if let first = try append.identified?.repeated(CommandReceipts(connection).receipt) { return first }
    try check(append, identities)
    if let draft = append.identified?.endingDraft, try !DraftTables(connection).delete(draft) {
      throw EventStoreError.draftChanged(draft)
    }
    if !append.events.isEmpty {
      guard append.events.count <= Int(LogNumber.most) - position, transaction < LogNumber.most else {
        throw EventStoreError(
          .io,
          "\(connection.path): the log is full: its last position is \(position), and the maximum is \(LogNumber.most)")
      }
      transaction += 1
    }
    // Every stream is looked up once, regardless of its number of events.
    var streams = try append.streams.map { try names.stream($0) }
    for event in append.events {
      position += 1
      try insert(event, of: append.streams[event.stream], &streams[event.stream])
    }
    var versions = [StreamName: Int](minimumCapacity: streams.count)
    for (name, stream) in zip(append.streams, streams) {
      names.keep(stream, as: name)
      versions[name] = stream.version
    }
    let receipt = Receipt(
      position: Position(position), count: append.events.count, transaction: append.events.isEmpty ? nil : transaction,
      versions: versions)
    for (id, receipt) in append.identified?.receipts(receipt) ?? [] {
      try CommandReceipts(connection).keep(receipt, ofCommand: id, at: append.time)
    }
    return receipt
  }

  private func check(_ append: PreparedAppend, _ identities: Identities) throws {
    for (stream, expected) in append.expectations {
      let found = try names.version(of: stream)
      if !expected.isMet(by: found) {
        throw EventStoreError.versionConflict(stream: stream, expected: expected, found: found)
      }
    }
    for condition in append.conditions {
      let compacted = condition.after == 0 ? .none : try CompactionTables(connection).history
      if !compacted.shows(condition.after) {
        throw EventStoreError.conditionConflict(after: condition.after, compactedThrough: compacted.horizon)
      }
      if let found = try EventReader(connection).first(condition.noneMatching, after: condition.after) {
        throw EventStoreError.conditionConflict(after: condition.after, found: found)
      }
    }
    if append.revision != nil || append.checkpoint != nil {
      try Append.check(append.revision, append.checkpoint, now: try CompactionTables(connection).revision) { name in
        try Checkpoints(connection).position(named: name)
      }
    }
    // No index of events contains removed events, so their identities must be looked up.
    let identities = try identities == .none && hasCut() ? .given : identities
    if identities == .none { return }
    var fresh: Set<EventID> = []
    for (offset, event) in append.events.enumerated() where identities == .all || event.hasOwnID {
      if let place = try place(of: event.id) { throw EventStoreError.duplicateEvent(event.id, at: place) }
      if append.events.count > 1, !fresh.insert(event.id).inserted {
        throw EventStoreError.duplicateEvent(event.id, at: Position(position + offset + 1))
      }
    }
  }

  /// Returns the position of an event that the log contains or that a compaction removed, or `nil`.
  ///
  /// An import calls this method for all its events, so the method uses the cached names.
  private func place(of id: EventID) throws -> Position? {
    if let source = try names.knownKey(ofSource: id.source) {
      // Most ids are greater than all ids that are stored as bytes.
      let isNew = try OrderedID(id.id).map { try ids.isNew($0, of: source) } ?? true
      let all = EventIDs(connection)
      let found = try isNew ? all.position(ofText: id.id, source) : all.position(of: id.id, ofSource: source)
      if let found { return Position(try LogNumber.checked(found, "a position", in: connection.path)) }
    }
    return try hasCut() ? CompactionTables(connection).position(ofCut: id) : nil
  }

  /// Returns true if a compaction removed events.
  private func hasCut() throws -> Bool {
    let known = try revision ?? CompactionTables(connection).revision
    revision = known
    return known.compacted.count > 0
  }

  private func insert(_ event: PreparedAppend.Event, of name: StreamName, _ stream: inout NameKeys.Stream) throws {
    let key = try names.key(of: &stream, name)
    stream.version += 1
    try insert(event, at: position, transaction: transaction, name, key: key, version: stream.version)
  }

  /// Records that the stretch of 64 positions around a position contains an event of a type.
  private func note(_ type: Int64, at position: Int64) throws {
    let stretch = TypeStretches.stretch(of: position)
    if stretches[type] == stretch { return }
    let insert = try insertStretch
    try insert.bind(1, type)
    try insert.bind(2, stretch)
    try insert.run()
    stretches[type] = stretch
  }

  /// Returns the bytes to store as an event's id, or `nil` if the id is stored as a string.
  ///
  /// The method might replace the event's id by a new one.
  ///
  /// - Throws: ``EventStoreError`` if another event has the id. The error's code makes the caller retry the append with
  ///   a check of all identities.
  private func bytes(ofIDOf event: inout PreparedAppend.Event, source: Int64) throws -> OrderedID? {
    guard let id = OrderedID(event.id.id) else { return nil }
    if let bytes = try ids.bytes(of: id, isOurs: event.isReplaceable, source: source) {
      if bytes != id { event.id = EventID(source: event.id.source, id: bytes.text) }
      return bytes
    }
    // The index of ids that are strings does not contain ids that are bytes.
    guard try EventIDs(connection).position(of: id, ofSource: source) != nil else { return nil }
    throw EventStoreError(
      .io, "\(connection.path): event \(event.id) is already in the log, but ids must be unique")
  }

  /// Writes an event at a position.
  ///
  /// - Parameters:
  ///   - given: The event to write.
  ///   - position: The event's position.
  ///   - transaction: The number of the transaction.
  ///   - stream: The name of the stream.
  ///   - key: The key of the stream.
  ///   - version: The event's version in the stream.
  ///   - isLast: False if the log contains events after the position.
  /// - Throws: ``EventStoreError``.
  func insert(
    _ given: PreparedAppend.Event, at position: Int, transaction: Int, _ stream: StreamName, key: Int64, version: Int,
    isLast: Bool = true
  ) throws {
    var event = given
    let source = try names.key(ofSource: event.id.source)
    let idBytes = isLast ? try bytes(ofIDOf: &event, source: source) : nil
    let checksum = event.checksum(position: position, transaction: transaction, stream: stream, version: version)
    let insert = try insertEvent
    try insert.bind(1, position)
    try insert.bind(2, transaction)
    try insert.bind(3, key)
    try insert.bind(4, version)
    let type = try names.key(ofType: event.type)
    try note(type, at: Int64(position))
    try insert.bind(5, type)
    try insert.bind(6, event.schema)
    try insert.bind(7, source)
    try insert.bind(9, event.time)
    try insert.bind(13, Int64(checksum))
    let sharedKey = try metadata.key(of: event.metadataText)
    var (id, tagText, metadataText) = (event.id.id, event.tagText, event.metadataText)
    try id.withUTF8 { id in
      try tagText.withUTF8 { tagText in
        try metadataText.withUTF8 { metadataText in
          if let idBytes { try insert.bind(8, idBytes) } else { try insert.bind(8, lent: id) }
          try insert.bind(10, lent: tagText)
          if let sharedKey { try insert.bind(12, sharedKey) } else { try insert.bind(12, lent: metadataText) }
          guard var payload = event.payload else {
            try insert.bind(11, nil as String?)
            return try insert.run()
          }
          try payload.withUTF8 { payload in
            try insert.bind(11, lent: payload)
            try insert.run()
          }
        }
      }
    }
    if let idBytes { try ids.note(idBytes, of: source, at: Int64(position)) }
    for tag in event.tags {
      let insert = try insertTag
      try insert.bind(1, tag.text)
      try insert.bind(2, position)
      try insert.run()
    }
    for (place, field) in event.personal.enumerated() {
      let insert = try insertPersonal
      try insert.bind(1, position)
      try insert.bind(2, place)
      try insert.bind(3, field.subject)
      try insert.bind(4, field.object)
      try insert.bind(5, Int64(PersonalTables.checksum(of: field, at: Int64(position), place)))
      try insert.run()
    }
    recent.note(event, typeKey: type, at: position, transaction: transaction, stream, version: version)
  }
}
