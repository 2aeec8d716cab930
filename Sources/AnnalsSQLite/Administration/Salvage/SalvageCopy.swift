import AnnalsLog
import Foundation
import Synchronization

/// A copy operation that writes the data found in a damaged log into a new log.
struct SalvageCopy {
  /// A clock that returns the original times of the appends that are copied from the damaged log.
  private final class Clock: Sendable {
    let times = Mutex<[Date]>([])
  }

  /// A transaction of the damaged log, with the events that were found.
  private struct Group {
    let transaction: Int
    var places: [LogSalvage.Place]
    /// The reason why the transaction is lost, or `nil` if it is intact.
    var reason: String?

    var first: Int { places[0].position }
    var last: Int { places[places.count - 1].position }
  }

  private var found: LogSalvage
  private let store: SQLiteEventStore
  private let clock = Clock()
  private var report = SalvageReport()
  /// The positions that the copied events had in the damaged log.
  private var taken: [Int] = []
  private var receipts: [Int: CommandReceipts.Row] = [:]
  private var held: [(append: Append, time: Date, positions: ClosedRange<Int>, places: [Int])] = []

  init(_ found: LogSalvage, _ path: String) throws {
    self.found = found
    var environment = StoreEnvironment()
    environment.now = { [clock] in
      clock.times.withLock { $0.isEmpty ? Date() : $0.removeFirst() }
    }
    // No other process knows the file.
    store = try SQLiteEventStore(
      path: path, patience: .milliseconds(100), environment: environment, observesExternalWriters: false)
    for receipt in found.commands where receipt.transaction > 0 {
      // A draft's merge has a second receipt, under the draft's own id.
      let known = receipts[Int(receipt.transaction)]
      if known == nil || !receipt.id.hasPrefix("draft:") { receipts[Int(receipt.transaction)] = receipt }
    }
  }

  mutating func run(_ progress: (Double) throws -> Void) throws -> SalvageReport {
    var groups = groups()
    judge(&groups)
    for (index, group) in groups.enumerated() {
      if index % 1_000 == 0 { try progress(Double(index) / Double(groups.count)) }
      if let reason = group.reason { lose(group.first...group.last, reason) } else { try take(group) }
      if held.count >= 4_096 { try flush() }
    }
    try flush()
    try keepCommandsOfNothing()
    try keepCheckpoints()
    try keepDrafts()
    finish()
    return report
  }

  /// Copies all commits into the new log's own file, and closes the log.
  ///
  /// - Returns: The numbers of rows that the file must contain.
  /// - Throws: ``EventStoreError`` if some commits could not be copied into the file.
  func finishFile() throws -> LogCounts {
    let counts = try store.pool.read { try LogCounts($0) }
    guard counts.events == report.events else {
      throw EventStoreError(
        .io,
        "\(store.path): expected \(report.events) salvaged events in the new log, found \(counts.events); check the "
          + "disk and retry")
    }
    try store.closeWhole()
    return counts
  }

  /// Closes the new log.
  func close() { store.close() }

  /// Returns the transactions in the order of their positions.
  ///
  /// If several rows have the same position, an intact row is preferred.
  private mutating func groups() -> [Group] {
    var groups: [Group] = []
    var index = 0
    while index < found.events.count {
      var same = [found.events[index]]
      while index + same.count < found.events.count, found.events[index + same.count].position == same[0].position {
        same.append(found.events[index + same.count])
      }
      index += same.count
      let sound = same.first { found.event($0) != nil }
      let place = sound ?? same[0]
      // A damaged event gets its own group, because its transaction number might be damaged too.
      let reason = sound == nil ? "the event is damaged: its checksum doesn't match its data" : nil
      if reason == nil, let last = groups.last, last.reason == nil, last.transaction == place.transaction {
        groups[groups.count - 1].places.append(place)
      } else {
        groups.append(Group(transaction: place.transaction, places: [place], reason: reason))
      }
    }
    return groups
  }

  /// Marks the transactions that are or might be incomplete.
  private func judge(_ groups: inout [Group]) {
    let sound = groups.map { $0.reason == nil }
    for index in groups.indices where sound[index] {
      let group = groups[index]
      // After a compaction, the remaining events of a transaction are all of its events.
      if group.last <= found.compacted.horizon { continue }
      if group.last - group.first + 1 != group.places.count {
        groups[index].reason =
          "the event is intact, but its transaction is incomplete, because another event of the transaction is lost"
        continue
      }
      if let receipt = receipts[group.transaction], receipt.position == Int64(group.last),
        receipt.count == Int64(group.places.count)
      {
        continue
      }
      let before = index > 0 && sound[index - 1] && groups[index - 1].last == group.first - 1
      let after = index + 1 < groups.count && sound[index + 1] && groups[index + 1].first == group.last + 1
      let begins = group.first == 1 || before || group.first == found.compacted.horizon + 1
      if !begins || !(after || group.last == found.counted) {
        groups[index].reason =
          "the event is intact, but an adjacent event is lost, and the lost event may be part of the same transaction"
      }
    }
  }

  private mutating func lose(_ positions: ClosedRange<Int>, _ reason: String) {
    let range = Position(positions.lowerBound)...Position(positions.upperBound)
    if let last = report.losses.last, last.reason == reason, let end = last.positions?.upperBound,
      end.rawValue + 1 == positions.lowerBound, let start = last.positions?.lowerBound
    {
      report.losses[report.losses.count - 1] = .init(positions: start...range.upperBound, reason: reason)
    } else {
      report.losses.append(.init(positions: range, reason: reason))
    }
  }

  private mutating func take(_ group: Group) throws {
    var entries: [Append.Entry] = []
    for place in group.places {
      guard let event = found.event(place) else {
        return lose(group.first...group.last, "the event could be read at first, but a second read failed")
      }
      let payload = event.payload.map { whole($0, at: place.position) }
      entries.append(
        Append.Entry(
          stream: event.stream,
          event: NewEvent(
            type: event.type, schema: event.schema, payload: payload, tags: event.tags, metadata: event.metadata,
            id: event.id, time: event.time)))
    }
    var (append, time) = (Append(entries), entries.last?.event.time ?? Date())
    if let receipt = receipts[group.transaction], receipt.position == Int64(group.last),
      receipt.count == Int64(group.places.count)
    {
      append.commandID = receipt.id
      append.useOrigin = .given(found.uses[ExactString(receipt.id)])
      time = Date(microseconds: receipt.time)
    }
    held.append((append, time, group.first...group.last, group.places.map(\.position)))
  }

  /// Returns a payload with its personal values in the place of the placeholders, except for lost and erased values.
  private mutating func whole(_ payload: String, at position: Int) -> String {
    guard PersonalPayload.mayHaveFields(payload), let cut = try? PersonalPayload(cutting: payload) else {
      return payload
    }
    var objects: [Int: String] = [:]
    for (number, field) in cut.fields.enumerated() where field.object == nil {
      let isErased = (found.erasures[ExactString(field.subject)] ?? 0) >= Int64(position)
      if let kept = found.personal[Int64(position)]?[number], ExactString(kept.subject) == ExactString(field.subject) {
        if !isErased { objects[number] = kept.object }
      } else if !isErased {
        lose(position...position, "the event exists, but the value of a personal field is lost")
      }
    }
    return (try? PersonalPayload.joined(payload, objects)) ?? payload
  }

  /// Commits the transactions that were collected since the last commit.
  private mutating func flush() throws {
    while !held.isEmpty {
      clock.times.withLock { $0 = held.map(\.time) }
      let answer = try store.commit(held.map(\.append))
      for one in held.prefix(answer.receipts.count) {
        taken += one.places
        report.transactions += 1
        if one.append.commandID != nil { report.commands += 1 }
      }
      held.removeFirst(answer.receipts.count)
      guard let refusal = answer.refusal else { continue }
      let lost = held.removeFirst()
      lose(
        lost.positions,
        "the event can't be stored in a log: \((refusal as? EventStoreError)?.message ?? "\(refusal)")")
    }
    clock.times.withLock { $0 = [] }
  }

  /// Copies the receipts of commands that appended no events, so that a repeated command is recognized.
  private mutating func keepCommandsOfNothing() throws {
    for receipt in found.commands where receipt.count == 0 && receipt.transaction == 0 {
      var append = Append()
      append.commandID = receipt.id
      append.useOrigin = .given(found.uses[ExactString(receipt.id)])
      clock.times.withLock { $0 = [Date(microseconds: receipt.time)] }
      _ = try store.commit(append)
      report.commands += 1
    }
  }

  private mutating func keepCheckpoints() throws {
    // A replica's notes belong to the original log. The new log is not one of the replica's copies.
    for checkpoint in found.checkpoints where checkpoint.position >= 0 && !ReplicaNotes.contain(checkpoint.name) {
      // The number of the new log's events that the follower has handled.
      var (low, high) = (0, taken.count)
      while low < high {
        let middle = (low + high) / 2
        if Int64(taken[middle]) <= checkpoint.position { low = middle + 1 } else { high = middle }
      }
      clock.times.withLock { $0 = [Date(microseconds: checkpoint.time)] }
      let isSet = try store.checkpoints?.setCheckpoint(named: checkpoint.name, to: Position(low), from: nil)
      if isSet == true { report.followers += 1 }
    }
  }

  /// Copies the intact commands of drafts in their order.
  private mutating func keepDrafts() throws {
    guard let drafts = store.drafts else { return }
    let byName = Dictionary(grouping: found.draftCommands) { ExactString($0.row.draft) }
    for (name, commands) in byName.sorted(by: { $0.key < $1.key }) {
      let id = found.draftIDs[name] ?? "draft:" + store.environment.makeID()
      var edition = 0
      for (row, _) in commands.sorted(by: { $0.row.number < $1.row.number }) {
        let place = DraftVersion(name: name.text, id: id, edition: edition)
        if try drafts.add(row.command(in: store.path), to: place, at: store.environment.now()) { edition += 1 }
      }
      let order = commands.sorted { $0.place < $1.place }.map { Int($0.row.number) }
      let place = DraftVersion(name: name.text, id: id, edition: edition)
      if edition > 0, try drafts.arrange(order, of: place, at: store.environment.now()) { report.drafts += 1 }
    }
  }

  /// Completes the report: adds the positions that were not found on any page, and counts events and losses.
  private mutating func finish() {
    let last = max(found.counted ?? 0, found.events.last?.position ?? 0)
    report.end = found.counted.map { Position($0) }
    report.events = taken.count
    report.isRenumbered = taken.enumerated().contains { $0.offset + 1 != $0.element }
    var expected = 1
    var missing: [ClosedRange<Int>] = []
    for place in found.events {
      if place.position > expected { missing.append(expected...place.position - 1) }
      expected = max(expected, place.position + 1)
    }
    if expected <= last { missing.append(expected...last) }
    let horizon = found.compacted.horizon
    let cut = missing.reduce(0) { $0 + max(0, min($1.upperBound, horizon) - $1.lowerBound + 1) }
    let isCutKnown = cut == found.compacted.cut
    report.lostEvents = last - taken.count - found.compacted.cut
    for range in missing where range.upperBound > horizon || !isCutKnown {
      let start = isCutKnown ? max(range.lowerBound, horizon + 1) : range.lowerBound
      report.losses.append(
        .init(positions: Position(start)...Position(range.upperBound), reason: "no intact page contains the event"))
    }
    if found.counted == nil {
      report.losses.append(
        .init(
          positions: nil,
          reason: "the stored number of the log's events is lost, so the log may have contained more events"))
    }
    if found.isOpen, !found.pages.hasCommits {
      report.losses.append(
        .init(
          positions: nil,
          reason: "the log was copied or moved without its write-ahead log (-wal), so the last commits may be missing"))
    }
    report.losses.sort { ($0.positions?.lowerBound ?? .max) < ($1.positions?.lowerBound ?? .max) }
  }
}

extension Position {
  /// A position after every position that a log can have.
  fileprivate static var max: Position { Position(Int(LogNumber.most)) }
}
