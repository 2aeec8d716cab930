import Annals
import AnnalsLog
import AnnalsTesting
import Foundation
import Synchronization

/// A store on a disk that tests keep in memory, with a mistake in what it writes or reads.
final class LostAtOpening: EventStore {
  enum Mistake: CaseIterable {
    case none
    /// Writes the events without their tags.
    case tags
    /// Writes the events without their metadata.
    case metadata
    /// Knows no version of a stream from before it was opened.
    case versions
    /// Writes no ids of commands.
    case receipts
    /// Leaves out the last event of the last append that has several.
    case tail
    /// Writes nothing.
    case nothing
    /// Reads the appends in another order, and numbers them so.
    case numbers
    /// Reads each event as a transaction of its own.
    case transactions
    /// Makes new identities.
    case identities
    /// Keeps checkpoints in memory.
    case checkpoints
    /// Appends the last events again.
    case twice
    /// Cannot be opened once it has events.
    case opening
    /// Writes letters with their marks apart: canonically equal, and other bytes.
    case letters
  }

  /// What the store wrote.
  final class Disk: Sendable {
    let appends = Mutex<[Append]>([])
  }

  private let disk: Disk
  private let memory: MemoryEventStore
  private let mistake: Mistake
  private let old: [StreamName: Int]

  init(_ disk: Disk, _ mistake: Mistake, environment: StoreEnvironment) throws {
    (self.disk, self.mistake) = (disk, mistake)
    if mistake == .opening, disk.appends.withLock({ !$0.isEmpty }) {
      throw EventStoreError(.io, "the log cannot be opened again")
    }
    memory = MemoryEventStore(source: "lost", environment: environment)
    for append in Self.read(disk.appends.withLock { $0 }, mistake) { _ = try memory.commit(append) }
    old = Dictionary(
      grouping: memory.events(.all, after: 0, through: nil, limit: .max), by: \.stream
    ).mapValues(\.count)
  }

  private static func read(_ written: [Append], _ mistake: Mistake) -> [Append] {
    switch mistake {
    case .tail:
      var appends = written
      if let last = appends.indices.last, appends[last].entries.count > 1 { appends[last].entries.removeLast() }
      return appends
    case .numbers: return written.reversed()
    case .transactions: return written.flatMap { append in append.entries.map { Append([$0]) } }
    case .twice:
      guard let last = written.last else { return written }
      let again = last.entries.map { entry in
        var entry = entry
        entry.event.id = nil
        return entry
      }
      return written + [Append(again)]
    default: return written
    }
  }

  var source: String { memory.source }
  var environment: StoreEnvironment { memory.environment }
  var runtime: StoreRuntime { memory.runtime }
  var checkpoints: (any CheckpointStore)? { mistake == .checkpoints ? memory.checkpoints : nil }

  func commit(_ append: Append) throws -> Receipt {
    if let first = try append.repeated({ memory.receipt(ofCommand: $0) }) { return first }
    var append = append
    if mistake == .versions {
      // It counts the versions of today only.
      for (stream, expected) in append.expectations {
        if case .exact(let version) = expected { append.expectations[stream] = .exact(version + (old[stream] ?? 0)) }
      }
    }
    let receipt = try memory.commit(append)
    guard mistake != .nothing else { return receipt }
    var written = append
    let events = memory.events(
      .all, after: Position(receipt.position.rawValue - receipt.count), through: receipt.position, limit: .max)
    for (index, stored) in events.enumerated() where receipt.count > 0 {
      written.entries[index].event.id = mistake == .identities ? nil : stored.id
      written.entries[index].event.time = stored.time
      if mistake == .tags { written.entries[index].event.tags = [] }
      if mistake == .letters {
        written.entries[index].event.payload = stored.payload?.decomposedStringWithCanonicalMapping
      }
      if mistake == .metadata { written.entries[index].event.metadata = [:] }
    }
    written.expectations = written.expectations.mapValues { _ in .any }
    written.conditions = []
    if mistake == .receipts { written.commandID = nil }
    disk.appends.withLock { [written] in $0.append(written) }
    return receipt
  }

  func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    try memory.read { try body(Log(log: $0, old: mistake == .versions ? old : [:])) }
  }

  private struct Log: EventLog {
    let log: any EventLog
    let old: [StreamName: Int]

    func head() throws -> Position { try log.head() }
    func revision() throws -> LogRevision { try log.revision() }
    func version(of stream: StreamName) throws -> Int { try log.version(of: stream) - (old[stream] ?? 0) }
    func position(of id: EventID) throws -> Position? { try log.position(of: id) }
    func receipt(ofCommand commandID: String) throws -> Receipt? { try log.receipt(ofCommand: commandID) }

    func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
      try log.events(query, after: after, through: through, limit: limit)
    }
  }
}
