package import Foundation

/// Lookups that a store can read from its indexes.
///
/// The default implementations use the log's statistics and its events, so ``EventStore/index`` has the same results
/// for every store.
package protocol LogIndex: Sendable {
  /// The indexed store.
  var store: any EventStore { get }

  /// The path of the log's file, with links resolved, or an empty string (the default) for a log without a file.
  var file: String { get }

  /// Returns statistics of the log with at most 20 streams, and calls a closure with the places and times of events.
  ///
  /// A log on a server would send all events for their times, so it calls the closure with none of them.
  func statistics(_ body: (EventStamp) -> Void) throws -> LogStatistics

  /// Returns the names of the event types that the log contains, and perhaps of types whose events were all removed.
  func eventTypes() throws -> [String]

  /// Returns the number of events per type up to a position, in descending order, and then by name.
  func typeCounts(through position: Position?) throws -> [TypeCount]

  /// Returns the names of the log's streams.
  func streamNames() throws -> [StreamName]

  /// Returns the position of the last event with an id, from any source, or `nil` if no event has the id.
  func position(ofEventID id: String) throws -> Position?

  /// Returns the positions of the events with the given identities, with `nil` for each identity that isn't in the log.
  func positions(of ids: [EventID]) throws -> [Position?]

  /// Returns the positions of the first and the last event of an event's transaction.
  func transaction(of event: StoredEvent) throws -> ClosedRange<Position>

  /// Returns the positions of the transactions with a label, in the order of the log.
  ///
  /// - Parameters:
  ///   - label: The label, as in an export, or its prefix.
  ///   - isBeginning: True to match labels by prefix.
  ///   - limit: The maximum number of transactions.
  /// - Returns: The positions of the first and the last event of every transaction.
  /// - Throws: ``EventStoreError``.
  func ranges(
    ofTransactionLabel label: String, isBeginning: Bool, limit: Int
  ) throws -> [ClosedRange<Position>]

  /// Returns the positions, transactions and times of at most `limit` events between two positions.
  func stamps(after: Int, through: Int, limit: Int) throws -> [EventStamp]

  /// Returns the positions of events whose id is one of several strings, or whose metadata contain one of them.
  ///
  /// - Parameters:
  ///   - texts: The strings to find. An event that contains one of them matches.
  ///   - start: The position after which to search.
  ///   - end: The last position to search, or `nil` to search to the log's end.
  ///   - limit: The maximum number of positions, or `nil` for all.
  ///   - newestFirst: True to return the latest positions, in descending order.
  /// - Returns: The positions, or `nil` (the default) if the store can't search faster than its events can be read.
  /// - Throws: ``EventStoreError``.
  func positions(
    mentioning texts: [String], after start: Position, through end: Position?, limit: Int?, newestFirst: Bool
  ) throws -> [Position]?

  /// Returns the commands with a command id, in the order of their positions, or `nil` (the default) if the store can't
  /// list them.
  func commands() throws -> [CommandRecord]?

  /// Returns the ids of the commands that committed transactions, by transaction number.
  func commandIDs(ofTransactions numbers: ClosedRange<Int>) throws -> [Int: String]
}

/// The number of events of one type in a log.
package struct TypeCount: Hashable, Sendable {
  package let name: String
  package let events: Int

  package init(name: String, events: Int) { (self.name, self.events) = (name, events) }
}

/// A command with a command id, as recorded in the log.
package struct CommandRecord: Hashable, Sendable {
  /// The command id.
  package let id: String
  /// The time of the commit.
  package let time: Date
  /// The log's last position after the commit, which is also the position of the command's last event.
  package let position: Position
  /// The number of appended events.
  package let count: Int
  /// The number of the command's transaction, or `nil` if it appended no events.
  package let transaction: Int?

  package init(id: String, time: Date, position: Position, count: Int, transaction: Int?) {
    (self.id, self.time, self.position) = (id, time, position)
    (self.count, self.transaction) = (count, transaction)
  }

  /// The positions of the command's events, or `nil` if it appended no events.
  package var events: ClosedRange<Position>? {
    count > 0 ? Position(position.rawValue - count + 1)...position : nil
  }
}

extension EventStore {
  /// The lookups in the store's log, from its indexes or by reading its events.
  package var index: any LogIndex { self as? any LogIndex ?? UnindexedLog(store: self) }
}

extension LogIndex where Self: EventStore {
  package var store: any EventStore { self }
}

/// The lookups in a log without indexes.
private struct UnindexedLog: LogIndex {
  let store: any EventStore

  func stamps(after: Int, through: Int, limit: Int) throws -> [EventStamp] {
    try store.stamps(after: after, through: through, limit: limit)
  }
}

extension LogIndex {
  package func ranges(ofTransactionLabel label: String, isBeginning: Bool = false) throws -> [ClosedRange<Position>] {
    try ranges(ofTransactionLabel: label, isBeginning: isBeginning, limit: 10)
  }

  package var file: String { "" }

  package func statistics(_ body: (EventStamp) -> Void) throws -> LogStatistics {
    try store.read { log in try log.forEachBatch { $0.stamps.forEach(body) } }
    return try store.statistics()
  }

  package func eventTypes() throws -> [String] { try store.statistics(streamLimit: 0).types.map(\.name) }

  package func typeCounts(through position: Position?) throws -> [TypeCount] {
    func isAtEnd() throws -> Bool { try position.map { try store.head() <= $0 } ?? true }
    if try isAtEnd() {
      let types = try store.statistics(streamLimit: 0).types
      // Another writer may have appended events since the first look.
      if try isAtEnd() { return types.map { TypeCount(name: $0.name, events: $0.events) } }
    }
    var counts: [ExactString: Int] = [:]
    try store.forEachEvent(through: position) { counts[ExactString($0.type), default: 0] += 1 }
    return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { TypeCount(name: $0.key.text, events: $0.value) }
  }

  package func streamNames() throws -> [StreamName] {
    try store.statistics(streamLimit: .max).largestStreams.map { StreamName($0.name) }
  }

  package func position(ofEventID id: String) throws -> Position? {
    let sources = try store.statistics(streamLimit: 0).sources
    return try positions(of: sources.map { EventID(source: $0, id: id) }).compactMap { $0 }.max()
  }

  package func positions(of ids: [EventID]) throws -> [Position?] {
    try store.read { log in try ids.map { try log.position(of: $0) } }
  }

  package func transaction(of event: StoredEvent) throws -> ClosedRange<Position> {
    var (first, last, size) = (event.position, event.position, 64)
    while first > 1 {
      let own = try store.eventsBackwards(.all, after: 0, through: Position(first.rawValue - 1), limit: size)
        .prefix { $0.transaction == event.transaction }
      first = own.last?.position ?? first
      if own.count < size { break }
      size = min(size * 2, 1_024)
    }
    while true {
      let own = try store.events(.all, after: last, through: nil, limit: size)
        .prefix { $0.transaction == event.transaction }
      last = own.last?.position ?? last
      if own.count < size { return first...last }
    }
  }

  package func ranges(
    ofTransactionLabel label: String, isBeginning: Bool, limit: Int
  ) throws -> [ClosedRange<Position>] {
    if label.isEmpty { return [] }
    var (labels, found, transaction) = (TransactionLabels(), [] as [ClosedRange<Position>], nil as Int?)
    try store.forEachEvent { event in
      let made = labels.label(of: event)
      if event.transaction == transaction, let last = found.last {
        found[found.count - 1] = last.lowerBound...event.position
        return
      }
      let own = event.metadata["transaction"] ?? made
      guard isBeginning ? own.utf8.starts(with: label.utf8) : ExactString(own) == ExactString(label) else { return }
      guard found.count < limit else { return }
      transaction = event.transaction
      found.append(event.position...event.position)
    }
    return found
  }

  package func positions(
    mentioning texts: [String], after start: Position, through end: Position?, limit: Int?, newestFirst: Bool
  ) throws -> [Position]? { nil }

  package func commands() throws -> [CommandRecord]? { nil }

  package func commandIDs(ofTransactions numbers: ClosedRange<Int>) throws -> [Int: String] {
    var ids: [Int: String] = [:]
    for command in try commands() ?? [] {
      if let number = command.transaction, numbers.contains(number) { ids[number] = command.id }
    }
    return ids
  }
}
