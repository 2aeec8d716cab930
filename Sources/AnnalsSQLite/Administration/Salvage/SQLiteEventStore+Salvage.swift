import Annals
import Foundation

extension SQLiteEventStore {
  /// Copies the sound transactions of a damaged log into a new log.
  ///
  /// The damaged file is only read, and never opened as a database. A transaction is taken as a whole, or not at all:
  /// one that is next to lost events is taken only if it is known where it begins and ends. Identities, times, tags,
  /// metadata, payloads and the answers to commands stay. Positions, versions and transactions are numbered again.
  ///
  /// - Parameters:
  ///   - path: The damaged log; no program may write to it meanwhile.
  ///   - target: The new log; a file that is there is refused.
  ///   - progress: Called now and then with the part that is done, from 0 to 1.
  /// - Returns: What was taken, and what is lost.
  /// - Throws: ``EventStoreError`` if the file cannot be read, has no events, or is of a newer format, and if the new
  ///   log cannot be written or does not read as it was written. Then no new log is left.
  /// - Complexity: O(n log n) for a file of n bytes.
  package static func salvage(
    _ path: String, to target: String, progress: (Double) throws -> Void = { _ in }
  ) throws -> SalvageReport {
    let (path, target) = (try LogPlace.absolute(path), try LogPlace.absolute(target))
    guard FileSystem.status(target) == nil else {
      throw EventStoreError(.io, "\(target): expected no such file, found one; choose another name, or remove it first")
    }
    let file = FileSystem.withoutLinks(path)
    let pages: SalvagedPages
    do {
      pages = try SalvagedPages(file)
    } catch {
      throw EventStoreError(.io, "\(path): cannot be read: \(error.localizedDescription)")
    }
    if let format = pages.format, format > Int(Schema.version) {
      throw EventStoreError.newerFormat(
        found: format,
        "\(path): expected format \(Schema.version) or older, found \(format); use a newer version of Annals")
    }
    let found = try LogSalvage(pages) { try progress(Double($0) / Double($1) / 2) }
    guard !found.events.isEmpty || !found.draftCommands.isEmpty else {
      throw EventStoreError(
        .notALog, "\(path): expected events or drafts of a log to salvage, found none")
    }
    return try NewFile.make(target, like: file) { unfinished in
      var copy = try SalvageCopy(found, unfinished)
      defer { copy.close() }
      let report = try copy.run { try progress(0.5 + $0 / 2) }
      return (report: report, contents: try copy.finishFile())
    } check: { unfinished, made in
      try made.contents.check(unfinished)
    }.report
  }
}
