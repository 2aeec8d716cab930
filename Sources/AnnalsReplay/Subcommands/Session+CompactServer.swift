import Annals
import AnnalsRemote
import AnnalsSQLite
import Foundation

extension Session {
  /// Compacts a log in a server, after it was shown on a copy in a temporary file that what is left says the same.
  func compact(_ server: ServerLog) throws -> ReplayError.Status {
    let folder = FileManager.default.temporaryDirectory.appending(path: "annals-compact-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "copy.annals").path
    try copy(into: path)
    let store = try SQLiteEventStore(
      path: path, durability: .process, environment: .tool, observesExternalWriters: false)
    defer { store.close() }
    try checkKnows(store)
    let compaction = try compaction(through: compactedEnd(store))
    let watch = ReadingWatch(console, through: try store.head().rawValue)
    defer { watch.end() }
    do {
      if arguments.has("--dry-run") || !arguments.has("--yes") {
        let planned = try store.rehearse(compaction) { watch.begin(Self.words(for: $0)) }
        watch.end()
        if arguments.has("--dry-run") || planned.isUnchanged {
          try refuseStrangers(planned, in: store)
          return try arguments.has("--dry-run") ? tell(ofPlan: planned) : tellAll(planned)
        }
        try ask(Self.sentence(planned, "will be"))
      }
      let receipt = try server.waiting { remote in
        try await Replica(of: remote, in: store).compact(compaction) { watch.begin(Self.words(for: $0)) }
      }
      watch.end()
      try refuseStrangers(receipt, in: store)
      return try tellAll(receipt)
    } catch let error as CompactionError {
      throw ReplayError(.negative, error.message)
    } catch let error as Replica.BehindError {
      // The copy is temporary, and what matters is done.
      throw ReplayError(
        .inputOutput, "the server's log is compacted, and what was left of it could not be compared: \(error.reason)")
    }
  }

  private func tellAll(_ receipt: CompactionReceipt) throws -> ReplayError.Status {
    try tell(receipt)
    if !receipt.isUnchanged, !isData {
      say("the server keeps the bytes of what was cut in its files until it has vacuumed its tables")
    }
    return .done
  }

  /// Copies the log in the server into a file.
  private func copy(into path: String) throws {
    let progress = Progress(console)
    defer { progress.end() }
    do {
      _ = try RemoteLog(arguments.operands[0], tool: tool, catalog).clone(into: path, progress)
    } catch is CancellationError { throw Ended() }
  }
}
