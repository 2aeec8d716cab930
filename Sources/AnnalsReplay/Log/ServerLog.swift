import Annals
import AnnalsLog
import AnnalsRemote
import Foundation
import Synchronization

/// A log on a server, as the subcommands read and fill it.
///
/// Each call waits on this thread, which is none of Swift's pool.
///
/// What is read page by page is asked for ahead: the next page is on its way while this one is printed or checked.
final class ServerLog: EventStore, LogIndex {
  private let remote: any RemoteEventStore
  let runtime = StoreRuntime()
  private let ahead = Mutex<(question: Page, reading: AwaitedInBackground<LogResponse>)?>(nil)
  var source: String { remote.source }
  var environment: StoreEnvironment { remote.environment }
  /// So many appends are one transaction of the server at most.
  private static let group = 256

  /// A page of all events.
  private struct Page: Equatable {
    let after: Position
    let through: Position
    let limit: Int

    var question: LogQuery { .events(.all, after: after, through: through, limit: limit) }
  }

  init(_ remote: any RemoteEventStore) { self.remote = remote }

  /// True if the remote store can erase.
  var erases: Bool { remote.erasing != nil }

  /// Forgets what was asked for ahead, because the log changes.
  func forgetAhead() { ahead.withLock { $0 = nil } }

  /// Waits for a call of the remote store; a signal that ends the process cancels it.
  func waiting<T: Sendable>(_ body: @escaping @Sendable (any RemoteEventStore) async throws -> T) throws -> T {
    let remote = remote
    do { return try AwaitedInBackground { try await body(remote) }.wait {} } catch is CancellationError {
      throw Ended()
    }
  }

  private func ask(_ questions: [LogQuery]) throws -> LogResponse { try waiting { try await $0.ask(questions) } }

  func statistics(streamLimit: Int) throws -> LogStatistics {
    try waiting { try await $0.statistics(streamLimit: streamLimit) }
  }

  func statistics(_ body: (EventStamp) -> Void) throws -> LogStatistics { try statistics() }

  func commit(_ append: Append) throws -> Receipt { try waiting { try await $0.append(append) } }

  func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    // What is on its way is of one moment too, and later than all that was read.
    let page = ahead.withLock { $0 }
    let reading = try page.map { try waited($0.reading) } ?? ask([])
    return try body(Moment(log: self, head: reading.head, found: reading.revision))
  }

  private func waited(_ reading: AwaitedInBackground<LogResponse>) throws -> LogResponse {
    do { return try reading.wait {} } catch is CancellationError { throw Ended() }
  }

  func receipt(ofCommand commandID: String) throws -> Receipt? {
    try waiting { try await $0.receipt(ofCommand: commandID) }
  }

  /// The positions of events, asked for together.
  func positions(of ids: [EventID]) throws -> [Position?] {
    var positions: [Position?] = []
    while positions.count < ids.count {
      let some = ids[positions.count...].prefix(1_024)
      for answer in try ask(some.map { .position(of: $0) }).answers {
        guard case .position(let position) = answer else { throw otherAnswer }
        positions.append(position)
      }
    }
    return positions
  }

  /// The versions of streams, asked for together.
  func versions(of streams: [StreamName]) throws -> [Int] {
    try ask(streams.map { .version(of: $0) }).answers.map { answer in
      guard case .version(let version) = answer else { throw otherAnswer }
      return version
    }
  }

  /// Commits appends in their order, as many together as can be.
  ///
  /// A condition of the first append holds for all of them. An append of records must not have other records since, and
  /// those before it are some: these are committed one after the other.
  func commitGroup(_ appends: [Append]) throws -> GroupReceipt {
    forgetAhead()
    let hasRecords = appends.contains { append in
      append.entries.contains { RecordEvent.types.contains($0.event.type) }
    }
    guard !hasRecords, let remote = remote as? any RemoteGroupingStore else { return try commitOneByOne(appends) }
    var (receipts, rest): ([Receipt], ArraySlice<Append>) = ([], appends[...])
    while !rest.isEmpty {
      let group = rest.prefix(Self.group).map { append in
        var append = append
        append.conditions = appends[0].conditions
        return append
      }
      rest = rest.dropFirst(group.count)
      for answer in try settled(group, try waiting { _ in await remote.appendGroup(group) }, remote) {
        switch answer {
        case .success(let receipt): receipts.append(receipt)
        case .failure(let error): return GroupReceipt(receipts: receipts, refusal: error)
        }
      }
    }
    return GroupReceipt(receipts: receipts, refusal: nil)
  }

  /// Settles appends whose connection was lost while they were committed, by the identities of their events.
  ///
  /// One that is not there yet may still be on its way. It is sent again, and met by its identities if it was first.
  private func settled(
    _ group: [Append], _ answers: [Result<Receipt, any Error>], _ remote: any RemoteGroupingStore
  ) throws -> [Result<Receipt, any Error>] {
    var answers = answers
    for attempt in 1...100 {
      let open = answers.indices.filter { index in
        guard case .failure(let error as EventStoreError) = answers[index] else { return false }
        return error.isUnknown || attempt > 1 && error.code == .duplicateEvent
      }
      let last = open.compactMap { group[$0].entries.last?.event.id }
      if open.isEmpty || last.count != open.count { break }
      var rest: [Int] = []
      for (index, position) in zip(open, try positions(of: last)) {
        guard let position else {
          rest.append(index)
          continue
        }
        answers[index] = .success(
          Receipt(position: position, count: group[index].entries.count, transaction: nil, versions: [:]))
      }
      let again = rest.map { group[$0] }
      for (index, answer) in zip(rest, try waiting { _ in await remote.appendGroup(again) }) { answers[index] = answer }
    }
    return answers
  }

  private var otherAnswer: EventStoreError {
    EventStoreError(
      .corrupt, "\(type(of: remote)) returned a response that doesn't match the query. Correct the store's `ask(_:)`")
  }

  /// The log at one moment, as far as it is asked for: a later moment ends with `rewritten`.
  private struct Moment: ClockedLog {
    let log: ServerLog
    let end: Position
    let found: LogRevision

    init(log: ServerLog, head: Position, found: LogRevision) {
      self.log = log
      end = head
      self.found = found
    }

    var now: Date { log.environment.now() }
    func head() -> Position { end }
    func revision() -> LogRevision { found }

    private func answer(_ question: LogQuery) throws -> LogResult? { try checked(try log.ask([question])) }

    private func checked(_ reading: LogResponse) throws -> LogResult? {
      if reading.revision != found { throw EventStoreError.rewritten }
      return reading.answers.first
    }

    func version(of stream: StreamName) throws -> Int {
      guard case .version(let version)? = try answer(.version(of: stream)) else { throw log.otherAnswer }
      return version
    }

    func position(of id: EventID) throws -> Position? {
      guard case .position(let position)? = try answer(.position(of: id)) else { throw log.otherAnswer }
      return position
    }

    func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
      let last = min(through ?? end, end)
      guard query.alternatives == nil else {
        let question = LogQuery.events(query, after: after, through: last, limit: limit)
        guard case .events(let events)? = try answer(question) else { throw log.otherAnswer }
        return events
      }
      let page = Page(after: after, through: last, limit: limit)
      let known = log.ahead.withLock { ahead in
        defer { ahead = nil }
        return ahead.flatMap { $0.question == page ? $0.reading : nil }
      }
      let reading = try known.map { try log.waited($0) } ?? log.ask([page.question])
      guard case .events(let events)? = try checked(reading) else { throw log.otherAnswer }
      if events.count == limit, let position = events.last?.position, position < last {
        let (next, remote) = (Page(after: position, through: last, limit: limit), log.remote)
        log.ahead.withLock { $0 = (next, AwaitedInBackground { try await remote.ask([next.question]) }) }
      }
      return events
    }

    func eventsBackwards(
      _ query: EventQuery, after: Position, through: Position?, limit: Int
    ) throws -> [StoredEvent] {
      let question = LogQuery.eventsBackwards(query, after: after, through: min(through ?? end, end), limit: limit)
      guard case .events(let events)? = try answer(question) else { throw log.otherAnswer }
      return events
    }

    func receipt(ofCommand commandID: String) throws -> Receipt? { try log.receipt(ofCommand: commandID) }
  }
}
