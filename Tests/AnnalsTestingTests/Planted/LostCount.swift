import Annals
import AnnalsLog
import Foundation

/// A store that keeps all in memory, also while it is closed, and answers wrong what there is of drafts or erasures.
final class LostCount: EventStore {
  enum Mistake {
    case none
    /// Leaves out the last name of the drafts.
    case draftNames
    /// Counts no erasures.
    case erasures
    /// Once it is opened again, finds no event by its tags.
    case tagged
  }

  private let memory: MemoryEventStore
  private let mistake: Mistake
  private let findsTags: Bool

  init(_ memory: MemoryEventStore, _ mistake: Mistake, isOpenedAgain: Bool) {
    (self.memory, self.mistake) = (memory, mistake)
    findsTags = mistake != .tagged || !isOpenedAgain
  }

  var source: String { memory.source }
  var environment: StoreEnvironment { memory.environment }
  var runtime: StoreRuntime { memory.runtime }
  var erasing: (any ErasingStore)? { memory.erasing }
  var drafts: (any DraftStore)? {
    memory.drafts.map { mistake == .draftNames ? Drafts(store: $0) : $0 }
  }

  func commit(_ append: Append) throws -> Receipt { try memory.commit(append) }

  func read<T>(_ body: (any EventLog) throws -> T) throws -> T {
    try memory.read { try body(Log(log: $0, countsErasures: mistake != .erasures, findsTags: findsTags)) }
  }

  private struct Log: EventLog {
    let log: any EventLog
    let countsErasures: Bool
    let findsTags: Bool

    func head() throws -> Position { try log.head() }
    func revision() throws -> LogRevision { countsErasures ? try log.revision() : .original }
    func version(of stream: StreamName) throws -> Int { try log.version(of: stream) }
    func position(of id: EventID) throws -> Position? { try log.position(of: id) }
    func receipt(ofCommand commandID: String) throws -> Receipt? { try log.receipt(ofCommand: commandID) }

    func events(_ query: EventQuery, after: Position, through: Position?, limit: Int) throws -> [StoredEvent] {
      if !findsTags, query.alternatives?.contains(where: { !$0.tags.isEmpty }) == true { return [] }
      return try log.events(query, after: after, through: through, limit: limit)
    }
  }

  private struct Drafts: DraftStore {
    let store: any DraftStore

    func drafts() throws -> [DraftSummary] { try store.drafts().dropLast() }
    func draft(named name: String) throws -> KeptDraft? { try store.draft(named: name) }
    func delete(_ place: DraftVersion) throws -> Bool { try store.delete(place) }

    func add(_ command: KeptDraft.Command, to place: DraftVersion, at time: Date) throws -> Bool {
      try store.add(command, to: place, at: time)
    }

    func arrange(_ numbers: [Int], of place: DraftVersion, at time: Date) throws -> Bool {
      try store.arrange(numbers, of: place, at: time)
    }
  }
}
