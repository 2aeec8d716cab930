import Annals
import Foundation

/// Writes events through a connection, inside a transaction that holds the write lock.
///
/// It remembers the log's end and the keys of names, so that an append is little more than its inserts.
///
/// `@unchecked Sendable`: the one thread that leads the writing uses it; see `WriteQueue`.
final class EventWriter: @unchecked Sendable {
  private let connection: SQLiteConnection
  private var names: NameKeys
  private let insertEvent: SQLiteStatement
  private let insertTag: SQLiteStatement
  private let insertPersonal: SQLiteStatement
  private let insertStretch: SQLiteStatement
  /// By type: the last stretch that it was noted in.
  private var stretches: [Int64: Int64] = [:]
  private let dataVersion: SQLiteStatement
  private let lastTransaction: SQLiteStatement
  private var ids: IDOrder
  private var metadata: SharedMetadata
  /// What `PRAGMA data_version` said last; it is another number once another connection has committed.
  private var seen: Int64?
  private var position = 0
  private var transaction = 0
  /// The log's revision; nil before it was asked for.
  private var revision: LogRevision?
  /// What this connection wrote last, since another one has committed.
  var recent = RecentEvents()

  init(_ connection: SQLiteConnection) throws {
    self.connection = connection
    names = NameKeys(connection)
    ids = try IDOrder(connection, isStored: connection.hasShortEvents)
    metadata = try SharedMetadata(connection, isStored: connection.hasShortEvents)
    insertEvent = try connection.ownStatement(
      """
      INSERT INTO event (position, "transaction", stream, version, type, schema, source, id, time, tags, payload,
        metadata, checksum)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
      """)
    insertTag = try connection.ownStatement("INSERT INTO event_tag (tag, position) VALUES (?1, ?2)")
    insertPersonal = try connection.ownStatement(
      "INSERT INTO personal (position, place, subject, object, checksum) VALUES (?1, ?2, ?3, ?4, ?5)")
    // Another writer, or this one before, may have noted it already.
    insertStretch = try connection.ownStatement("INSERT OR IGNORE INTO type_stretch (type, stretch) VALUES (?1, ?2)")
    dataVersion = try connection.ownStatement("PRAGMA data_version")
    // The last event may have been cut, and its transaction's number stays given.
    lastTransaction = try connection.ownStatement(
      """
      SELECT max(coalesce((SELECT "transaction" FROM event ORDER BY position DESC LIMIT 1), 0),
        coalesce((SELECT "transaction" FROM compaction ORDER BY number DESC LIMIT 1), 0))
      """)
  }

  /// Begins a transaction, and takes note of what other connections committed meanwhile.
  func begin() throws {
    if let version = try dataVersion.firstInt() { try look(version) }
  }

  /// Learns what other connections did, if the number of `PRAGMA data_version` says that they did anything.
  private func look(_ version: Int64) throws {
    if version == seen { return }
    (seen, revision) = (nil, nil)
    position = try EventReader(connection).head().rawValue
    transaction = try LogNumber.checked(
      lastTransaction.firstInt() ?? 0, "the number of the last transaction", in: connection.path)
    names.forgetVersions()
    ids.forget()
    metadata.forgetKeys()
    recent.forget()
    seen = version
  }

  /// Forgets what it knows: a transaction was taken back.
  func forget() {
    names.forget()
    ids.forget()
    metadata.forget()
    recent.forget()
    stretches = [:]
    (seen, revision) = (nil, nil)
  }

  /// Asks for the revision again: this connection may have changed it, and cut events.
  func forgetRevision() {
    revision = nil
    ids.forget()
    metadata.forgetKeys()
    recent.forget()
  }

  /// Runs a body in one state of the log, with its end and revision.
  ///
  /// Both are remembered for as long as no other connection commits. One statement asks for that, and stays on its row
  /// while the body runs; asking for them each time took 20,000 instructions more.
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

  /// False if a stream is known to have more events than a number.
  func isShort(_ stream: StreamName, _ count: Int) -> Bool { names.knownVersion(of: stream) ?? 0 <= count }

  /// True if a stream is known to have a version in the state of the log that `inState` runs its body in.
  func knows(_ version: Int, of stream: StreamName) -> Bool { names.knows(version, of: stream) }

  /// Which identities of events are looked for in the log before they are written.
  ///
  /// The index of identities takes none twice. Where it refuses one, nothing is written, and all is tried again with
  /// `all`, which says which it was. So the others are for what is most likely new, and save a search in that index.
  enum Identities {
    case all
    /// Those that the store did not make itself: an app may append what it appended before.
    case given
    /// None, as in an import of many transactions, whose events were looked for before.
    case none
  }

  /// Writes an append, or refuses it before anything is written.
  func write(_ append: PreparedAppend, _ identities: Identities) throws -> Receipt {
    if let first = try append.identified?.repeated(CommandReceipts(connection).receipt) { return first }
    try check(append, identities)
    if let draft = append.identified?.endingDraft, try !DraftTables(connection).delete(draft) {
      throw EventStoreError.draftChanged(draft)
    }
    if !append.events.isEmpty {
      guard append.events.count <= Int(LogNumber.most) - position, transaction < LogNumber.most else {
        throw EventStoreError(
          .io, "\(connection.path): the log is full: its last position is \(position) of \(LogNumber.most)")
      }
      transaction += 1
    }
    // Each stream is looked up once, however many of the events are its.
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
    // What was cut is in no index of events.
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

  /// The position of an event that the log has, or that was cut from it.
  ///
  /// An import asks for each of its events, so that what a reader would look up again is remembered here.
  private func place(of id: EventID) throws -> Position? {
    if let source = try names.knownKey(ofSource: id.source) {
      // Most come after all that are stored as bytes.
      let isNew = try OrderedID(id.id).map { try ids.isNew($0, of: source) } ?? true
      let all = EventIDs(connection)
      let found = try isNew ? all.position(ofText: id.id, source) : all.position(of: id.id, ofSource: source)
      if let found { return Position(try LogNumber.checked(found, "a position", in: connection.path)) }
    }
    return try hasCut() ? CompactionTables(connection).position(ofCut: id) : nil
  }

  /// True if a compaction cut events.
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

  /// Notes that a stretch of the log has an event of a type.
  private func note(_ type: Int64, at position: Int64) throws {
    let stretch = TypeStretches.stretch(of: position)
    if stretches[type] == stretch { return }
    try insertStretch.bind(1, type)
    try insertStretch.bind(2, stretch)
    try insertStretch.run()
    stretches[type] = stretch
  }

  /// An id as it is stored as bytes, which may be another one in its place; nil if it is stored as text.
  ///
  /// - Throws: ``EventStoreError`` if an event has it already; the code makes the append be tried again carefully.
  private func bytes(ofIDOf event: inout PreparedAppend.Event, source: Int64) throws -> OrderedID? {
    guard let id = OrderedID(event.id.id) else { return nil }
    if let bytes = try ids.bytes(of: id, isOurs: event.isReplaceable, source: source) {
      if bytes != id { event.id = EventID(source: event.id.source, id: bytes.text) }
      return bytes
    }
    // The index of the ids that are texts does not know those that are bytes.
    guard try EventIDs(connection).position(of: id, ofSource: source) != nil else { return nil }
    throw EventStoreError(.io, "\(connection.path): an event with the id \(event.id.id) already exists")
  }

  /// Writes an event at its place.
  ///
  /// - Parameters:
  ///   - given: The event.
  ///   - position: Its position.
  ///   - transaction: Its transaction.
  ///   - stream: The name of its stream.
  ///   - key: The stream's key.
  ///   - version: Its version.
  ///   - isLast: False if later events are there already.
  /// - Throws: ``EventStoreError``.
  func insert(
    _ given: PreparedAppend.Event, at position: Int, transaction: Int, _ stream: StreamName, key: Int64, version: Int,
    isLast: Bool = true
  ) throws {
    var event = given
    let source = try names.key(ofSource: event.id.source)
    let idBytes = isLast ? try bytes(ofIDOf: &event, source: source) : nil
    let checksum = event.checksum(position: position, transaction: transaction, stream: stream, version: version)
    let insert = insertEvent
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
      try insertTag.bind(1, tag.text)
      try insertTag.bind(2, position)
      try insertTag.run()
    }
    for (place, field) in event.personal.enumerated() {
      try insertPersonal.bind(1, position)
      try insertPersonal.bind(2, place)
      try insertPersonal.bind(3, field.subject)
      try insertPersonal.bind(4, field.object)
      try insertPersonal.bind(5, Int64(PersonalTables.checksum(of: field, at: Int64(position), place)))
      try insertPersonal.run()
    }
    recent.note(event, typeKey: type, at: position, transaction: transaction, stream, version: version)
  }
}
