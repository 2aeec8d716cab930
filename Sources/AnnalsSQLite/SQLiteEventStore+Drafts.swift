public import AnnalsLog
import Foundation

extension SQLiteEventStore {
  /// The storage for drafts, which are branches whose commands are saved so that you can merge the branches later.
  ///
  /// The commands are stored in two tables of the log's file. So drafts are as durable as events, and every copy of the
  /// file contains the drafts.
  public var drafts: (any DraftStore)? { Drafts(store: self) }
}

private struct Drafts: DraftStore {
  let store: SQLiteEventStore

  func drafts() throws -> [DraftSummary] { try store.inOneState { try DraftTables($0).summaries(in: store.path) } }

  func draft(named name: String) throws -> KeptDraft? {
    try store.inOneState { try DraftTables($0).draft(named: name, in: store.path) }
  }

  func add(_ command: KeptDraft.Command, to version: DraftVersion, at time: Date) throws -> Bool {
    try store.writing { try DraftTables($0).add(command, to: version, at: time) }
  }

  func arrange(_ numbers: [Int], of version: DraftVersion, at time: Date) throws -> Bool {
    try store.writing { try DraftTables($0).arrange(numbers, of: version, at: time) }
  }

  func delete(_ version: DraftVersion) throws -> Bool { try store.writing { try DraftTables($0).delete(version) } }
}
