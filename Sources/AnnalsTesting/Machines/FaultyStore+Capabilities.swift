import Annals
import AnnalsLog
import Foundation

struct FaultyCheckpoints: ReplaceableCheckpointStore {
  let store: any CheckpointStore
  let calls: FaultyStore

  func checkpoint(named name: String) throws -> Position? {
    try calls.pass(.checkpoint) { try store.checkpoint(named: name) }
  }

  func setCheckpoint(named name: String, to position: Position, from old: Position?) throws -> Bool {
    try calls.pass(.checkpoint) { try store.setCheckpoint(named: name, to: position, from: old) }
  }

  func rebases() throws -> Int { try (store as? any ReplaceableCheckpointStore)?.rebases() ?? 0 }

  func setCheckpoint(named name: String, to position: Position, from old: Position?, at rebases: Int) throws -> Bool {
    try calls.pass(.checkpoint) {
      guard let own = store as? any ReplaceableCheckpointStore else {
        return try store.setCheckpoint(named: name, to: position, from: old)
      }
      return try own.setCheckpoint(named: name, to: position, from: old, at: rebases)
    }
  }

  func deleteCheckpoint(named name: String) throws {
    try calls.pass(.checkpoint) { try store.deleteCheckpoint(named: name) }
  }

  func claim(follower: String) throws -> FollowerClaim {
    try calls.pass(.checkpoint) { try store.claim(follower: follower) }
  }
}

struct FaultySnapshots: SnapshotStore {
  let store: any SnapshotStore
  let calls: FaultyStore

  func snapshot(of stream: StreamName, decider: String) throws -> DeciderSnapshot? {
    try calls.pass(.snapshot) { try store.snapshot(of: stream, decider: decider) }
  }

  func save(_ snapshot: DeciderSnapshot, of stream: StreamName, decider: String, revision: LogRevision) throws {
    try calls.pass(.snapshot) { try store.save(snapshot, of: stream, decider: decider, revision: revision) }
  }

  func deleteSnapshots() throws { try calls.pass(.snapshot) { try store.deleteSnapshots() } }
}

struct FaultyDrafts: DraftStore {
  let store: any DraftStore
  let calls: FaultyStore

  func drafts() throws -> [DraftSummary] { try calls.pass(.draft) { try store.drafts() } }

  func draft(named name: String) throws -> KeptDraft? { try calls.pass(.draft) { try store.draft(named: name) } }

  func add(_ command: KeptDraft.Command, to place: DraftVersion, at time: Date) throws -> Bool {
    try calls.pass(.draft) { try store.add(command, to: place, at: time) }
  }

  func arrange(_ numbers: [Int], of place: DraftVersion, at time: Date) throws -> Bool {
    try calls.pass(.draft) { try store.arrange(numbers, of: place, at: time) }
  }

  func delete(_ place: DraftVersion) throws -> Bool { try calls.pass(.draft) { try store.delete(place) } }
}

struct FaultySavedLists: SavedListStore {
  let store: any SavedListStore
  let calls: FaultyStore

  func list(named name: String, fingerprint: String) throws -> SavedList? {
    try calls.pass(.savedList) { try store.list(named: name, fingerprint: fingerprint) }
  }

  func page(_ page: Int, ofCache cache: Int) throws -> [UInt8]? {
    try calls.pass(.savedList) { try store.page(page, ofCache: cache) }
  }

  func byteLimit() throws -> Int { try calls.pass(.savedList) { try store.byteLimit() } }

  func makeCache(named name: String, fingerprint: String, revision: LogRevision) throws -> Int? {
    try calls.pass(.savedList) { try store.makeCache(named: name, fingerprint: fingerprint, revision: revision) }
  }

  func add(_ pages: [SavedPage], toCache cache: Int) throws {
    try calls.pass(.savedList) { try store.add(pages, toCache: cache) }
  }

  func save(_ list: SavedList, adding pages: [SavedPage], removing freed: [Int]) throws -> Bool {
    try calls.pass(.savedList) { try store.save(list, adding: pages, removing: freed) }
  }

  func deleteLists(named name: String?) throws {
    try calls.pass(.savedList) { try store.deleteLists(named: name) }
  }
}

struct FaultyErasing: ErasingStore {
  let store: any ErasingStore
  let calls: FaultyStore

  func commitErasure(of subject: String) throws -> ErasureReceipt {
    try calls.pass(.erasure) { try store.commitErasure(of: subject) }
  }

  func hasPersonalValues() throws -> Bool { try calls.pass(.erasure) { try store.hasPersonalValues() } }
}

struct FaultyCompacting: CompactingStore {
  let store: any CompactingStore
  let calls: FaultyStore

  func commitCompaction(
    progress: (CompactionStep) throws -> Void, _ work: (any CompactionTransaction) throws -> CompactionReceipt
  ) throws -> CompactionReceipt {
    try calls.pass(.compaction) { try store.commitCompaction(progress: progress, work) }
  }
}
