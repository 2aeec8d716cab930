import Annals

/// The migration that adds checksums to the pages of a log of an older format.
enum PageChecksums {
  /// Rewrites the whole log with a checksum in every page, if no other connection has it open.
  ///
  /// A program that opened the log before would continue to write pages without checksums. If there is such a
  /// program, the log stays unchanged until it is opened the next time. The new file is written next to the log until
  /// it is complete, so the work can stop at any time.
  ///
  /// - Parameters:
  ///   - file: The path of the log's file, with links resolved.
  ///   - durability: The durability of the writes.
  /// - Throws: ``EventStoreError``. The log is then unchanged.
  static func add(to file: String, durability: Durability) throws {
    try SQLiteConnection.alone(file, durability) { connection in
      guard connection.reservePageChecksums() else { return }
      try CheckedFiles.$temporaryFolder.withValue(FileSystem.folder(of: file)) { try connection.execute("VACUUM") }
      try connection.checkpoint()
      guard connection.checksPages else { return }
      try connection.write { try connection.execute(Schema.notePageChecksums) }
    }
  }
}
