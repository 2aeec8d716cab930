import AnnalsLog

/// The migration that adds page checksums to a log of an older format.
enum PageChecksums {
  /// Rewrites the whole log with a checksum in every page, unless another connection has the log open.
  ///
  /// A program that opened the log before would continue to write pages without checksums. So if another program has
  /// the log open, the log stays unchanged until a program opens it the next time. The rewritten log is a separate file
  /// until it is complete, so the process can end at any time.
  ///
  /// - Parameters:
  ///   - file: The path of the log's file, with links resolved.
  ///   - durability: The durability of the writes.
  /// - Throws: ``EventStoreError``. If the method throws, the log is unchanged.
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
