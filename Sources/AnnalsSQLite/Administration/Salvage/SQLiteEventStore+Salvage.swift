import AnnalsLog
import Foundation

extension SQLiteEventStore {
  /// Copies the intact transactions of a damaged log into a new log.
  ///
  /// The damaged file is only read, and never opened as a database. A transaction is copied completely or not at all.
  /// If events next to a transaction are lost, the transaction is copied only if its beginning and end are known.
  /// Identities, times, tags, metadata, payloads and the receipts of commands are kept. Events get new positions,
  /// versions and transaction numbers.
  /// - Parameters:
  ///   - path: The path of the damaged log. No program may write to the log during the copy.
  ///   - target: The path of the new log, which must not exist.
  ///   - progress: A closure that is called from time to time with the completed fraction, from 0 to 1.
  /// - Returns: A report of the copied data and the lost data.
  /// - Throws: ``EventStoreError`` if the file cannot be read, has no events, or has a newer format. It is also thrown
  ///   if the new log cannot be written, or differs from the written data when it is read back. If the method throws,
  ///   no new log remains.
  /// - Complexity: O(n log n) for a file of n bytes.
  package static func salvage(
    _ path: String, to target: String, progress: (Double) throws -> Void = { _ in }
  ) throws -> SalvageReport {
    let (path, target) = (try LogLocation.absolute(path), try LogLocation.absolute(target))
    guard FileSystem.status(target) == nil else {
      throw EventStoreError(
        .io, "\(target): expected no such file, found one. Choose another name, or remove the file first")
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
        "\(path): expected format \(Schema.version) or older, found format \(format); use a newer version of Annals")
    }
    let found = try LogSalvage(pages) { try progress(Double($0) / Double($1) / 2) }
    guard !found.events.isEmpty || !found.draftCommands.isEmpty else {
      throw EventStoreError(
        .notALog, "\(path): expected at least one event or draft to salvage, found none. Restore the log from a copy")
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
