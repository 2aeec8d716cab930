import Annals
import AnnalsLog
import Synchronization

/// The known part of a remote log during a decision.
///
/// The snapshot returns the data that were already read, and records which data are missing. A command is decided
/// immediately, based on the known data. If data are missing, the decision ends, the missing data are read, and the
/// command is re-decided. This is possible because deciding has no side effects, and takes little time compared with a
/// round trip. So local and remote stores share the code that decides.
final class RemoteSnapshot: EventLog {
  /// An error that ends a decision on data that haven't been read yet.
  struct Missing: Error {}

  /// The events of a query that have been read, starting after a position.
  private struct Stretch {
    let start: Position
    var events: [StoredEvent]
    /// The last position up to which all matching events have been read.
    var end: Position
  }

  private struct Known {
    var head: Position?
    var revision: LogRevision?
    var stretches: [BoundaryKey: Stretch] = [:]
    var streams: [StreamName: (after: Position, tail: StreamTail)] = [:]
    var versions: [StreamName: Int] = [:]
    /// The versions of states in memory that decisions used, and the positions after which they need events.
    var trusted: [StreamName: (version: Int, after: Position)] = [:]
    var positions: [EventID: Position?] = [:]
    var missing: LogQuery?
    var isIncomplete = false
    var hasTrusted = false
  }

  /// The revision of the states in memory, or nil if the decision doesn't assume that these states are current.
  ///
  /// The append verifies the assumption.
  private let trusted: LogRevision?
  private let known = Mutex(Known())
  /// The minimum number of a boundary's events that one read requests.
  private static var stretch: Int { 1_024 }

  /// Creates a snapshot without any known data.
  ///
  /// - Parameters:
  ///   - store: The remote store.
  ///   - trusts: True if the decision assumes that a state in memory contains all events of its stream or boundary.
  init(of store: any RemoteEventStore, trusts: Bool) {
    trusted = trusts ? store.commands.revision : nil
  }

  /// Creates a snapshot that knows only a stream's events.
  private init(_ stream: StreamName, _ tail: StreamTail, after: Position) {
    trusted = nil
    known.withLock { known in
      known.revision = tail.revision
      known.streams[stream] = (after, tail)
    }
  }

  /// Returns a snapshot with the known events of a stream and the events that a conflict brought.
  ///
  /// - Returns: The snapshot, or nil if the conflict's events can't be decoded, or don't follow the known events.
  func extended(by conflict: EventsConflict) -> RemoteSnapshot? {
    guard let stream = conflict.conflict.stream, let version = conflict.conflict.version, let revision = decidedOn
    else { return nil }
    let (trusted, read) = known.withLock { ($0.trusted[stream], $0.streams[stream]) }
    guard let expected = read?.tail.version ?? trusted?.version, let after = read?.after ?? trusted?.after,
      let events = try? conflict.events(), events.allSatisfy({ $0.stream == stream }),
      events.map(\.version) == Array((expected + 1)..<max(expected + 1, version + 1)), !events.isEmpty
    else { return nil }
    let batches = (read?.tail.batches ?? []) + [EventBatch(events)]
    return RemoteSnapshot(stream, StreamTail(version: version, revision: revision, batches: batches), after: after)
  }

  /// True if a decision needed missing data.
  var isIncomplete: Bool { known.withLock { $0.isIncomplete } }
  /// True if a decision assumed that states in memory are current.
  var hasTrusted: Bool { known.withLock { $0.hasTrusted } }

  /// The log's revision on which the decision is based, or nil if no data were read.
  var decidedOn: LogRevision? { known.withLock { $0.revision ?? ($0.hasTrusted ? trusted : nil) } }

  /// Reads the missing data.
  ///
  /// - Parameters:
  ///   - store: The remote store.
  ///   - commandID: The command whose receipt is also requested.
  /// - Returns: The receipt of the command, if it was committed before.
  /// - Throws: `EventStoreError` (`.rewritten` if the log's history has changed).
  func read(from store: any RemoteEventStore, _ commandID: String?) async throws -> Receipt? {
    let missing = known.withLock { $0.missing }
    var questions = missing.map { [$0] } ?? []
    if let commandID { questions.append(.receipt(ofCommand: commandID)) }
    let reading = try await store.ask(questions)
    await store.learn(reading.revision)
    // The states that were taken as current belong to another history.
    if let trusted, trusted != reading.revision { throw EventStoreError.rewritten }
    try known.withLock { known in
      if let revision = known.revision, revision != reading.revision { throw EventStoreError.rewritten }
      known.revision = reading.revision
      known.head = known.head ?? reading.head
      known.missing = nil
      known.isIncomplete = false
      if let missing, let answer = reading.answers.first { Self.keep(answer, to: missing, reading, &known) }
    }
    if commandID != nil, case .receipt(let receipt)? = reading.answers.last { return receipt }
    return nil
  }

  private static func keep(_ answer: LogResult, to question: LogQuery, _ reading: LogResponse, _ known: inout Known) {
    switch (question, answer) {
    case (.version(let stream), .version(let version)): known.versions[stream] = version
    case (.position(let id), .position(let position)): known.positions[id] = .some(position)
    case (.stream(let stream, let after), .stream(let tail)):
      known.streams[stream] = (
        after, StreamTail(version: tail.version, revision: reading.revision, batches: tail.batches)
      )
    case (.events(let query, let after, let through, let limit), .events(let events)):
      let head = reading.head
      let end = events.count == limit ? events[limit - 1].position : min(through ?? head, head)
      let key = BoundaryKey(query)
      if var stretch = known.stretches[key], stretch.end == after {
        stretch.events += events
        stretch.end = end
        known.stretches[key] = stretch
      } else {
        known.stretches[key] = Stretch(start: after, events: events, end: end)
      }
    default: break
    }
  }

  private func miss(_ question: LogQuery?, _ known: inout Known) -> Missing {
    if !known.isIncomplete { known.missing = question }
    known.isIncomplete = true
    return Missing()
  }
}

extension RemoteSnapshot {
  func head() throws -> Position {
    try known.withLock { known in
      guard let head = known.head else { throw miss(nil, &known) }
      return head
    }
  }

  func revision() throws -> LogRevision {
    try known.withLock { known in
      guard let revision = known.revision else { throw miss(nil, &known) }
      return revision
    }
  }

  func tail(of stream: StreamName, after: Position, version: Int) throws -> StreamTail {
    if let trusted {
      let isTrusted = known.withLock { known in
        // Of two deciders' states of one stream, at most the newer state is current.
        if known.trusted[stream]?.version ?? version != version { return false }
        // Another decider's state needed events of the stream, and they show that this state is outdated.
        if let read = known.streams[stream]?.tail.version ?? known.versions[stream], read != version { return false }
        known.trusted[stream] = known.trusted[stream] ?? (version, after)
        known.hasTrusted = true
        return true
      }
      if isTrusted { return StreamTail(version: version, revision: trusted, events: []) }
    }
    return try tail(of: stream, after: after)
  }

  func tail(of stream: StreamName, after: Position) throws -> StreamTail {
    try known.withLock { known in
      // Two deciders of one stream may have states at different positions, so the events of one read serve both.
      guard let found = known.streams[stream], found.after <= after,
        found.after == after || found.tail.lastPosition ?? found.after >= after
      else { throw miss(.stream(stream, after: after), &known) }
      if found.after == after { return found.tail }
      return StreamTail(
        version: found.tail.version, revision: found.tail.revision,
        events: found.tail.events.filter { $0.position > after })
    }
  }

  func tail(after: Position, through: Position?, limit: Int) throws -> LogTail {
    if let trusted {
      known.withLock { $0.hasTrusted = true }
      return LogTail(head: after, revision: trusted, after: after, batch: EventBatch([]))
    }
    let (head, revision) = (try head(), try revision())
    // Only the boundary's events are requested, not all new events.
    return LogTail(head: head, revision: revision, after: after, batch: EventBatch([]))
  }

  func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
    try known.withLock { known in
      guard let head = known.head else { throw miss(nil, &known) }
      let end = min(through ?? head, head)
      if let stretch = known.stretches[BoundaryKey(query)], stretch.start <= after {
        let first = stretch.events.firstIndexInOrder { $0.position > after }
        let found = stretch.events[first...].prefix(limit).prefix { $0.position <= end }
        if found.count == limit || stretch.end >= end { return Array(found) }
        throw miss(
          .events(query, after: max(stretch.end, after), through: end, limit: max(limit, Self.stretch)), &known)
      }
      throw miss(.events(query, after: after, through: end, limit: max(limit, Self.stretch)), &known)
    }
  }

  func version(of stream: StreamName) throws -> Int {
    try known.withLock { known in
      if let version = known.streams[stream]?.tail.version ?? known.versions[stream] { return version }
      throw miss(.version(of: stream), &known)
    }
  }

  func position(of id: EventID) throws -> Position? {
    try known.withLock { known in
      guard let position = known.positions[id] else { throw miss(.position(of: id), &known) }
      return position
    }
  }
}
